"""What was inquired as arrows at the frame that is shown."""

from __future__ import annotations

import bpy
import numpy as np

from ..bridge.inquire.asking import answers
from ..bridge.rig.rig import metres_per_unit
from . import shapes
from .shapes import Colour, Lines

COLOURS: dict[str, Colour] = {
    "force": (1.0, 0.85, 0.1, 1.0),
    "tension": (0.2, 0.9, 1.0, 1.0),
    "contact": (1.0, 0.35, 0.1, 1.0),
    "torque": (0.95, 0.4, 0.95, 1.0),
    "momentum": (0.4, 1.0, 0.45, 1.0),
}
FORCES = ("force", "tension", "contact")
"""Which share a measure."""


def is_shown(scene: bpy.types.Scene) -> bool:
    return scene.redmax.inquire.show and answers(scene) is not None


def add_inquiry(lines: Lines, scene: bpy.types.Scene) -> None:
    """The largest force of the range is as long as the settings say; so are the largest torque and momentum."""
    found, settings = answers(scene), scene.redmax.inquire
    if found is None or not settings.show:
        return
    told = found.at(scene.frame_current)
    if told is None:
        return
    largest: dict[str, float] = {}
    for moment in found.moments:
        for kind, _, vector in moment.arrows:
            size = float(np.linalg.norm(vector))
            largest[_measure(kind)] = max(largest.get(_measure(kind), 0.0), size)
    for kind, point, vector in told.arrows:
        top = largest[_measure(kind)]
        if top > 0.0:
            at = np.array(point) / metres_per_unit(scene)
            lines.add(shapes.arrow(at, np.array(vector) * settings.size / top), COLOURS[kind])


def _measure(kind: str) -> str:
    return "force" if kind in FORCES else kind
