"""The smooth curve of a tube: a cubic spline through nodes, linear in them, and where two stretches come nearest.

A span between two nodes is a Hermite cubic. Its end tangents are those of the parabola through three nodes, with the
lengths of the bones between them, which never change; so unequal bones make no loops.
"""

from __future__ import annotations

from ...algebra.arrays import Floats, Ints
from ...algebra.spatial import Tuple
from ...jit.decorators import subroutine
from ..vectors import dot, row3, sub

_GRID = 4
"""Each span is first looked at in this many pieces."""
_MOST = 40
"""Newton's steps; a few are enough unless an end is in the way."""


@subroutine
def tangent(X: Floats, length: Floats, ends: Ints, k: int) -> Tuple:
    """dX/ds at node k, per metre of bone. Node k is the first (1) or last (2) of its tube where `ends` say so, and
    length[k] is that of the bone from k to k + 1."""
    if ends[k] == 1:
        d = sub(row3(X, k + 1), row3(X, k))
        return (d[0] / length[k], d[1] / length[k], d[2] / length[k])
    if ends[k] == 2:
        d = sub(row3(X, k), row3(X, k - 1))
        return (d[0] / length[k - 1], d[1] / length[k - 1], d[2] / length[k - 1])
    a, b = length[k - 1], length[k]
    f, g = a / (b * (a + b)), b / (a * (a + b))
    return (
        f * (X[k + 1, 0] - X[k, 0]) + g * (X[k, 0] - X[k - 1, 0]),
        f * (X[k + 1, 1] - X[k, 1]) + g * (X[k, 1] - X[k - 1, 1]),
        f * (X[k + 1, 2] - X[k, 2]) + g * (X[k, 2] - X[k - 1, 2]),
    )


@subroutine
def load_span(X: Floats, length: Floats, ends: Ints, k: int, C: Floats, o: int) -> None:
    """Coefficients of span k in rows o to o + 3 of C: x(s) = C0 + s C1 + s² C2 + s³ C3, s from 0 to 1."""
    p, q = row3(X, k), row3(X, k + 1)
    u, w = tangent(X, length, ends, k), tangent(X, length, ends, k + 1)
    for c in range(3):
        a, b = u[c] * length[k], w[c] * length[k]
        C[o, c] = p[c]
        C[o + 1, c] = a
        C[o + 2, c] = 3.0 * (q[c] - p[c]) - 2.0 * a - b
        C[o + 3, c] = 2.0 * (p[c] - q[c]) + a + b


@subroutine
def on_span(C: Floats, o: int, s: float) -> Tuple:
    return (
        C[o, 0] + s * (C[o + 1, 0] + s * (C[o + 2, 0] + s * C[o + 3, 0])),
        C[o, 1] + s * (C[o + 1, 1] + s * (C[o + 2, 1] + s * C[o + 3, 1])),
        C[o, 2] + s * (C[o + 1, 2] + s * (C[o + 2, 2] + s * C[o + 3, 2])),
    )


@subroutine
def along_span(C: Floats, o: int, s: float) -> Tuple:
    """dx/ds."""
    return (
        C[o + 1, 0] + s * (2.0 * C[o + 2, 0] + s * 3.0 * C[o + 3, 0]),
        C[o + 1, 1] + s * (2.0 * C[o + 2, 1] + s * 3.0 * C[o + 3, 1]),
        C[o + 1, 2] + s * (2.0 * C[o + 2, 2] + s * 3.0 * C[o + 3, 2]),
    )


@subroutine
def _bend(C: Floats, o: int, s: float) -> Tuple:
    """d²x/ds²."""
    return (
        2.0 * C[o + 2, 0] + 6.0 * s * C[o + 3, 0],
        2.0 * C[o + 2, 1] + 6.0 * s * C[o + 3, 1],
        2.0 * C[o + 2, 2] + 6.0 * s * C[o + 3, 2],
    )


@subroutine
def _descend(C: Floats, s: float, t: float, best: float) -> tuple[float, float, float]:
    """Newton's method from s and t, at which the distance squared is `best`, to the bottom of their valley.

    A parameter at an end of its span stays there while the way on leads out.
    """
    for _ in range(_MOST):
        d = sub(on_span(C, 0, s), on_span(C, 4, t))
        a, b = along_span(C, 0, s), along_span(C, 4, t)
        gs, gt = dot(d, a), -dot(d, b)
        hs, ht, hm = dot(a, a), dot(b, b), -dot(a, b)
        fs, ft = hs + dot(d, _bend(C, 0, s)), ht - dot(d, _bend(C, 4, t))
        if fs > 0.0 and fs * ft - hm * hm > 1e-6 * fs * ft:
            hs, ht = fs, ft
        else:  # Gauss and Newton's matrix, lifted where the two run along each other
            hs, ht = hs * (1.0 + 1e-3), ht * (1.0 + 1e-3)
        fixed_s = (s <= 0.0 and gs > 0.0) or (s >= 1.0 and gs < 0.0)
        fixed_t = (t <= 0.0 and gt > 0.0) or (t >= 1.0 and gt < 0.0)
        ds, dt = 0.0, 0.0
        if not fixed_s and not fixed_t:
            det = hs * ht - hm * hm
            ds, dt = (hm * gt - ht * gs) / det, (hm * gs - hs * gt) / det
        elif not fixed_s:
            ds = -gs / hs
        elif not fixed_t:
            dt = -gt / ht
        better = False
        for way in range(3):  # both at once; where an end is in the way, one after the other
            if way > 0:
                ds = 0.0 if way == 2 or fixed_s else -gs / hs
                dt = 0.0 if way == 1 or fixed_t else -gt / ht
            step = 1.0
            for _half in range(8):
                u, w = min(max(s + step * ds, 0.0), 1.0), min(max(t + step * dt, 0.0), 1.0)
                e = sub(on_span(C, 0, u), on_span(C, 4, w))
                if best - dot(e, e) > 1e-14 * best:
                    best, s, t = dot(e, e), u, w
                    better = True
                    break
                step *= 0.5
            if better:
                break
        if not better:
            break
    return s, t, best


@subroutine
def nearest_on_spans(C: Floats) -> tuple[float, float, float]:
    """Parameters of the nearest points of the spans in rows 0 and 4 of C, within the spans, and the distance squared.

    Strands that run along each other may come near twice: the search begins at the best two places of a coarse grid.
    """
    best, first_i, first_j = 1e300, 0, 0
    for i in range(_GRID + 1):
        a = on_span(C, 0, i / _GRID)
        for j in range(_GRID + 1):
            d = sub(a, on_span(C, 4, j / _GRID))
            if dot(d, d) < best:
                best, first_i, first_j = dot(d, d), i, j
    other, second_i, second_j = 1e300, 0, 0
    for i in range(_GRID + 1):
        a = on_span(C, 0, i / _GRID)
        for j in range(_GRID + 1):
            if abs(i - first_i) + abs(j - first_j) > 2:
                d = sub(a, on_span(C, 4, j / _GRID))
                if dot(d, d) < other:
                    other, second_i, second_j = dot(d, d), i, j
    s, t, d2 = _descend(C, first_i / _GRID, first_j / _GRID, best)
    if other < 1.5 * best:
        u, w, e2 = _descend(C, second_i / _GRID, second_j / _GRID, other)
        if e2 < d2:
            return u, w, e2
    return s, t, d2
