"""Muscles in Blender: curves hooked to bones, the surfaces that they slide over, and OpenSim files."""
