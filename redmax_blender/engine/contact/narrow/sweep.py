"""When two moving solids first touch within a step, by conservative advancement.

Nearest points at the start of a step say little about a bullet that flies twenty metres in it: they would stop it at
walls that it passes by. Things that move farther than their own size are followed instead: as long as two solids are
a distance d apart and approach each other no faster than s, nothing happens for d / s.
"""

from __future__ import annotations

import math

from ...algebra.arrays import Floats, Ints
from ...algebra.spatial import Tuple, matmul3
from ...jit.decorators import subroutine
from ..vectors import apart, dot, norm, row3, sub
from .pairs import APART, nearest

_MOST = 60
"""Steps of the advancement; one that still creeps along after them counts as touching."""


@subroutine
def pose_at(E: Floats, v: Floats, w: Floats, a: Floats, i: int, t: float) -> Tuple:
    """Pose of piece i after a time t [s]: its middle on a parabola, turning steadily."""
    x, y, z = t * w[i, 0], t * w[i, 1], t * w[i, 2]
    angle = math.sqrt(x * x + y * y + z * z)
    s, c = 1.0, 0.5
    if angle > 1e-8:
        s, c = math.sin(angle) / angle, (1.0 - math.cos(angle)) / (angle * angle)
    turn = (
        1.0 - c * (y * y + z * z), c * x * y - s * z, c * x * z + s * y,
        c * x * y + s * z, 1.0 - c * (x * x + z * z), c * y * z - s * x,
        c * x * z - s * y, c * y * z + s * x, 1.0 - c * (x * x + y * y),
    )  # fmt: skip
    R = matmul3(
        turn,
        (E[i, 0], E[i, 1], E[i, 2], E[i, 3], E[i, 4], E[i, 5], E[i, 6], E[i, 7], E[i, 8]),
    )
    half = 0.5 * t * t
    return (
        R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8],
        E[i, 9] + t * v[i, 0] + half * a[i, 0],
        E[i, 10] + t * v[i, 1] + half * a[i, 1],
        E[i, 11] + t * v[i, 2] + half * a[i, 2],
    )  # fmt: skip


@subroutine
def first_touch(
    kind_a: Ints, size_a: Floats, first_a: Ints, verts_a: Floats, i: int,
    kind_b: Ints, size_b: Floats, first_b: Ints, verts_b: Floats, jb: int,
    E: Floats, v: Floats, w: Floats, a: Floats, reach: Floats, j: int, rounding: float, near: float, h: float,
    S: Floats, weight: Floats, N: Floats, F: Ints, H: Ints,
) -> float:  # fmt: skip
    """The time [s] at which pieces i and j (of shape jb) come nearer than `near` [m], infinite for not within h."""
    between = sub(row3(v, i), row3(v, j))
    bend = h * norm(sub(row3(a, i), row3(a, j)))
    turn = norm(row3(w, i)) * reach[i] + norm(row3(w, j)) * reach[j]
    fastest = norm(between) + bend + turn
    t = 0.0
    for _ in range(_MOST):
        Ei = pose_at(E, v, w, a, i, t)
        relative = apart(Ei, pose_at(E, v, w, a, j, t))
        far = rounding + near + fastest * (h - t)
        state, d, n, _a, _b = nearest(
            kind_a, size_a, first_a, verts_a, i, kind_b, size_b, first_b, verts_b, jb,
            relative, far, reach[i] + reach[j], S, weight, N, F, H,
        )  # fmt: skip
        if state == APART:
            return math.inf
        gap = d - rounding
        if gap <= near:
            return t
        world = (
            Ei[0] * n[0] + Ei[1] * n[1] + Ei[2] * n[2],
            Ei[3] * n[0] + Ei[4] * n[1] + Ei[5] * n[2],
            Ei[6] * n[0] + Ei[7] * n[1] + Ei[8] * n[2],
        )
        speed = -dot(world, between) + bend + turn
        if speed * (h - t) < gap - near:
            return math.inf
        t += (gap - 0.5 * near) / speed
    return t
