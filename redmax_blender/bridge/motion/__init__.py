"""How bones and objects are animated, as curves."""
