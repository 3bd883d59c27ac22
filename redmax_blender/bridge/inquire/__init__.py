"""Inquire: what parts of a scene feel, at every frame of a simulation or live."""
