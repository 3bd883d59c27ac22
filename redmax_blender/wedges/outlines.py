"""Outlines of the shapes of a scene file, as segments, shape (n, 2, 3), in the shape's own frame [m]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..drawing import shapes as lines
from ..engine.compile.poses import pose_parts
from ..engine.scene import shapes as kinds

Floats = NDArray[np.float64]

EDGES = 400
"""Of a mesh, at most: a picture of a wedge is small."""


def outline(shape: kinds.Shape) -> Floats:
    """The lines that show a shape; none for one without geometry."""
    if isinstance(shape, kinds.Cuboid):
        half = 0.5 * np.array(shape.sides)
        return lines.cuboid(-half, half)
    if isinstance(shape, kinds.Sphere):
        return lines.sphere(shape.radius)
    if isinstance(shape, kinds.Cylinder):
        return lines.cylinder(shape.radius, shape.height)
    if isinstance(shape, kinds.Capsule):
        return lines.capsule(shape.radius, shape.height)
    if isinstance(shape, kinds.Ellipsoid):
        return lines.sphere(1.0) * np.array(shape.radii)
    if isinstance(shape, kinds.Mesh):
        return _edges(np.array(shape.vertices), np.array(shape.triangles))
    if isinstance(shape, kinds.Composite):
        return lines.joined(np.zeros((0, 2, 3)), *map(_part, shape.parts))
    return np.zeros((0, 2, 3))


def _part(part: kinds.Part) -> Floats:
    R, p = pose_parts(part.pose, "part")
    return np.asarray(outline(part.shape) @ R.T + p)


def _edges(vertices: Floats, triangles: NDArray[np.int64]) -> Floats:
    pairs = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    pairs = np.unique(pairs, axis=0)
    return np.asarray(vertices[pairs[:: max(len(pairs) // EDGES, 1)]])
