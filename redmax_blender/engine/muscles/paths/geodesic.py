"""Geodesics: where one ends that begins at a point in a direction, and how the end moves with both.

If the beginning is shifted by β to the side and the direction turned by φ, the end is shifted to the side by
y = a β + r φ, where y'' + K y = 0 along the curve: a(0) = 1, a'(0) = 0, r(0) = 0, r'(0) = 1 (Jacobi fields). Cylinder,
sphere and capsule have all of it in closed form; ellipsoid and torus are integrated by Dormand and Prince's method of
order 8.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.integrate._ivp import dop853_coefficients as _dop

from ...jit.decorators import inline, njit, subroutine
from .surfaces import CAPSULE, CYLINDER, SPHERE, gauss, normal, second, sharpest
from .vectors import axpy, blend, scaled, unit

Tuple = Any

_STAGES = 12
_A = np.ascontiguousarray(_dop.A[:_STAGES, :_STAGES])
_B = np.ascontiguousarray(_dop.B)
_TURN = 0.2
"""Angle that a geodesic may turn in a step of integration [rad]: the length is then good to 1e-13 of it."""


@inline
def _rotate(R: float, n: Tuple, t: Tuple, angle: float) -> tuple[Tuple, Tuple]:
    """Normal and direction after an angle along a great circle."""
    c, s = math.cos(angle), math.sin(angle)
    return blend(c, n, s, t), blend(c, t, -s, n)


@inline
def _helix(size: Tuple, p: Tuple, t: Tuple, s: float) -> tuple[Tuple, Tuple]:
    along = (p[0] * t[1] - p[1] * t[0]) / (size[0] * size[0])  # angle for each metre of arc
    c, w = math.cos(along * s), math.sin(along * s)
    q = (c * p[0] - w * p[1], w * p[0] + c * p[1], p[2] + s * t[2])
    return q, (c * t[0] - w * t[1], w * t[0] + c * t[1], t[2])


@subroutine
def _capsule(size: Tuple, p: Tuple, t: Tuple, s: float) -> Tuple:
    """Helices on the shaft and great circles on the caps in turn; also backwards (s < 0)."""
    sign = 1.0 if s >= 0.0 else -1.0
    left = abs(s)
    radius = size[0]
    ahead = p[2] + 1e-12 * radius * sign * t[2]
    region = 1 if ahead > 0.0 else (-1 if ahead < -size[1] else 0)
    a, da, r, dr = 1.0, 0.0, 0.0, 1.0
    for _ in range(64):
        if region == 0:
            slope = sign * t[2]
            room = math.inf
            if slope > 0.0:
                room = max(0.0, -p[2]) / slope
            elif slope < 0.0:
                room = max(0.0, p[2] + size[1]) / -slope
            step = min(left, room)
            p, t = _helix(size, p, t, sign * step)
            a, r = a + sign * step * da, r + sign * step * dr
            if room <= left:
                region = 1 if slope > 0.0 else -1
        else:
            centre = (0.0, 0.0, 0.0 if region > 0 else -size[1])
            n = unit(axpy(-1.0, centre, p))
            up, climb = region * n[2], region * sign * t[2]
            angle = math.atan2(up, -climb)  # of the way to the rim, which is where up cos + climb sin = 0
            if angle < 0.0:  # begun a hair below the rim
                angle = angle + 2.0 * math.pi if climb > 0.0 else 0.0
            room = radius * angle
            step = min(left, room)
            turn = sign * step / radius
            n, t = _rotate(radius, n, t, turn)
            p = axpy(radius, n, centre)
            c, w = math.cos(turn), math.sin(turn)
            a, da = c * a + radius * w * da, c * da - w / radius * a
            r, dr = c * r + radius * w * dr, c * dr - w / radius * r
            if room <= left:
                region = 0
        left -= step
        if left <= 0.0:
            break
    return p, t, a, da, r, dr


@inline
def _slopes(kind: int, size: Tuple, y: Any, k: Any) -> None:
    p, v = (y[0], y[1], y[2]), (y[3], y[4], y[5])
    n = normal(kind, size, p)
    bend = second(kind, size, p, v, v)
    K = gauss(kind, size, p)
    for i in range(3):
        k[i] = v[i]
        k[3 + i] = bend * n[i]
    k[6], k[7] = y[7], -K * y[6]
    k[8], k[9] = y[9], -K * y[8]


@subroutine
def _integrated(kind: int, size: Tuple, p: Tuple, t: Tuple, s: float) -> Tuple:
    steps = int(abs(s) * sharpest(kind, size) / _TURN) + 1
    h = s / steps
    y, z = np.empty(10), np.empty(10)
    k = np.empty((_STAGES, 10))
    for i in range(3):
        y[i], y[3 + i] = p[i], t[i]
    y[6], y[7], y[8], y[9] = 1.0, 0.0, 0.0, 1.0
    for _ in range(steps):
        for stage in range(_STAGES):
            for i in range(10):
                total = 0.0
                for j in range(stage):
                    total += _A[stage, j] * k[j, i]
                z[i] = y[i] + h * total
            _slopes(kind, size, z, k[stage])
        for i in range(10):
            total = 0.0
            for j in range(_STAGES):
                total += _B[j] * k[j, i]
            y[i] += h * total
    q, v = (y[0], y[1], y[2]), (y[3], y[4], y[5])
    return q, unit(v), y[6], y[7], y[8], y[9]


@subroutine
def travel(kind: int, size: Tuple, p: Tuple, t: Tuple, s: float) -> Tuple:
    """Follow the geodesic from p along t over the arc length s [m]: (point, direction, a, a', r, r')."""
    if kind == CYLINDER:
        q, v = _helix(size, p, t, s)
        return q, v, 1.0, 0.0, s, 1.0
    if kind == SPHERE:
        n, v = _rotate(size[0], scaled(1.0 / size[0], p), t, s / size[0])
        c, w = math.cos(s / size[0]), math.sin(s / size[0])
        return scaled(size[0], n), v, c, -w / size[0], size[0] * w, c
    if kind == CAPSULE:
        return _capsule(size, p, t, s)
    return _integrated(kind, size, p, t, s)


@njit
def follow(kind: int, size: Any, p: Any, t: Any, lengths: Any, out: Any) -> None:
    """Points and directions at arc lengths from (p, t) on, and a and r there: rows of eight."""
    S, P, T = (size[0], size[1], size[2]), (p[0], p[1], p[2]), (t[0], t[1], t[2])
    for i in range(len(lengths)):
        q, v, a, _, r, _ = travel(kind, S, P, T, lengths[i])
        for j in range(3):
            out[i, j], out[i, 3 + j] = q[j], v[j]
        out[i, 6], out[i, 7] = a, r


@njit
def bending(kind: int, size: Any, p: Any, t: Any) -> Any:
    """II(t, t) at a point [1/m]."""
    S, T = (size[0], size[1], size[2]), (t[0], t[1], t[2])
    return second(kind, S, (p[0], p[1], p[2]), T, T)


@njit
def upright(kind: int, size: Any, p: Any, out: Any) -> None:
    """Outward normal at a point."""
    n = normal(kind, (size[0], size[1], size[2]), (p[0], p[1], p[2]))
    out[0], out[1], out[2] = n[0], n[1], n[2]
