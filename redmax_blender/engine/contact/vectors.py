"""Vectors as tuples of three numbers, for collision kernels (`spatial.py` has the poses)."""

from __future__ import annotations

import math

from ..algebra.arrays import Floats
from ..algebra.spatial import Tuple
from ..jit.decorators import inline


@inline
def dot(a: Tuple, b: Tuple) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inline
def sub(a: Tuple, b: Tuple) -> Tuple:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inline
def scale(s: float, a: Tuple) -> Tuple:
    return (s * a[0], s * a[1], s * a[2])


@inline
def along(a: Tuple, s: float, b: Tuple) -> Tuple:
    """a + s·b."""
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


@inline
def norm(a: Tuple) -> float:
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@inline
def unit(a: Tuple) -> Tuple:
    """a / |a|, and z for a zero vector."""
    s = math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
    if s < 1e-300:
        return (0.0, 0.0, 1.0)
    return (a[0] / s, a[1] / s, a[2] / s)


@inline
def across(a: Tuple) -> Tuple:
    """A unit vector at right angles to the unit vector a."""
    if abs(a[0]) < 0.7:
        s = math.sqrt(a[1] * a[1] + a[2] * a[2])
        return (0.0, a[2] / s, -a[1] / s)
    s = math.sqrt(a[0] * a[0] + a[2] * a[2])
    return (-a[2] / s, 0.0, a[0] / s)


@inline
def turn_by(r: Tuple, x: Tuple) -> Tuple:
    """exp([r]×) x: the vector x turned by the rotation vector r [rad]."""
    angle = math.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    s, c = 1.0 - angle * angle / 6.0, 0.5
    if angle > 1e-4:
        s, c = math.sin(angle) / angle, (1.0 - math.cos(angle)) / (angle * angle)
    u, v, w = r[1] * x[2] - r[2] * x[1], r[2] * x[0] - r[0] * x[2], r[0] * x[1] - r[1] * x[0]
    return (
        x[0] + s * u + c * (r[1] * w - r[2] * v),
        x[1] + s * v + c * (r[2] * u - r[0] * w),
        x[2] + s * w + c * (r[0] * v - r[1] * u),
    )


@inline
def row3(a: Floats, j: int) -> Tuple:
    return (a[j, 0], a[j, 1], a[j, 2])


@inline
def put3(a: Floats, j: int, x: Tuple) -> None:
    a[j, 0], a[j, 1], a[j, 2] = x[0], x[1], x[2]


@inline
def apart(E: Tuple, F: Tuple) -> Tuple:
    """Pose of the frame F, seen from the frame E: E⁻¹ F."""
    dx, dy, dz = F[9] - E[9], F[10] - E[10], F[11] - E[11]
    return (
        E[0] * F[0] + E[3] * F[3] + E[6] * F[6],
        E[0] * F[1] + E[3] * F[4] + E[6] * F[7],
        E[0] * F[2] + E[3] * F[5] + E[6] * F[8],
        E[1] * F[0] + E[4] * F[3] + E[7] * F[6],
        E[1] * F[1] + E[4] * F[4] + E[7] * F[7],
        E[1] * F[2] + E[4] * F[5] + E[7] * F[8],
        E[2] * F[0] + E[5] * F[3] + E[8] * F[6],
        E[2] * F[1] + E[5] * F[4] + E[8] * F[7],
        E[2] * F[2] + E[5] * F[5] + E[8] * F[8],
        E[0] * dx + E[3] * dy + E[6] * dz,
        E[1] * dx + E[4] * dy + E[7] * dz,
        E[2] * dx + E[5] * dy + E[8] * dz,
    )
