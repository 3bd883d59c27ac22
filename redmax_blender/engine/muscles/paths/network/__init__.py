"""Paths over cylinders by a trained network, as published (thesis, 5.3.3)."""
