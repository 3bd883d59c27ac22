"""The places that Connect has picked, or is about to."""

from __future__ import annotations

import numpy as np

from . import shapes
from .shapes import Colour, Lines

PICKED: Colour = (0.2, 1.0, 0.5, 1.0)

_shown: list = []
"""Features, and how large they are drawn [Blender units]."""
on_change = None
"""What to call when others are shown."""


def show(features, size: float = 0.1) -> None:
    """Mark these places from now on."""
    _shown[:] = [(feature, size) for feature in features]
    if on_change is not None:
        on_change()


def is_shown() -> bool:
    return bool(_shown)


def add_picked(lines: Lines) -> None:
    """A ring across the axis of each, and the axis; between two a line."""
    places = [np.array(feature.place, dtype=float) for feature, _ in _shown]
    for (feature, size), place in zip(_shown, places):
        axis = np.array(feature.axis, dtype=float)
        lines.add(shapes.circle(size) @ shapes.leading(axis).T + place, PICKED)
        lines.add(np.array([[place, place + 3.0 * size * axis]]), PICKED)
        lines.add(shapes.cross(0.5 * size) + place, PICKED)
    if len(places) == 2:
        lines.add(np.array([places]), PICKED)
