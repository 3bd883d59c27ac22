"""A recording -> keyframes and shape keys."""
