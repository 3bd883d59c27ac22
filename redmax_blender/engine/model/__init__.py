"""The constant arrays that a scene compiles to, the state that steps, and inputs over time."""
