"""Shots that are made by saying what they should be: scenes with a task, and what was found for them."""
