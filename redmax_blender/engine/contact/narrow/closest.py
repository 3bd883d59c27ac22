"""Pairs of solids with a formula of their own: round ones, a point and a box, two boxes. In the frame of the first."""

from __future__ import annotations

import math

from ...algebra.arrays import Floats
from ...algebra.spatial import Tuple, unrotate
from ...jit.decorators import subroutine
from ..vectors import dot, norm, sub


@subroutine
def segments(half_a: float, half_b: float, E: Tuple) -> tuple[Tuple, Tuple]:
    """Nearest points of two segments along z, the second at the pose E; of parallel ones, in the middle."""
    d = (E[2], E[5], E[8])  # direction of b
    o = (E[9], E[10], E[11])
    # a = s z, b = o + t d; minimise |a - b|² over s in [-ha, ha], t in [-hb, hb]
    k = d[2]
    across = 1.0 - k * k
    if across > 1e-12:
        s = (o[2] - k * dot(d, o)) / across
        s = min(max(s, -half_a), half_a)
    else:
        low, high = max(-half_a, o[2] - half_b), min(half_a, o[2] + half_b)
        s = min(max(0.5 * (low + high), -half_a), half_a)
    t = min(max(k * s - dot(d, o), -half_b), half_b)
    s = min(max(o[2] + t * k, -half_a), half_a)
    return (0.0, 0.0, s), (o[0] + t * d[0], o[1] + t * d[1], o[2] + t * d[2])


@subroutine
def point_in_box(x: Tuple, a: float, b: float, c: float) -> tuple[float, Tuple, Tuple]:
    """Signed distance of a point from a box, the direction out of it, and the nearest point of its surface."""
    p = (min(max(x[0], -a), a), min(max(x[1], -b), b), min(max(x[2], -c), c))
    e = sub(x, p)
    d = norm(e)
    if d > 0.0:
        return d, (e[0] / d, e[1] / d, e[2] / d), p
    gx, gy, gz = abs(x[0]) - a, abs(x[1]) - b, abs(x[2]) - c
    if gx >= gy and gx >= gz:
        s = 1.0 if x[0] >= 0.0 else -1.0
        return gx, (s, 0.0, 0.0), (s * a, x[1], x[2])
    if gy >= gz:
        s = 1.0 if x[1] >= 0.0 else -1.0
        return gy, (0.0, s, 0.0), (x[0], s * b, x[2])
    s = 1.0 if x[2] >= 0.0 else -1.0
    return gz, (0.0, 0.0, s), (x[0], x[1], s * c)


@subroutine
def box_axes(size: Floats, i: int, j: int, E: Tuple) -> tuple[float, int, Tuple]:
    """Largest separation of two boxes along the normals of their faces and the products of their edges.

    Returns it [m], which axis it is (0-2 and 3-5 the faces of the first and second, 6 an edge with an edge), and the
    direction in which the first is pushed. An edge must win clearly, so that the choice does not flicker.
    """
    a0, a1, a2 = size[i, 0], size[i, 1], size[i, 2]
    b0, b1, b2 = size[j, 0], size[j, 1], size[j, 2]
    p = (E[9], E[10], E[11])
    q = unrotate(E, p)
    best = -math.inf
    axis = 0
    sign = 1.0
    for k in range(3):
        ra = a0 if k == 0 else (a1 if k == 1 else a2)
        rb = abs(E[3 * k]) * b0 + abs(E[3 * k + 1]) * b1 + abs(E[3 * k + 2]) * b2
        s = abs(p[k]) - ra - rb
        if s > best:
            best = s
            axis = k
            sign = -1.0 if p[k] >= 0.0 else 1.0
    for k in range(3):
        rb = b0 if k == 0 else (b1 if k == 1 else b2)
        ra = abs(E[k]) * a0 + abs(E[3 + k]) * a1 + abs(E[6 + k]) * a2
        s = abs(q[k]) - ra - rb
        if s > best + 1e-9 * (ra + rb):
            best = s
            axis = 3 + k
            sign = -1.0 if q[k] >= 0.0 else 1.0
    bias = 1e-6 * (a0 + a1 + a2 + b0 + b1 + b2)
    edge = best
    for u in range(3):
        for v in range(3):
            # Axis e_u x (column v of R), in the frame of a.
            u1, u2 = (u + 1) % 3, (u + 2) % 3
            c1, c2 = E[3 * u1 + v], E[3 * u2 + v]
            length = math.sqrt(c1 * c1 + c2 * c2)
            if length < 1e-6:
                continue
            l1, l2 = -c2 / length, c1 / length
            ra = abs(l1) * (a1 if u1 == 1 else (a2 if u1 == 2 else a0))
            ra += abs(l2) * (a1 if u2 == 1 else (a2 if u2 == 2 else a0))
            rb = 0.0
            for w in range(3):
                b = b0 if w == 0 else (b1 if w == 1 else b2)
                rb += b * abs(l1 * E[3 * u1 + w] + l2 * E[3 * u2 + w])
            s = abs(l1 * p[u1] + l2 * p[u2]) - ra - rb
            if s > edge + bias:
                edge = s
                axis = 6
    if axis == 6:
        return edge, 6, (0.0, 0.0, 0.0)
    if axis < 3:
        return (
            best,
            axis,
            (sign if axis == 0 else 0.0, sign if axis == 1 else 0.0, sign if axis == 2 else 0.0),
        )
    k = axis - 3
    return best, axis, (sign * E[k], sign * E[3 + k], sign * E[6 + k])
