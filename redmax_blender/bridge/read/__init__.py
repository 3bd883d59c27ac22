"""Blender data -> a scene."""
