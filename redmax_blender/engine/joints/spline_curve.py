"""Spline-curve joint (supplement §5.2, after Lee and Terzopoulos 2008): a cubic B-spline of frames.

Q(q) = C_k exp(D_{k+1} β1) exp(D_{k+2} β2) exp(D_{k+3} β3), with D_k = log(C_{k-1}⁻¹ C_k), k = ⌊q⌋ and cumulative
basis functions β of u = q - k. Parameters: number of frames n, cyclic (0 or 1), then n rows of C (12) and D (6).
"""

from __future__ import annotations

import math

from ..algebra.se3 import exp_coefficients
from ..algebra.spatial import ZERO6, Floats, Row, Tuple, ad_times, add6, axpy6, compose, twist_down
from ..jit.decorators import subroutine

HEADER = 2
STRIDE = 18


@subroutine
def basis(u: float) -> tuple[Tuple, Tuple, Tuple, Tuple]:
    """β1..β3 at u, and their first, second and third derivatives."""
    return (
        ((5.0 + u * (3.0 + u * (-3.0 + u))) / 6.0, (1.0 + u * (3.0 + u * (3.0 - 2.0 * u))) / 6.0, u * u * u / 6.0),
        ((3.0 + u * (-6.0 + 3.0 * u)) / 6.0, (3.0 + u * (6.0 - 6.0 * u)) / 6.0, 0.5 * u * u),
        (u - 1.0, 1.0 - 2.0 * u, u),
        (1.0, -2.0, 1.0),
    )  # fmt: skip


@subroutine
def segment(params: Row, at: int, q: float) -> tuple[int, float]:
    """Index of the first control frame of the segment that q falls into, and the parameter within it."""
    n = int(params[at])
    if params[at + 1] > 0.5:
        q = q - n * math.floor(q / n)
        k = int(math.floor(q))
        return (min(k, n - 1), q - min(k, n - 1))
    k = max(0, min(int(math.floor(q)), n - 4))
    return (k, q - k)


@subroutine
def _difference(params: Row, at: int, k: int) -> Tuple:
    n = int(params[at])
    o = at + HEADER + (k % n) * STRIDE + 12
    return (params[o], params[o + 1], params[o + 2], params[o + 3], params[o + 4], params[o + 5])


@subroutine
def exp6(xi: Tuple, s: float) -> Tuple:
    """Pose exp(s ξ)."""
    x, y, z = s * xi[0], s * xi[1], s * xi[2]
    a = exp_coefficients(x * x + y * y + z * z)
    vx, vy, vz = s * xi[3], s * xi[4], s * xi[5]
    wx, wy, wz = y * vz - z * vy, z * vx - x * vz, x * vy - y * vx
    ux, uy, uz = y * wz - z * wy, z * wx - x * wz, x * wy - y * wx
    t, k = a[1], a[2]
    return (
        1.0 - k * (y * y + z * z), k * x * y - t * z, k * x * z + t * y,
        k * x * y + t * z, 1.0 - k * (x * x + z * z), k * y * z - t * x,
        k * x * z - t * y, k * y * z + t * x, 1.0 - k * (x * x + y * y),
        vx + k * wx + a[3] * ux, vy + k * wy + a[3] * uy, vz + k * wz + a[3] * uz,
    )  # fmt: skip


@subroutine
def transform(params: Row, at: int, q: Row, i: int) -> Tuple:
    k, u = segment(params, at, q[i])
    o = at + HEADER + k * STRIDE
    E: Tuple = (
        params[o], params[o + 1], params[o + 2], params[o + 3], params[o + 4], params[o + 5],
        params[o + 6], params[o + 7], params[o + 8], params[o + 9], params[o + 10], params[o + 11],
    )  # fmt: skip
    b = basis(u)
    for j in range(3):
        E = compose(E, exp6(_difference(params, at, k + 1 + j), b[0][j]))
    return E


@subroutine
def derivatives(params: Row, at: int, q: float) -> tuple[Tuple, Tuple, Tuple]:
    """S, dS/dq and d²S/dq².

    Built up factor by factor: with Z = Ad(exp(-D β)) X, Z' = Ad(…) X' - β' ad(D) Z, and the factor adds β' D.
    """
    k, u = segment(params, at, q)
    b = basis(u)
    S = ZERO6
    S1 = S
    S2 = S
    for j in range(3):
        D = _difference(params, at, k + 1 + j)
        E = exp6(D, b[0][j])
        b1, b2, b3 = b[1][j], b[2][j], b[3][j]
        Z = twist_down(E, S)
        X1 = twist_down(E, S1)
        Z1 = axpy6(-b1, ad_times(D, Z), X1)
        X2 = axpy6(-b1, ad_times(D, X1), twist_down(E, S2))
        Z2 = axpy6(-b2, ad_times(D, Z), axpy6(-b1, ad_times(D, Z1), X2))
        S = axpy6(b1, D, Z)
        S1 = axpy6(b2, D, Z1)
        S2 = axpy6(b3, D, Z2)
    return (S, S1, S2)


@subroutine
def subspace(params: Row, at: int, q: Row, qdot: Row, i: int, S: Floats, Sdot: Floats) -> None:
    s, s1, _ = derivatives(params, at, q[i])
    for c in range(6):
        S[i, c] = s[c]
        Sdot[i, c] = s1[c] * qdot[i]


@subroutine
def subspace_gradient(params: Row, at: int, q: Row, i: int, dS: Floats) -> None:
    _, s1, _ = derivatives(params, at, q[i])
    for c in range(6):
        dS[0, 0, c] = s1[c]


@subroutine
def bias_curvature(params: Row, at: int, q: Row, i: int, u: Tuple, v: Tuple) -> Tuple:
    """(d²S/dq² [u, v]) v."""
    _, _, s2 = derivatives(params, at, q[i])
    zero = ZERO6
    return add6(zero, axpy6(u[0] * v[0] * v[0], s2, zero))
