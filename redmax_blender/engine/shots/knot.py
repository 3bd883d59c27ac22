"""An overhand knot as a curve, and how to tell that a curve is knotted."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

Floats = NDArray[np.float64]

_HALF = (
    (0.0, -1.209, 0.0), (-0.63, -1.082, 0.626), (-1.23, -0.689, 1.163), (-1.732, -0.023, 1.479),
    (-1.994, 0.818, 1.399), (-1.856, 1.505, 0.866), (-1.363, 1.76, 0.174), (-0.669, 1.605, -0.364),
    (0.099, 1.209, -0.592), (0.885, 0.778, -0.534), (1.698, 0.435, -0.362), (2.561, 0.216, -0.233),
    (3.447, 0.082, -0.149), (4.341, 0.0, -0.096),
)  # fmt: skip
"""Every 0.9 along the second half of an overhand knot: an elastic rope of diameter 1.15, pulled at both ends until it
lies on itself, found by minimising its energy of bending. Half a turn about y takes one half to the other."""
_EVERY = 0.9
CLEARANCE = 1.14
"""Least distance of the curve from itself, but for neighbouring points."""
REACH = 11.7
"""The knot spans so much of the curve to both sides of its middle; the rest is straight."""


@cache
def _spline() -> CubicSpline:
    half = np.array(_HALF)
    points = np.concatenate([half[:0:-1] * [-1.0, 1.0, -1.0], half])
    count = len(half) - 1
    return CubicSpline(_EVERY * np.arange(-count, count + 1), points, bc_type="natural")


@cache
def _lengths() -> tuple[Floats, Floats]:
    """Parameters of the spline, and the length of the curve from its middle to there."""
    spline = _spline()
    u = np.linspace(spline.x[0], spline.x[-1], 2001)
    speed = np.linalg.norm(spline(u, 1), axis=1)
    s = np.concatenate([[0.0], np.cumsum(0.5 * np.diff(u) * (speed[1:] + speed[:-1]))])
    return u, s - s[len(s) // 2]


def knot(s: Floats) -> tuple[Floats, Floats]:
    """Points and unit tangents of the knot at lengths from its middle, shape (n, 3) each."""
    u, length = _lengths()
    spline = _spline()
    inside = np.clip(s, length[0], length[-1])
    at = np.interp(inside, length, u)
    tangent = spline(at, 1)
    tangent /= np.linalg.norm(tangent, axis=1)[:, None]
    return spline(at) + (s - inside)[:, None] * tangent, tangent


def determinant(points: Floats, view: tuple[float, float, float] = (0.21, 0.34, 0.92)) -> int:
    """Of the knot in an open curve whose ends go on straight for ever: 1 where there is none, 3 for an overhand knot.

    It is the determinant of the equations of Fox's colouring: at every crossing twice the arc above is the sum of the
    two arcs below. view: direction from which crossings are seen.
    """
    far = 100.0 * np.ptp(points, axis=0).max()
    first, last = points[0] - points[1], points[-1] - points[-2]
    ends = [points[0] + far * first / np.linalg.norm(first), points[-1] + far * last / np.linalg.norm(last)]
    p = np.concatenate([[ends[0]], points, [ends[1]]])
    z = np.array(view) / np.linalg.norm(view)
    x = np.cross([0.0, 1.0, 0.0], z)
    x /= np.linalg.norm(x)
    flat, height = p @ np.stack([x, np.cross(z, x)], axis=1), p @ z
    a, d = flat[:-1], np.diff(flat, axis=0)
    i, j = np.triu_indices(len(a), 2)
    e = a[j] - a[i]
    area = d[i, 0] * d[j, 1] - d[i, 1] * d[j, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        u = (e[:, 0] * d[j, 1] - e[:, 1] * d[j, 0]) / area
        v = (e[:, 0] * d[i, 1] - e[:, 1] * d[i, 0]) / area
    size = np.linalg.norm(d, axis=1)
    parallel = np.abs(area) <= 1e-9 * size[i] * size[j]
    crossing = (u >= 0.0) & (u < 1.0) & (v >= 0.0) & (v < 1.0) & ~parallel
    i, j, u, v = i[crossing], j[crossing], u[crossing], v[crossing]
    above = height[i] + u * np.diff(height)[i] > height[j] + v * np.diff(height)[j]
    over, under = np.where(above, i + u, j + v), np.where(above, j + v, i + u)
    under_order = np.sort(under)
    n = len(under)
    if n == 0:
        return 1
    equations = np.zeros((n, n + 1))
    for row, (o, w) in enumerate(zip(over, under, strict=True)):
        arc = int(np.searchsorted(under_order, w))
        equations[row, np.searchsorted(under_order, o)] += 2.0
        equations[row, arc] -= 1.0
        equations[row, arc + 1] -= 1.0
    # the first and the last arc meet at infinity; one arc and one equation are redundant
    equations[:, 0] += equations[:, n]
    return int(round(abs(np.linalg.det(equations[1:, 1:n])))) if n > 1 else 1
