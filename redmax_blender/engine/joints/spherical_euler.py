"""Spherical joint in Euler angles: R = R_a(q0) R_b(q1) R_c(q2) for the axes a, b, c of a chart.

S = (Rcᵀ Rbᵀ a, Rcᵀ b, c). A chart degenerates where a and c fall together or apart by π; `switch` then moves to
another one, with the same rotation and angular velocity.
"""

from __future__ import annotations

import math

import numpy as np

from ..algebra.spatial import Floats, Row, Tuple, cross, matmul3, unrotate
from ..jit.decorators import njit, subroutine
from .kinds import CHARTS
from .revolute import axis_angle

AXES = np.array([["XYZ".index(letter) for letter in chart] for chart in CHARTS])
"""Axis numbers of each chart, shape (12, 3)."""

SWITCH_BELOW = 0.5
"""A chart is left when |det S| falls to this."""


@subroutine
def _unit(k: int) -> Tuple:
    return (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)


@subroutine
def euler_rotation(chart: int, q0: float, q1: float, q2: float) -> Tuple:
    Ra = axis_angle(_unit(AXES[chart, 0]), q0)
    Rb = axis_angle(_unit(AXES[chart, 1]), q1)
    Rc = axis_angle(_unit(AXES[chart, 2]), q2)
    return matmul3(matmul3(Ra, Rb), Rc)


@subroutine
def euler_columns(chart: int, q1: float, q2: float) -> tuple[Tuple, Tuple, Tuple]:
    """The three columns of the angular part of S."""
    b, c = _unit(AXES[chart, 1]), _unit(AXES[chart, 2])
    Rb = axis_angle(b, q1)
    Rc = axis_angle(c, q2)
    return unrotate(Rc, unrotate(Rb, _unit(AXES[chart, 0]))), unrotate(Rc, b), c


@subroutine
def columns_gradient(s0: Tuple, s1: Tuple, s2: Tuple, u: Tuple) -> tuple[Tuple, Tuple]:
    """dS/dq [u] of the first two columns; the third is constant.

    Each column is a product of transposed rotations, and d(Rᵀ)/dq = -[axis] Rᵀ.
    """
    # Rcᵀ [b] Rbᵀ a = [Rcᵀ b] Rcᵀ Rbᵀ a
    d0 = cross(s0, (u[1] * s1[0] + u[2] * s2[0], u[1] * s1[1] + u[2] * s2[1], u[1] * s1[2] + u[2] * s2[2]))
    d1 = cross(s1, (u[2] * s2[0], u[2] * s2[1], u[2] * s2[2]))
    return d0, d1


@subroutine
def euler_gradient(chart: int, q1: float, q2: float, u: Tuple, w: Tuple) -> Tuple:
    """(dS/dq [u]) w."""
    s0, s1, s2 = euler_columns(chart, q1, q2)
    d0, d1 = columns_gradient(s0, s1, s2, u)
    return (
        w[0] * d0[0] + w[1] * d1[0],
        w[0] * d0[1] + w[1] * d1[1],
        w[0] * d0[2] + w[1] * d1[2],
    )


@subroutine
def euler_curvature(chart: int, q1: float, q2: float, u: Tuple, v: Tuple, w: Tuple) -> Tuple:
    """(d²S/dq² [u, v]) w: the derivative along v of `euler_gradient` along u."""
    s0, s1, s2 = euler_columns(chart, q1, q2)
    tu = (u[1] * s1[0] + u[2] * s2[0], u[1] * s1[1] + u[2] * s2[1], u[1] * s1[2] + u[2] * s2[2])
    tv = (v[1] * s1[0] + v[2] * s2[0], v[1] * s1[1] + v[2] * s2[1], v[1] * s1[2] + v[2] * s2[2])
    ds0 = cross(s0, tv)
    ds1 = cross(s1, (v[2] * s2[0], v[2] * s2[1], v[2] * s2[2]))
    dtu = (u[1] * ds1[0], u[1] * ds1[1], u[1] * ds1[2])
    a = cross(ds0, tu)
    b = cross(s0, dtu)
    c = cross(ds1, (u[2] * s2[0], u[2] * s2[1], u[2] * s2[2]))
    return (
        w[0] * (a[0] + b[0]) + w[1] * c[0],
        w[0] * (a[1] + b[1]) + w[1] * c[1],
        w[0] * (a[2] + b[2]) + w[1] * c[2],
    )


@subroutine
def transform(chart: int, q: Row, i: int) -> Tuple:
    R = euler_rotation(chart, q[i], q[i + 1], q[i + 2])
    return (R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8], 0.0, 0.0, 0.0)


@subroutine
def subspace(chart: int, q: Row, qdot: Row, i: int, S: Floats, Sdot: Floats) -> None:
    s0, s1, s2 = euler_columns(chart, q[i + 1], q[i + 2])
    d0, d1 = columns_gradient(s0, s1, s2, (qdot[i], qdot[i + 1], qdot[i + 2]))
    for c in range(3):
        S[i, c], S[i + 1, c], S[i + 2, c] = s0[c], s1[c], s2[c]
        Sdot[i, c], Sdot[i + 1, c], Sdot[i + 2, c] = d0[c], d1[c], 0.0
        S[i, 3 + c] = S[i + 1, 3 + c] = S[i + 2, 3 + c] = 0.0
        Sdot[i, 3 + c] = Sdot[i + 1, 3 + c] = Sdot[i + 2, 3 + c] = 0.0


@subroutine
def subspace_gradient(chart: int, q: Row, i: int, dS: Floats) -> None:
    for k in range(3):
        for c in range(3):
            d = euler_gradient(chart, q[i + 1], q[i + 2], _unit(k), _unit(c))
            for m in range(3):
                dS[k, c, m] = d[m]


@subroutine
def bias_curvature(chart: int, q: Row, i: int, u: Tuple, v: Tuple) -> Tuple:
    """(d²S/dq² [u, v]) v."""
    w = euler_curvature(chart, q[i + 1], q[i + 2], u, v, v)
    return (w[0], w[1], w[2], 0.0, 0.0, 0.0)


@njit
def determinant(chart: int, q1: float) -> float:
    """|det S|: 1 where the chart is best, 0 at gimbal lock."""
    same = AXES[chart, 0] == AXES[chart, 2]
    return abs(math.sin(q1)) if same else abs(math.cos(q1))


@njit
def euler_angles(chart: int, R: Row) -> tuple[float, float, float]:
    """Angles of a rotation matrix (9, row by row) in a chart: q1 in (0, π) for aba, (-π/2, π/2) for abc."""
    a, b, c = AXES[chart, 0], AXES[chart, 1], AXES[chart, 2]
    if a == c:
        k = 3 - a - b
        # the sign of the permutation (a, b, k)
        e = 1.0 if (b - a) % 3 == 1 else -1.0
        q1 = math.atan2(math.hypot(R[3 * a + b], R[3 * a + k]), R[3 * a + a])
        q0 = math.atan2(R[3 * b + a], -e * R[3 * k + a])
        q2 = math.atan2(R[3 * a + b], e * R[3 * a + k])
    else:
        e = 1.0 if (b - a) % 3 == 1 else -1.0
        q1 = math.atan2(e * R[3 * a + c], math.hypot(R[3 * a + a], R[3 * a + b]))
        q0 = math.atan2(-e * R[3 * b + c], R[3 * c + c])
        q2 = math.atan2(-e * R[3 * a + b], R[3 * a + a])
    return (q0, q1, q2)
