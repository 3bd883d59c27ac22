"""The step, compiled: all that acts on rigid bodies, many steps a call."""
