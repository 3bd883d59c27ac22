"""Blender data to engine types and back. No user interface: a script can call everything here."""
