"""The best that a search has found so far, as lines in the view while it goes on."""

from __future__ import annotations

import numpy as np

from .shapes import Colour, Floats, Lines

BEST: Colour = (0.3, 0.95, 0.55, 0.9)

_shown: dict[str, Floats] = {}
"""Scene's name -> segments, shape (n, 2, 3) [Blender units]."""


def show_best(scene: str, segments: Floats | None) -> None:
    """Show these segments in a scene, or none any more."""
    _shown.pop(scene, None)
    if segments is not None and len(segments):
        _shown[scene] = np.asarray(segments, float)


def is_shown(scene: str) -> bool:
    return scene in _shown


def add_best(lines: Lines, scene: str) -> None:
    if scene in _shown:
        lines.add(_shown[scene], BEST)
