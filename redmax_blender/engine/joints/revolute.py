"""Revolute joint (supplement §4.5): one angle about a unit axis a. S = (a, 0), constant."""

from __future__ import annotations

from ..algebra.spatial import Floats, Row, Tuple, load3
from ..algebra.trig import sin_cos
from ..jit.decorators import inline


@inline
def axis_angle(a: Tuple, angle: float) -> Tuple:
    """Rotation matrix (9) about the unit axis a."""
    # 1 - cos through the half angle keeps its digits near zero.
    h, g = sin_cos(0.5 * angle)
    s = 2.0 * h * g
    k = 2.0 * h * h
    c = 1.0 - k
    x, y, z = a
    kx, ky, kz = k * x, k * y, k * z
    return (
        c + kx * x, kx * y - s * z, kx * z + s * y,
        ky * x + s * z, c + ky * y, ky * z - s * x,
        kz * x - s * y, kz * y + s * x, c + kz * z,
    )  # fmt: skip


@inline
def transform(params: Row, at: int, q: Row, i: int) -> Tuple:
    R = axis_angle(load3(params, at), q[i])
    return (R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8], 0.0, 0.0, 0.0)


@inline
def subspace(params: Row, at: int, S: Floats, i: int) -> None:
    S[i, 0] = params[at]
    S[i, 1] = params[at + 1]
    S[i, 2] = params[at + 2]
    S[i, 3] = S[i, 4] = S[i, 5] = 0.0
