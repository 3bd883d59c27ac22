"""The control board: the user's own switches and sliders, live and as keys."""
