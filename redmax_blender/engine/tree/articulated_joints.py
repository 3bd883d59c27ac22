"""What each plain kind of joint does in the articulated-body recursion: it moves, is eliminated, and accelerates.

Plain are the kinds from fixed to spherical. In the frames of `aligned.py` their columns of S are unit vectors, but for
the first of a universal joint; a spherical joint works with its angular velocity ω = S(q) qdot instead of qdot.
"""

from __future__ import annotations

import math

from ..algebra.se3 import exp_coefficients
from ..algebra.spatial import (
    ZERO6,
    Tuple,
    axpy6,
    cross,
    dot6,
    load3,
    load6,
    matmul3,
    sym_minus_outer,
    sym_times,
    transform_point,
)
from ..jit.decorators import inline, subroutine
from ..joints import SPHERICAL, UNIVERSAL
from ..model.records import Floats
from .elimination import column

# Columns of a coordinate's row: M S (6), and ...
PIVOT = 6  # 1 / Sᵀ M S
FORCE = 7  # the force on the coordinate that is left
KEPT = 8  # two numbers that a kind keeps from the first pass for the others
COORDINATE = 10


@inline
def turn_about_x(E: Tuple, angle: float) -> Tuple:
    c, s = math.cos(angle), math.sin(angle)
    return (
        E[0], c * E[1] + s * E[2], c * E[2] - s * E[1],
        E[3], c * E[4] + s * E[5], c * E[5] - s * E[4],
        E[6], c * E[7] + s * E[8], c * E[8] - s * E[7],
        E[9], E[10], E[11],
    )  # fmt: skip


@subroutine
def _spherical(q: Floats, qdot: Floats, tau: Floats, i: int, C: Floats) -> tuple[Tuple, Tuple]:
    """Rotation matrix and ω; writes S⁻ᵀ tau and what leads from dω/dt back to qddot into the coordinates' rows."""
    x, y, z = r = load3(q, i)
    a = exp_coefficients(x * x + y * y + z * z)
    s, k = a[1], a[2]
    R = (
        1.0 - k * (y * y + z * z), k * x * y - s * z, k * x * z + s * y,
        k * x * y + s * z, 1.0 - k * (x * x + z * z), k * y * z - s * x,
        k * x * z - s * y, k * y * z + s * x, 1.0 - k * (x * x + y * y),
    )  # fmt: skip
    u = load3(qdot, i)
    ru = cross(r, u)
    rru = cross(r, ru)
    omega = (
        u[0] - a[2] * ru[0] + a[3] * rru[0], u[1] - a[2] * ru[1] + a[3] * rru[1], u[2] - a[2] * ru[2] + a[3] * rru[2]
    )  # fmt: skip
    # Ṡ u = (da2/dt)(-r × u) + (da3/dt) r × (r × u) + a3 u × (r × u), with the derivatives of `exp_coefficients`
    g = x * u[0] + y * u[1] + z * u[2]
    da2, da3 = g * (2.0 * a[4] - a[3]), g * (3.0 * a[5] - a[4])
    uru = cross(u, ru)
    # S⁻¹ = 1 + [r]/2 + c [r]²
    c = (a[3] - 2.0 * a[4]) / (2.0 * a[2])
    f = load3(tau, i)
    rf = cross(r, f)
    rrf = cross(r, rf)
    for m in range(3):
        C[i + m, FORCE] = f[m] - 0.5 * rf[m] + c * rrf[m]
        C[i + m, KEPT] = da3 * rru[m] - da2 * ru[m] + a[3] * uru[m]
    C[i, KEPT + 1] = c
    return R, omega


@inline
def eliminate(C: Floats, k: int, U: Tuple, d: float, u: float, M: Tuple, f: Tuple) -> tuple[Tuple, Tuple]:
    """Keep what the last pass needs of a coordinate; return the inertia and the wrench without it."""
    C[k, 0], C[k, 1], C[k, 2], C[k, 3], C[k, 4], C[k, 5] = U[0], U[1], U[2], U[3], U[4], U[5]
    C[k, PIVOT], C[k, FORCE] = d, u
    return sym_minus_outer(M, U, d), axpy6(u * d, U, f)


@inline
def coordinate_acceleration(C: Floats, k: int, a: Tuple) -> float:
    """Acceleration of a coordinate, given that of the link without it."""
    return float((C[k, FORCE] - dot6(load6(C, k), a)) * C[k, PIVOT])


@inline
def _rotated(E: Tuple, R: Tuple) -> Tuple:
    R = matmul3(E, R)
    return (R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8], E[9], E[10], E[11])


@inline
def _up_to_three(a: Floats, i: int, n: int) -> Tuple:
    """n numbers from a[i] on, and zeros."""
    return (a[i] if n > 0 else 0.0, a[i + 1] if n > 1 else 0.0, a[i + 2] if n > 2 else 0.0)


@inline
def move(
    kind: int, i: int, n: int, E: Tuple, q: Floats, qdot: Floats, tau: Floats, C: Floats
) -> tuple[Tuple, Tuple, Tuple]:
    """Pose of a link in its parent, S qdot and Ṡ qdot, for the kinds that need no parameters; E at q = 0."""
    if kind == SPHERICAL:
        R, w = _spherical(q, qdot, tau, i, C)
        return _rotated(E, R), (w[0], w[1], w[2], 0.0, 0.0, 0.0), ZERO6
    if kind == UNIVERSAL:
        c, s = math.cos(q[i + 1]), math.sin(q[i + 1])
        C[i, KEPT], C[i, KEPT + 1] = c, s
        u, v = qdot[i], qdot[i + 1]
        E = _rotated(turn_about_x(E, q[i]), (c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c))
        return E, (c * u, v, s * u, 0.0, 0.0, 0.0), (-s * u * v, 0.0, c * u * v, 0.0, 0.0, 0.0)
    r, v = _up_to_three(q, i, n), _up_to_three(qdot, i, n)
    r = transform_point(E, r)
    E = (E[0], E[1], E[2], E[3], E[4], E[5], E[6], E[7], E[8], r[0], r[1], r[2])
    return E, (0.0, 0.0, 0.0, v[0], v[1], v[2]), ZERO6


@inline
def eliminate_link(
    kind: int, i: int, n: int, tau: Floats, C: Floats, M: Tuple, f: Tuple
) -> tuple[Tuple, Tuple]:
    """The inertia and the wrench without the coordinates of a link, for the kinds that need no parameters."""
    if kind == SPHERICAL:
        M, f = eliminate(C, i + 2, column(M, 2), 1.0 / M[5], C[i + 2, FORCE] - f[2], M, f)
        M, f = eliminate(C, i + 1, column(M, 1), 1.0 / M[3], C[i + 1, FORCE] - f[1], M, f)
        return eliminate(C, i, column(M, 0), 1.0 / M[0], C[i, FORCE] - f[0], M, f)
    if kind == UNIVERSAL:
        M, f = eliminate(C, i + 1, column(M, 1), 1.0 / M[3], tau[i + 1] - f[1], M, f)
        s = (C[i, KEPT], 0.0, C[i, KEPT + 1], 0.0, 0.0, 0.0)
        U = sym_times(M, s)
        return eliminate(C, i, U, 1.0 / (s[0] * U[0] + s[2] * U[2]), tau[i] - s[0] * f[0] - s[2] * f[2], M, f)
    if n > 2:
        M, f = eliminate(C, i + 2, column(M, 5), 1.0 / M[20], tau[i + 2] - f[5], M, f)
    if n > 1:
        M, f = eliminate(C, i + 1, column(M, 4), 1.0 / M[18], tau[i + 1] - f[4], M, f)
    if n > 0:
        M, f = eliminate(C, i, column(M, 3), 1.0 / M[15], tau[i] - f[3], M, f)
    return M, f


@inline
def accelerate_link(kind: int, i: int, n: int, q: Floats, C: Floats, a: Tuple, qddot: Floats) -> Tuple:
    """Write the accelerations of a link's coordinates; return its acceleration with them."""
    if kind == SPHERICAL:
        x = coordinate_acceleration(C, i, a)
        y = coordinate_acceleration(C, i + 1, (a[0] + x, a[1], a[2], a[3], a[4], a[5]))
        z = coordinate_acceleration(C, i + 2, (a[0] + x, a[1] + y, a[2], a[3], a[4], a[5]))
        _rotation_vector_acceleration(C, q, i, (x, y, z), qddot)
        return (a[0] + x, a[1] + y, a[2] + z, a[3], a[4], a[5])
    if kind == UNIVERSAL:
        x = coordinate_acceleration(C, i, a)
        a = (a[0] + C[i, KEPT] * x, a[1], a[2] + C[i, KEPT + 1] * x, a[3], a[4], a[5])
        y = coordinate_acceleration(C, i + 1, a)
        qddot[i], qddot[i + 1] = x, y
        return (a[0], a[1] + y, a[2], a[3], a[4], a[5])
    if n > 0:
        x = coordinate_acceleration(C, i, a)
        qddot[i] = x
        a = (a[0], a[1], a[2], a[3] + x, a[4], a[5])
    if n > 1:
        y = coordinate_acceleration(C, i + 1, a)
        qddot[i + 1] = y
        a = (a[0], a[1], a[2], a[3], a[4] + y, a[5])
    if n > 2:
        z = coordinate_acceleration(C, i + 2, a)
        qddot[i + 2] = z
        a = (a[0], a[1], a[2], a[3], a[4], a[5] + z)
    return a


@inline
def _rotation_vector_acceleration(C: Floats, q: Floats, i: int, alpha: Tuple, qddot: Floats) -> None:
    """qddot = S⁻¹ (dω/dt - Ṡ qdot)."""
    r = load3(q, i)
    b = (alpha[0] - C[i, KEPT], alpha[1] - C[i + 1, KEPT], alpha[2] - C[i + 2, KEPT])
    rb = cross(r, b)
    rrb = cross(r, rb)
    for m in range(3):
        qddot[i + m] = b[m] + 0.5 * rb[m] + C[i, KEPT + 1] * rrb[m]
