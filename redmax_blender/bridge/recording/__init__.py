"""The cache of a run, and playback from it."""
