"""The frame loop, live runs, and what is recorded."""
