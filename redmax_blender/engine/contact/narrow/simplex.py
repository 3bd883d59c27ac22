"""The point of a segment, triangle or tetrahedron that is nearest to the origin.

Corners are rows of S: the difference w of two points, and the points a and b themselves, which come along.
"""

from __future__ import annotations

import math

from ...algebra.arrays import Floats
from ...algebra.spatial import Tuple, cross
from ...jit.decorators import subroutine
from ..vectors import along, dot, norm, row3, sub


@subroutine
def nearest_on_segment(a: Tuple, b: Tuple) -> Tuple:
    """Weights (of a, of b) of the point nearest to the origin."""
    e = sub(b, a)
    ee = dot(e, e)
    t = -dot(a, e) / ee if ee > 0.0 else 0.0
    t = min(max(t, 0.0), 1.0)
    return (1.0 - t, t)


@subroutine
def nearest_on_triangle(a: Tuple, b: Tuple, c: Tuple) -> Tuple:
    """Weights of the three corners of the point nearest to the origin, by its Voronoi regions."""
    ab, ac = sub(b, a), sub(c, a)
    d1, d2 = -dot(ab, a), -dot(ac, a)
    if d1 <= 0.0 and d2 <= 0.0:
        return (1.0, 0.0, 0.0)
    d3, d4 = -dot(ab, b), -dot(ac, b)
    if d3 >= 0.0 and d4 <= d3:
        return (0.0, 1.0, 0.0)
    d5, d6 = -dot(ab, c), -dot(ac, c)
    if d6 >= 0.0 and d5 <= d6:
        return (0.0, 0.0, 1.0)
    # Areas from the normal: products of dot products lose the digits that a thin triangle needs.
    n = cross(ab, ac)
    nn = dot(n, n)
    vc = dot(n, cross(a, b))
    vb = dot(n, cross(c, a))
    va = dot(n, cross(b, c))
    if (vc <= 0.0 or nn <= 0.0) and d1 >= 0.0 and d3 <= 0.0:
        t = d1 / (d1 - d3) if d1 > d3 else 0.0
        return (1.0 - t, t, 0.0)
    if (vb <= 0.0 or nn <= 0.0) and d2 >= 0.0 and d6 <= 0.0:
        t = d2 / (d2 - d6) if d2 > d6 else 0.0
        return (1.0 - t, 0.0, t)
    if (va <= 0.0 or nn <= 0.0) and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        s = (d4 - d3) + (d5 - d6)
        t = (d4 - d3) / s if s > 0.0 else 0.0
        return (0.0, 1.0 - t, t)
    s = va + vb + vc
    if not s > 0.0:
        return (1.0, 0.0, 0.0)
    return (va / s, vb / s, vc / s)


@subroutine
def nearest_on_tetrahedron(a: Tuple, b: Tuple, c: Tuple, d: Tuple) -> Tuple:
    """Weights of the four corners, and 1 where the origin is inside; otherwise of the nearest point of its faces."""
    corners = (a, b, c, d)
    best = math.inf
    out = (0.0, 0.0, 0.0, 0.0, 1.0)
    ab, ac, ad = sub(b, a), sub(c, a), sub(d, a)
    volume = dot(cross(ab, ac), ad)
    # Where it is flat the sides of its faces are noise, and every face is looked at.
    flat = abs(volume) < 1e-10 * norm(ab) * norm(ac) * norm(ad)
    for k in range(4):
        p, q, r, o = corners[k], corners[(k + 1) % 4], corners[(k + 2) % 4], corners[(k + 3) % 4]
        n = cross(sub(q, p), sub(r, p))
        height = dot(n, sub(o, p))
        if not flat and -dot(n, p) * height > 0.0:
            continue  # the origin is on the inner side of this face
        w = nearest_on_triangle(p, q, r)
        x = along(along((w[0] * p[0], w[0] * p[1], w[0] * p[2]), w[1], q), w[2], r)
        xx = dot(x, x)
        if xx < best:
            best = xx
            if k == 0:
                out = (w[0], w[1], w[2], 0.0, 0.0)
            elif k == 1:
                out = (0.0, w[0], w[1], w[2], 0.0)
            elif k == 2:
                out = (w[2], 0.0, w[0], w[1], 0.0)
            else:
                out = (w[1], w[2], 0.0, w[0], 0.0)
    return out


@subroutine
def reduce_simplex(S: Floats, n: int, weight: Floats) -> int:
    """Keeps the corners that carry the nearest point, with their weights. Returns how many; 5 for the origin inside."""
    if n == 1:
        weight[0] = 1.0
        return 1
    if n == 2:
        w2 = nearest_on_segment(row3(S, 0), row3(S, 1))
        weight[0], weight[1] = w2[0], w2[1]
    elif n == 3:
        w3 = nearest_on_triangle(row3(S, 0), row3(S, 1), row3(S, 2))
        weight[0], weight[1], weight[2] = w3[0], w3[1], w3[2]
    else:
        w4 = nearest_on_tetrahedron(row3(S, 0), row3(S, 1), row3(S, 2), row3(S, 3))
        if w4[4] > 0.0:
            return 5
        weight[0], weight[1], weight[2], weight[3] = w4[0], w4[1], w4[2], w4[3]
    kept = 0
    for k in range(n):
        if weight[k] > 0.0:
            if kept < k:
                weight[kept] = weight[k]
                for c in range(9):
                    S[kept, c] = S[k, c]
            kept += 1
    return kept
