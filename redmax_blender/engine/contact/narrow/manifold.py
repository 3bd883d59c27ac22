"""From one pair of nearest points to the few that carry a face: clipping, and a choice of four."""

from __future__ import annotations

import math

from ...algebra.arrays import Floats
from ...algebra.spatial import ZERO3, Tuple, cross
from ...jit.decorators import subroutine
from ..vectors import along, dot, norm, row3, sub

ROOM = 96
"""Rows of the scratch arrays: polygons have at most this many corners less a margin for clipping."""
LARGEST_FACE = 40
"""Faces with more corners are thinned out when a scene is compiled."""
_HIGHER = 2.0
"""How much farther out, in its own height above the deepest, a point has to be to carry as well."""
_PARALLEL = 0.05
"""Sine of the angle up to which edges are parallel."""
_BESIDE = 0.1
"""And how far rounded ones may part sideways along the stretch that they share, as a fraction of the distance between
their cores: there they are half a hundredth of it farther apart. What touches in one point would jump from end to end
of such a stretch when they rock by next to nothing, from step to step."""


@subroutine
def _clip(poly: Floats, n: int, other: Floats, origin: Tuple, inward: Tuple, edge: int) -> int:
    """The part of a polygon (or segment) on the inner side of a plane, from `poly` to `other`; column 3 says which
    corner it is, or from which corner and edge a new one came."""
    m = 0
    closed = n > 2
    for k in range(n):
        following = (k + 1) % n
        a, b = row3(poly, k), row3(poly, following)
        da, db = dot(inward, sub(a, origin)), dot(inward, sub(b, origin))
        if da >= 0.0:
            for c in range(4):
                other[m, c] = poly[k, c]
            m += 1
        if (closed or k == 0) and ((da > 0.0 and db < 0.0) or (da < 0.0 and db > 0.0)):
            x = along(a, da / (da - db), sub(b, a))
            other[m, 0], other[m, 1], other[m, 2] = x[0], x[1], x[2]
            other[m, 3] = 64.0 + (poly[k, 3] * 61.0 + edge * 7.0) % 4001.0
            m += 1
    return m


@subroutine
def clip_features(
    P: Floats, np_: int, Q: Floats, nq: int, n: Tuple, d: float, spare: Floats, M: Floats
) -> int:
    """Points of contact of the features P of a and Q of b, which face each other along n (from b to a).

    d: distance between their cores where both are round, else zero.

    Writes rows of M: the point on a, the point on b, their distance along n, and a number for the feature. Returns
    how many; 0 where the features do not lie over each other, or where a corner or crossing edges touch.
    """
    if np_ < 2 or nq < 2:
        return 0
    if np_ == 2 and nq == 2:
        return _parallel(P, Q, n, d, M)
    a_is_base = np_ >= 3
    base, nb = (P, np_) if a_is_base else (Q, nq)
    moved, nm = (Q, nq) if a_is_base else (P, np_)
    middle: Tuple = ZERO3
    for k in range(nb):
        middle = along(middle, 1.0 / nb, row3(base, k))
    current, other = moved, spare
    plane: Tuple = ZERO3
    for k in range(nb):
        a, b = row3(base, k), row3(base, (k + 1) % nb)
        plane = along(plane, 1.0, cross(sub(a, middle), sub(b, middle)))
        inward = cross(n, sub(b, a))
        if dot(inward, sub(middle, a)) < 0.0:
            inward = (-inward[0], -inward[1], -inward[2])
        nm = _clip(current, nm, other, a, inward, k)
        if nm == 0:
            return 0
        current, other = other, current
    slope = dot(plane, n)
    count = 0
    for k in range(nm):
        x = row3(current, k)
        t = dot(plane, sub(middle, x)) / slope
        y = along(x, t, n)  # on the base's plane
        pa, pb = (y, x) if a_is_base else (x, y)
        for c in range(3):
            M[count, c], M[count, 3 + c] = pa[c], pb[c]
        M[count, 6] = dot(n, sub(pa, pb))
        M[count, 7] = current[k, 3]
        count += 1
    return count


@subroutine
def _parallel(P: Floats, Q: Floats, n: Tuple, d: float, M: Floats) -> int:
    """Both ends of the stretch along which two nearly parallel segments lie beside each other."""
    a0, a1, b0, b1 = row3(P, 0), row3(P, 1), row3(Q, 0), row3(Q, 1)
    u, v = sub(a1, a0), sub(b1, b0)
    lu, lv = norm(u), norm(v)
    if lu < 1e-12 or lv < 1e-12:
        return 0
    sine = norm(cross(u, v)) / (lu * lv)
    if sine > _PARALLEL and sine * min(lu, lv) > _BESIDE * d:
        return 0
    # In the plane across n only: the height is what is asked for.
    nu = dot(n, u)
    flat = (u[0] - nu * n[0], u[1] - nu * n[1], u[2] - nu * n[2])
    ff = dot(flat, flat)
    if ff < 0.25 * lu * lu:
        return 0
    t0, t1 = dot(flat, sub(b0, a0)) / ff, dot(flat, sub(b1, a0)) / ff
    if abs(t1 - t0) < 1e-12:
        return 0
    low, high = max(min(t0, t1), 0.0), min(max(t0, t1), 1.0)
    if high - low < 1e-9:
        return 0
    for k in range(2):
        t = low if k == 0 else high
        s = (t - t0) / (t1 - t0)
        pa, pb = along(a0, t, u), along(b0, s, v)
        for c in range(3):
            M[k, c], M[k, 3 + c] = pa[c], pb[c]
        M[k, 6] = dot(n, sub(pa, pb))
        M[k, 7] = 9000.0 + k
    return 2


@subroutine
def four(M: Floats, count: int, n: Tuple, keep: float) -> int:
    """Thins the rows of M out to at most four that carry as well as all: the deepest, then those that span the largest
    area, where one that is higher has to reach twice as much farther out: in a step that is long for a small box, its
    upper corners are near the ground, too. Rows with a distance above `keep` go first. The order is kept."""
    m = 0
    for k in range(count):
        if M[k, 6] <= keep:
            if m < k:
                for c in range(8):
                    M[m, c] = M[k, c]
            m += 1
    if m <= 4:
        return m
    # The deepest, and of those that are as deep the one farthest out.
    middle: Tuple = ZERO3
    least = M[0, 6]
    for k in range(m):
        middle = along(middle, 1.0 / m, row3(M, k))
        least = min(least, M[k, 6])
    spread = 0.0
    for k in range(m):
        d = sub(row3(M, k), middle)
        spread = max(spread, dot(d, d))
    p0, best = 0, -1.0
    for k in range(m):
        d = sub(row3(M, k), middle)
        s = dot(d, d)
        if M[k, 6] <= least + 1e-3 * math.sqrt(spread) and s > best * (1.0 + 1e-9):
            p0, best = k, s
    x0 = row3(M, p0)
    p1, best = -1, -math.inf
    for k in range(m):
        d = sub(row3(M, k), x0)
        h = dot(n, d)
        up = _HIGHER * (M[k, 6] - least)
        s = dot(d, d) - h * h - up * up
        if k != p0 and (p1 < 0 or s > best + 1e-9 * abs(best)):
            p1, best = k, s
    side = cross(n, sub(row3(M, p1), x0))
    long = norm(side)
    p2, p3 = -1, -1
    most, lowest = 0.0, 0.0
    for k in range(m):
        s = dot(side, sub(row3(M, k), x0))
        up = _HIGHER * long * (M[k, 6] - least)
        s = max(s - up, 0.0) if s > 0.0 else min(s + up, 0.0)
        if k != p0 and k != p1:
            if s > most * (1.0 + 1e-9):
                p2, most = k, s
            if s < lowest * (1.0 + 1e-9):
                p3, lowest = k, s
    if p3 < 0 or p2 < 0:
        # All on one side of the first two: the fourth is the one that adds the largest triangle beyond the third.
        p = p2 if p2 >= 0 else p3
        if p < 0:
            p2, p3 = -1, -1
        else:
            p2 = p
            p3, best = -1, 0.0
            for k in range(m):
                if k != p0 and k != p1 and k != p2:
                    area = _outside(M, p0, p1, p2, k, n)
                    if area > best:
                        p3, best = k, area
    kept = 0
    for k in range(m):
        if k in (p0, p1, p2, p3):
            if kept < k:
                for c in range(8):
                    M[kept, c] = M[k, c]
            kept += 1
    return kept


@subroutine
def _outside(M: Floats, p: int, q: int, r: int, k: int, n: Tuple) -> float:
    """Largest area that point k adds beyond an edge of the triangle p, q, r."""
    best = 0.0
    x = row3(M, k)
    for e in range(3):
        a = row3(M, p if e == 0 else (q if e == 1 else r))
        b = row3(M, q if e == 0 else (r if e == 1 else p))
        c = row3(M, r if e == 0 else (p if e == 1 else q))
        edge = sub(b, a)
        inner = dot(n, cross(edge, sub(c, a)))
        outer = dot(n, cross(edge, sub(x, a)))
        if inner * outer < 0.0:
            best = max(best, abs(outer))
    return best
