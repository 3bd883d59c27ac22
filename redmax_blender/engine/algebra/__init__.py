"""Spatial algebra on tuples for kernels, and on NumPy arrays."""
