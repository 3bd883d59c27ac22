"""Scene -> model, and every error that types cannot express."""

from .scene import compile_scene

__all__ = [
    "compile_scene",
]
