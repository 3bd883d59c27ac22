"""Mesh objects as a grid of points on them, seen along their own Z: what slides over them."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree
from numpy.typing import NDArray

from ...engine.errors import SceneError
from .path import world_points

Floats = NDArray[np.float64]

CELLS = 24
"""Of the grid along the longer side of the object."""
LEAST = 4


def grid_on(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, unit: float) -> Floats:
    """Points of a mesh object on a grid over its bounding box, its highest ones along its own Z, in the world [m],
    shape (n1, n2, 3): the second direction is X."""
    shown = obj.evaluated_get(depsgraph)
    tree = BVHTree.FromObject(obj, depsgraph) if obj.type == "MESH" and len(shown.data.polygons) else None
    if tree is None:
        raise SceneError(f"Surface '{obj.name}'", "it has no faces", "Choose a mesh object with faces.")
    corners = np.array(shown.bound_box, dtype=float)
    low, high = corners.min(axis=0), corners.max(axis=0)
    sides = np.maximum(high - low, 1e-9)
    counts = [max(LEAST, round(CELLS * float(side / sides[:2].max()))) for side in sides[:2]]
    inset = 1e-4 * sides[:2]
    xs, ys = (np.linspace(low[k] + inset[k], high[k] - inset[k], counts[k] + 1) for k in range(2))
    top = float(high[2] + sides[2] + 1.0)
    points = np.empty((len(ys), len(xs), 3))
    for i, y in enumerate(ys.tolist()):
        for j, x in enumerate(xs.tolist()):
            hit = tree.ray_cast(Vector((x, y, top)), Vector((0.0, 0.0, -1.0)))[0]
            if hit is None:
                raise SceneError(
                    f"Surface '{obj.name}'",
                    "seen along its own Z it has a hole or an uneven rim",
                    "Choose a mesh that fills a rectangle, such as a grid or a plane that is subdivided.",
                )
            points[i, j] = hit
    return world_points(obj, depsgraph, points.reshape(-1, 3), unit).reshape(points.shape)
