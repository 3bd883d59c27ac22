"""Constraints as rows of (equality | inequality) x (reduced | maximal), at position, velocity and acceleration level."""
