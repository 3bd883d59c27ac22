"""Solvers of the implicit system, with and without constraint rows."""
