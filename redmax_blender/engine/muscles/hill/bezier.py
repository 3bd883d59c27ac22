"""Smooth curves y(x) of quintic Bezier segments, continuous to the second derivative, straight beyond their ends.

A curve is one row of numbers, so that kernels take those of all muscles in one array: the number of segments, then x,
y and slope at both ends, then twelve control points a segment, six of x and six of y. A segment's x is monotone in
its parameter u; a value at x is found by Newton's method on x(u) = x.
"""

from __future__ import annotations

import numpy as np

from ...jit.decorators import njit, subroutine
from ...model.records import Floats

HEAD = 7
"""Numbers before the control points: count, x, y, slope at the first end, and at the last."""
SEGMENTS = 5
"""Most segments of a curve."""
WIDTH = HEAD + 12 * SEGMENTS
"""Numbers of a curve."""
_SETTLED = 1e-8
"""A Newton step in u after which the next would be below rounding, as they shrink quadratically."""
_ITERATIONS = 60
"""Newton needs about six; halving the bracket, should it ever have to, ends within this."""


def corner(
    start: tuple[float, float, float], end: tuple[float, float, float], curviness: float
) -> list[float]:
    """Control points of a segment between two (x, y, slope): x of all six, then y.

    The middle ones lie on the end tangents, `curviness` (0 to 1) of the way to where these meet: at 1 the curve hugs
    the corner.
    """
    (x0, y0, s0), (x1, y1, s1) = start, end
    xc = 0.5 * (x0 + x1) if abs(s0 - s1) < 1.5e-8 else (y1 - y0 - x1 * s1 + x0 * s0) / (s0 - s1)
    yc = (xc - x1) * s1 + y1
    xa, xb = x0 + curviness * (xc - x0), x1 + curviness * (xc - x1)
    ya, yb = y0 + curviness * (yc - y0), y1 + curviness * (yc - y1)
    return [x0, xa, xa, xb, xb, x1, y0, ya, ya, yb, yb, y1]


def curve(knots: list[tuple[float, float, float]], curviness: float | list[float]) -> Floats:
    """The curve through (x, y, slope) with x increasing, one curviness for all or one a segment; shape (WIDTH,)."""
    n = len(knots) - 1
    each = curviness if isinstance(curviness, list) else [curviness] * n
    row: Floats = np.zeros(WIDTH)
    row[0] = n
    row[1:4], row[4:7] = knots[0], knots[-1]
    for i in range(n):
        row[HEAD + 12 * i : HEAD + 12 * (i + 1)] = corner(knots[i], knots[i + 1], each[i])
    return row


@subroutine
def bezier(curves: Floats, at: int, x: float) -> tuple[float, float]:
    """Value and slope of curve number `at` of an array of shape (n, WIDTH)."""
    n = int(curves[at, 0])
    if not x > curves[at, 1]:
        return curves[at, 2] + curves[at, 3] * (x - curves[at, 1]), curves[at, 3]
    if x >= curves[at, 4]:
        return curves[at, 5] + curves[at, 6] * (x - curves[at, 4]), curves[at, 6]
    k = HEAD
    for _ in range(n - 1):
        if x < curves[at, k + 5]:
            break
        k += 12
    x0, x5 = curves[at, k], curves[at, k + 5]
    low, high = 0.0, 1.0
    u = (x - x0) / (x5 - x0)
    slope = x5 - x0
    for _ in range(_ITERATIONS):
        w = 1.0 - u
        w2, u2 = w * w, u * u
        a, b, c = curves[at, k + 1], curves[at, k + 2], curves[at, k + 3]
        d = curves[at, k + 4]
        value = (
            x0 * w2 * w2 * w + 5.0 * a * u * w2 * w2 + 10.0 * b * u2 * w2 * w + 10.0 * c * u2 * u * w2
            + 5.0 * d * u2 * u2 * w + x5 * u2 * u2 * u
        )  # fmt: skip
        slope = 5.0 * (
            (a - x0) * w2 * w2 + 4.0 * (b - a) * u * w2 * w + 6.0 * (c - b) * u2 * w2
            + 4.0 * (d - c) * u2 * u * w + (x5 - d) * u2 * u2
        )  # fmt: skip
        miss = value - x
        if miss > 0.0:
            high = u
        else:
            low = u
        after = u - miss / slope
        if abs(after - u) <= _SETTLED:
            u = after
            break
        u = after if low < after < high else 0.5 * (low + high)
    w = 1.0 - u
    w2, u2 = w * w, u * u
    k += 6
    y0, a, b, c = curves[at, k], curves[at, k + 1], curves[at, k + 2], curves[at, k + 3]
    d, y5 = curves[at, k + 4], curves[at, k + 5]
    y = (
        y0 * w2 * w2 * w + 5.0 * a * u * w2 * w2 + 10.0 * b * u2 * w2 * w + 10.0 * c * u2 * u * w2
        + 5.0 * d * u2 * u2 * w + y5 * u2 * u2 * u
    )  # fmt: skip
    rise = 5.0 * (
        (a - y0) * w2 * w2 + 4.0 * (b - a) * u * w2 * w + 6.0 * (c - b) * u2 * w2
        + 4.0 * (d - c) * u2 * u * w + (y5 - d) * u2 * u2
    )  # fmt: skip
    return y, rise / slope


@njit
def _values(curves: Floats, at: int, x: Floats, out: Floats) -> None:
    for i in range(len(x)):
        out[i, 0], out[i, 1] = bezier(curves, at, x[i])


def evaluate_curve(row: Floats, x: Floats) -> Floats:
    """Value and slope of one curve at each x, shape (n, 2)."""
    out: Floats = np.empty((len(x), 2))
    _values(row[None], 0, np.ascontiguousarray(x, float), out)
    return out
