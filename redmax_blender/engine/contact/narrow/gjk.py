"""Distance between two convex solids (Gilbert, Johnson and Keerthi), in the frame of the first."""

from __future__ import annotations

import math

from ...algebra.arrays import Floats, Ints
from ...algebra.spatial import ZERO3, Tuple, transform_point, unrotate
from ...jit.decorators import subroutine
from ..shapes.support import support
from ..vectors import dot, sub
from .simplex import reduce_simplex

SEPARATE, OVERLAP, FAR = 0, 1, 2

_TOLERANCE = 1e-11
"""Relative error of the squared distance at which the search ends."""


@subroutine
def gjk(
    kind_a: Ints, size_a: Floats, first_a: Ints, verts_a: Floats, i: int,
    kind_b: Ints, size_b: Floats, first_b: Ints, verts_b: Floats, j: int,
    E: Tuple, far: float, scale_: float, S: Floats, weight: Floats,
) -> tuple[int, int, Tuple, Tuple, Tuple]:  # fmt: skip
    """What holds, corners left in S, a - b, and the nearest points a and b, for piece j at the pose E in piece i.

    Distances above `far` [m] are not worked out. Below 1e-10 of `scale_` [m] the pieces count as overlapping. S and
    `weight` have room for two simplices (9 rows, 8 numbers).
    """
    v: Tuple = (-E[9], -E[10], -E[11])
    if dot(v, v) < 1e-20 * scale_ * scale_:
        v = (scale_, 0.0, 0.0)
    n = 0
    vv = math.inf
    tiny = 1e-20 * scale_ * scale_
    for _ in range(128):
        a = support(kind_a, size_a, first_a, verts_a, i, (-v[0], -v[1], -v[2]))
        b = transform_point(E, support(kind_b, size_b, first_b, verts_b, j, unrotate(E, v)))
        w = sub(a, b)
        vw = dot(v, w)
        if vw > 0.0 and vw * vw > far * far * dot(v, v):
            return FAR, n, v, a, b
        if n > 0 and vv - vw <= _TOLERANCE * vv + 1e-14 * scale_ * math.sqrt(vv):
            break
        again = False
        for k in range(n):
            if S[k, 0] == w[0] and S[k, 1] == w[1] and S[k, 2] == w[2]:
                again = True
        if again:
            break
        for k in range(n):
            weight[4 + k] = weight[k]
            for c in range(9):
                S[5 + k, c] = S[k, c]
        before = n
        for c in range(3):
            S[n, c], S[n, 3 + c], S[n, 6 + c] = w[c], a[c], b[c]
        n = reduce_simplex(S, n + 1, weight)
        if n == 5:
            return OVERLAP, 4, v, a, b
        x: Tuple = ZERO3
        for k in range(n):
            x = (x[0] + weight[k] * S[k, 0], x[1] + weight[k] * S[k, 1], x[2] + weight[k] * S[k, 2])
        xx = dot(x, x)
        if xx <= tiny:
            return OVERLAP, n, x, a, b
        if not xx < vv:  # no more progress than rounding allows: what was there is better
            n = before
            for k in range(n):
                weight[k] = weight[4 + k]
                for c in range(9):
                    S[k, c] = S[5 + k, c]
            break
        v = x
        vv = xx
    a, b = ZERO3, ZERO3
    for k in range(n):
        s = weight[k]
        a = (a[0] + s * S[k, 3], a[1] + s * S[k, 4], a[2] + s * S[k, 5])
        b = (b[0] + s * S[k, 6], b[1] + s * S[k, 7], b[2] + s * S[k, 8])
    return SEPARATE, n, v, a, b
