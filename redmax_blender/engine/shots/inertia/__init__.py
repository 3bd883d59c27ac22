"""Shots of muscles whose mass slides over the bones (thesis, 6.2)."""
