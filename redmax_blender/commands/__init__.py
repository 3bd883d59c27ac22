"""The commands of the command line, one a file (`cli.py` lists them)."""
