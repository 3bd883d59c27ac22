"""Friction inside joints: what presses their surfaces together, and the bounds that follow."""
