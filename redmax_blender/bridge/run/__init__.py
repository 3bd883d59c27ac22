"""Runs and live runs in a process of their own."""
