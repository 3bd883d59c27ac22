"""Where a new joint goes: where two bodies meet, or at a place of one."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix, Vector
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SAMPLES = 2000
"""Vertices of a body that are looked at, at most."""
NEAR = 0.05
"""Points that are as near as the nearest pair, to this part of the bodies' size, are part of where they meet."""


def place_between(first: bpy.types.Object, second: bpy.types.Object) -> Vector:
    """The middle of where two mesh objects overlap or are nearest to each other, in the world."""
    low = np.maximum(_corners(first).min(axis=0), _corners(second).min(axis=0))
    high = np.minimum(_corners(first).max(axis=0), _corners(second).max(axis=0))
    if (low < high).all():
        return Vector(0.5 * (low + high))
    here, there = zip(*_pairs(first, second), *_pairs(second, first))
    a, b = np.array(here), np.array(there)
    gaps = np.linalg.norm(a - b, axis=1)
    size = max(float(np.ptp(_corners(obj), axis=0).max()) for obj in (first, second))
    near = gaps <= gaps.min() + NEAR * size
    middles = 0.5 * (a[near] + b[near])
    return Vector(0.5 * (middles.min(axis=0) + middles.max(axis=0)))


def is_at(obj: bpy.types.Object, place: Vector) -> bool:
    """Whether a place in the world is within the box around an object, or a tenth of its size beside it."""
    corners = _corners(obj)
    margin = 0.1 * float(np.ptp(corners, axis=0).max()) + 1e-6
    point = np.array(place)
    return bool(
        (point >= corners.min(axis=0) - margin).all() and (point <= corners.max(axis=0) + margin).all()
    )


def _corners(obj: bpy.types.Object) -> Floats:
    """Of the box around an object, in the world, shape (8, 3)."""
    return np.array([obj.matrix_world @ Vector(corner) for corner in obj.bound_box])


def _pairs(obj: bpy.types.Object, other: bpy.types.Object) -> list[tuple[Vector, Vector]]:
    """Vertices of a mesh object, and the points of another one that are nearest to them, in the world."""
    vertices = obj.data.vertices
    to_other: Matrix = other.matrix_world.inverted_safe()
    found = []
    for i in range(0, len(vertices), len(vertices) // SAMPLES + 1):
        here = obj.matrix_world @ vertices[i].co
        hit, nearest, _, _ = other.closest_point_on_mesh(to_other @ here)
        found.append((here, other.matrix_world @ nearest if hit else other.matrix_world.translation.copy()))
    return found or [(obj.matrix_world.translation.copy(), other.matrix_world.translation.copy())]
