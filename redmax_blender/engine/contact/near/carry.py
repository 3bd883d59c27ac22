"""Poses, velocities and boxes of pieces, from those of what carries them."""

from __future__ import annotations

import math

from ...algebra.arrays import Floats, Ints
from ...algebra.spatial import IDENTITY, ZERO3, compose, cross, load12, rotate, store12
from ...jit.decorators import njit
from ..vectors import along, norm, put3, row3

NEAR = 1e-3
"""Pieces that are nearer than this fraction of their own size count as touching within the step."""
_FAR = 1e9
"""Distance from the origin, in sizes of the scene, where rounding leaves nothing of a shape."""


@njit
def lost(E_wj: Floats, size: float) -> bool:
    """Whether a link is so far away that nothing can be told about its surface, or nowhere; `size` is the scene's."""
    for j in range(len(E_wj)):
        for c in range(9, 12):
            if not abs(E_wj[j, c]) < _FAR * size:
                return True
    return False


@njit
def carry(
    link: Ints, collider: Ints, vertex: Ints, E_local: Floats, half: Floats, rounding: Floats,
    E_wj: Floats, V: Floats, A: Floats, E_col: Floats, V_col: Floats, x: Floats, xdot: Floats, h: float,
    fall: float, E: Floats, v: Floats, w: Floats, a: Floats, low: Floats, high: Floats, reach: Floats,
    slack: Floats,
) -> None:  # fmt: skip
    for i in range(len(link)):
        velocity, spin, curve, pose = ZERO3, ZERO3, ZERO3, IDENTITY
        if vertex[i] >= 0:
            k = vertex[i]
            velocity = row3(xdot, k)
            pose = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, x[k, 0], x[k, 1], x[k, 2])
        elif link[i] >= 0:
            l = link[i]
            F = load12(E_wj, l)
            r = (E_local[i, 9], E_local[i, 10], E_local[i, 11])
            pose = compose(F, load12(E_local, i))
            s = (V[l, 0], V[l, 1], V[l, 2])
            u = along(cross(s, r), 1.0, (V[l, 3], V[l, 4], V[l, 5]))
            # Acceleration of a point of a body in its own axes: d(v + ω x r)/dt + ω x (v + ω x r)
            b = along(cross((A[l, 0], A[l, 1], A[l, 2]), r), 1.0, (A[l, 3], A[l, 4], A[l, 5]))
            b = along(b, 1.0, cross(s, u))
            velocity, spin, curve = rotate(F, u), rotate(F, s), rotate(F, b)
        else:
            c = collider[i]
            F = load12(E_col, c)
            pose = compose(F, load12(E_local, i))
            spin = (V_col[c, 0], V_col[c, 1], V_col[c, 2])
            arm = (pose[9] - F[9], pose[10] - F[10], pose[11] - F[11])
            velocity = along(cross(spin, arm), 1.0, (V_col[c, 3], V_col[c, 4], V_col[c, 5]))
        store12(E, i, pose)
        put3(v, i, velocity)
        put3(w, i, spin)
        put3(a, i, curve)
        ball = math.sqrt(half[i, 0] ** 2 + half[i, 1] ** 2 + half[i, 2] ** 2) + rounding[i]
        reach[i] = ball
        turned = norm(spin) * h * ball
        slack[i] = (0.0 if collider[i] >= 0 else fall) + (NEAR * ball if ball < math.inf else 0.0)
        for c in range(3):
            extent = rounding[i]
            for k in range(3):
                extent += abs(pose[3 * c + k]) * half[i, k]
            extent = min(extent + turned, ball) + slack[i]
            moved = velocity[c] * h
            bent = 0.5 * abs(curve[c]) * h * h
            low[i, c] = pose[9 + c] + min(moved, 0.0) - extent - bent
            high[i, c] = pose[9 + c] + max(moved, 0.0) + extent + bent
