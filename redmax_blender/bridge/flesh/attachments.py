"""Points on bodies: an object is a point of the body that it is, or that it is parented to; else of the world."""

from __future__ import annotations

from collections.abc import Mapping

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.scene import spec

Floats = NDArray[np.float64]


def carrier(obj: bpy.types.Object, poses: Mapping[str, Floats]) -> str | None:
    """The body that carries an object: itself, its nearest parent that is one, or a physical bone; or None."""
    here: bpy.types.Object | None = obj
    while here is not None:
        if here.name in poses:
            return here.name
        above = here.parent
        if above is not None and here.parent_type == "BONE" and f"{above.name}/{here.parent_bone}" in poses:
            return f"{above.name}/{here.parent_bone}"
        here = above
    return None


def world_position(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, unit: float) -> Floats:
    """Origin of an object as the depsgraph shows it [m], shape (3,)."""
    return np.array(obj.evaluated_get(depsgraph).matrix_world.translation, dtype=float) * unit


def point_on(body: str | None, at: Floats, poses: Mapping[str, Floats]) -> spec.Point:
    """The point of a body that is at this place in the world [m].

    poses: world pose of the shape of each body, shape (4, 4), by the body's name.
    """
    if body is not None:
        at = (np.linalg.inv(poses[body]) @ np.array([*at, 1.0]))[:3]
    x, y, z = (float(c) for c in at)
    return spec.Point(position=(x, y, z), body=body)
