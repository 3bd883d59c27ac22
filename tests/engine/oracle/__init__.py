"""Holds the engine's step to account: steps from stored states, compared with those of another version."""
