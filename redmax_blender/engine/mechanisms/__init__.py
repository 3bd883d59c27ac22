"""Parts and connections -> a tree and the loops that close it."""
