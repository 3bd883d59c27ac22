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
MASS: Colour = (1.0, 1.0, 1.0, 0.8)
_POINTS = 10
"""Mass points of a muscle, as many as the simulation has."""


def colour_of(obj: bpy.types.Object) -> Colour:
    """From slack to as strong as it can be: by its tension where it was simulated, by its excitation elsewhere."""
    settings = obj.redmax.muscle
    t = settings.excitation
    if settings.tension > 0.0:
        t = settings.tension / max(settings.max_force, 1e-9)
    t = min(1.0, t)
    mixed = [(1.0 - t) * a + t * b for a, b in zip(COOL, HOT)]
    return (mixed[0], mixed[1], mixed[2], 1.0)


def add_muscles(lines: Lines, scene: bpy.types.Scene) -> None:
    shown = [obj for obj in muscles(scene) if obj.visible_get()]
    if not shown:
        return
    from ..bridge.muscles.places import shape_of  # loads Numba, which takes a moment

    scale = metres_per_unit(scene)
    masses = (np.arange(_POINTS) + 0.5) / _POINTS
    for obj in shown:
        heavy = obj.redmax.muscle.inertia and obj.redmax.muscle.mass > 0.0
        try:
            found = shape_of(obj, scene, np.concatenate([_ALPHAS, masses]) if heavy else _ALPHAS)
        except InputError:
            continue  # said where it is simulated or shown
        colour = colour_of(obj)
        points = found.points / scale
        lines.add(shapes.polyline(points[: len(_ALPHAS)]), colour)
        size = 0.01 * found.length / scale
        for corner in found.corners / scale:
            lines.add(shapes.cross(size) + corner, colour)
        for point in points[len(_ALPHAS) :]:
            lines.add(shapes.cross(0.5 * size) + point, MASS)
