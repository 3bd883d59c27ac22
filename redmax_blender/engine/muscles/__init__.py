"""Muscles: the paths that they take over the bones, what an OpenSim file says of them, and the forces and inertia that
follow from both. See `records.py` for the data types."""
