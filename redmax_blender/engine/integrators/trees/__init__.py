"""Euler's step of a tree with friction in its joints and loops, in linear time."""
