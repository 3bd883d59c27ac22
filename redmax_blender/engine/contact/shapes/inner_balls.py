"""The ball in each piece that may not pass through anything (`narrow/guard.py`): where it is, and how large.

A body turns about its centre of mass, and only there is a row exact however fast it spins. So the ball lies there where
the piece has room for it, else as near to it as half of the largest ball allows; and in the middle of the piece where
the centre of mass is outside of it.
"""

from __future__ import annotations

import math

import numpy as np

from ...model.records import Floats
from .hulls import Hull
from .kinds import Solid
from .pieces import Piece

PART = 0.5
"""Radius of the ball, as a fraction of the largest in the middle: what rests or slides does so on its own surface."""
_HALVINGS = 40

Ball = tuple[float, float, float, float]
NONE: Ball = (0.0, 0.0, 0.0, -1.0)


def inner_ball(piece: Piece, centre: Floats) -> Ball:
    """Its middle in the frame of the piece and its radius [m], -1 for none. centre: the centre of mass of the body, in
    the frame in which the piece has the pose `piece.E`."""
    if piece.kind in (Solid.PLANE, Solid.MESH, Solid.SPHERE):
        return NONE  # the row of a sphere does not turn either
    R, p = np.array(piece.E[:9]).reshape(3, 3), np.array(piece.E[9:])
    goal = R.T @ (centre - p)
    start = np.zeros(3) if piece.hull is None else _centroid(piece.hull)
    radius = PART * _room(piece, start)
    at = _towards(piece, start, goal, radius) if _room(piece, goal) >= 0.0 else start
    x, y, z = at.tolist()
    return x, y, z, radius


def _towards(piece: Piece, start: Floats, goal: Floats, radius: float) -> Floats:
    """The last point on the way from one to the other around which a ball has room: this shrinks without turning."""
    low, high = 0.0, 1.0
    if _room(piece, goal) >= radius:
        return goal
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if _room(piece, start + middle * (goal - start)) >= radius:
            low = middle
        else:
            high = middle
    return start + low * (goal - start)


def _room(piece: Piece, x: Floats) -> float:
    """Radius of a ball around x that fits into a piece [m], the largest but for ellipsoids; negative outside."""
    a, b, c = piece.size
    match piece.kind:
        case Solid.BOX:
            core = min(a - abs(x[0]), b - abs(x[1]), c - abs(x[2]))
        case Solid.CYLINDER:
            core = min(a - math.hypot(x[0], x[1]), c - abs(x[2]))
        case Solid.ELLIPSOID:
            core = min(a, b, c) * (1.0 - math.hypot(x[0] / a, x[1] / b, x[2] / c))
        case Solid.CAPSULE:
            core = -math.hypot(x[0], x[1], max(0.0, abs(x[2]) - c))
        case _:
            assert piece.hull is not None
            hull = piece.hull
            corner = hull.points[[face[0] for face in hull.faces]]
            core = float(np.einsum("fi,fi->f", hull.normals, corner - x).min())
    return float(core) + piece.rounding


def _centroid(hull: Hull) -> Floats:
    """The centre of its volume [m], shape (3,)."""
    inside = hull.points.mean(axis=0)
    total, moment = 0.0, np.zeros(3)
    for face in hull.faces:
        a = hull.points[face[0]] - inside
        for k in range(1, len(face) - 1):
            b, c = hull.points[face[k]] - inside, hull.points[face[k + 1]] - inside
            volume = float(a @ np.cross(b, c))
            total += volume
            moment += volume * 0.25 * (a + b + c)
    return np.asarray(inside + moment / total)
