"""Euler's steps backwards."""
