"""Lines of muscles: their paths, coloured by how strongly they pull, and the points where they bend."""

from __future__ import annotations

import bpy
import numpy as np

from ..bridge.muscles.objects import muscles
from ..bridge.rig.rig import metres_per_unit
from ..engine.errors import InputError
from . import shapes
from .shapes import COOL, HOT, Colour, Lines

_ALPHAS = np.linspace(0.0, 1.0, 33)


def colour_of(obj: bpy.types.Object) -> Colour:
    """From slack to as strong as it can be: by its excitation."""
    settings = obj.redmax.muscle
    t = min(1.0, settings.excitation)
    mixed = [(1.0 - t) * a + t * b for a, b in zip(COOL, HOT)]
    return (mixed[0], mixed[1], mixed[2], 1.0)


def add_muscles(lines: Lines, scene: bpy.types.Scene) -> None:
    shown = [obj for obj in muscles(scene) if obj.visible_get()]
    if not shown:
        return
    from ..bridge.muscles.places import shape_of  # loads Numba, which takes a moment

    scale = metres_per_unit(scene)
    for obj in shown:
        try:
            found = shape_of(obj, scene, _ALPHAS)
        except InputError:
            continue  # said where it is simulated or shown
        colour = colour_of(obj)
        lines.add(shapes.polyline(found.points / scale), colour)
        size = 0.01 * found.length / scale
        for corner in found.corners / scale:
            lines.add(shapes.cross(size) + corner, colour)
