"""Materials, one file a kind."""
