"""The matrix of flesh, its factors and products."""
