"""F = U diag(σ) Vᵀ with rotations U and V (det +1): the stretches of an element, on tuples of scalars.

σ is signed: of an inverted element (det F < 0) one stretch is negative, the smallest in size, so that R = U Vᵀ is the
rotation nearest to F and an elastic force on σ pushes the element back through itself.

The nearest rotation is the leading eigenvector of a 4x4 matrix (Horn 1987), its eigenvalue found by Newton (Theobald
2005); the eigenvectors of S = RᵀF follow without iteration (after Eberly's note on symmetric 3x3 matrices). Where the
nearest rotation is not unique or nearly so, the element being a needle, a point, or inverted with equal stretches,
Jacobi rotations of the columns of F find one of them.
"""

from __future__ import annotations

import math

import numpy as np

from ...algebra.spatial import Tuple, cross, matmul3
from ...jit.decorators import inline, subroutine

IDENTITY3: Tuple = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)

_SQRT3 = math.sqrt(3.0)
_UNIQUE = 0.02
"""Least Π 2(σi + σj) / |F|³ for which the eigenvector is accurate to about 1e-12; 12.3 at rest."""


@inline
def transposed(a: Tuple) -> Tuple:
    return (a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8])


@inline
def _quaternion_matrix(q: Tuple) -> Tuple:
    w, x, y, z = q
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip


@inline
def _null_vector(N: Tuple) -> Tuple:
    """Unit null vector of the singular symmetric 4x4 [a b c d; . e f g; . . h i; . . . j], from its adjugate."""
    a, b, c, d, e, f, g, h, i, j = N
    s0, s1, s2 = c * g - f * d, c * i - h * d, c * j - i * d
    s3, s4, s5 = f * i - h * g, f * j - i * g, h * j - i * i
    t0, t1, t2 = a * e - b * b, a * f - c * b, a * g - d * b
    t3, t4 = b * f - c * e, b * g - d * e
    c00, c11 = e * s5 - f * s4 + g * s3, a * s5 - c * s2 + d * s1
    c22, c33 = d * t4 - g * t2 + j * t0, c * t3 - f * t1 + h * t0
    c01 = f * s2 - b * s5 - g * s1
    c02 = b * s4 - e * s2 + g * s0
    c03 = e * s1 - b * s3 - f * s0
    c12 = b * s2 - a * s4 - d * s0
    c13 = a * s3 - b * s1 + c * s0
    c23 = g * t1 - d * t3 - i * t0
    # All rows of the adjugate are multiples of the null vector; the one with the largest diagonal loses no digits.
    n0, n1, n2, n3 = abs(c00), abs(c11), abs(c22), abs(c33)
    if n0 >= n1 and n0 >= n2 and n0 >= n3:
        q = (c00, c01, c02, c03)
    elif n1 >= n2 and n1 >= n3:
        q = (c01, c11, c12, c13)
    elif n2 >= n3:
        q = (c02, c12, c22, c23)
    else:
        q = (c03, c13, c23, c33)
    n = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (n * q[0], n * q[1], n * q[2], n * q[3])


@inline
def _unique_rotation(F: Tuple) -> tuple[bool, Tuple]:
    """Whether the rotation nearest to F is well defined, and if so that rotation."""
    n2 = (
        F[0] * F[0] + F[1] * F[1] + F[2] * F[2] + F[3] * F[3] + F[4] * F[4] + F[5] * F[5] + F[6] * F[6]
        + F[7] * F[7] + F[8] * F[8]
    )  # fmt: skip
    if not n2 > 1e-200:
        return (False, IDENTITY3)
    n = 1.0 / math.sqrt(n2)
    a, b, c, d, e, f, g, h, i = (
        n * F[0], n * F[1], n * F[2], n * F[3], n * F[4], n * F[5], n * F[6], n * F[7], n * F[8]
    )  # fmt: skip
    det = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    xx, yy, zz = a * a + d * d + g * g, b * b + e * e + h * h, c * c + f * f + i * i
    xy, xz, yz = a * b + d * e + g * h, a * c + d * f + g * i, b * c + e * f + h * i
    c0 = 2.0 * (xx * xx + yy * yy + zz * zz + 2.0 * (xy * xy + xz * xz + yz * yz)) - 1.0
    c1 = -8.0 * det
    # Largest root of x⁴ - 2x² + c1 x + c0, which is σ1 + σ2 + σ3: Newton comes down to it from its upper bound.
    x, slope, step = _SQRT3, 0.0, 1.0
    for _ in range(16):
        slope = (4.0 * x * x - 4.0) * x + c1
        step = (((x * x - 2.0) * x + c1) * x + c0) / slope
        x -= step
        if abs(step) < 1e-14:
            break
    if not (slope > _UNIQUE and abs(step) < 1e-14):
        return (False, IDENTITY3)
    q = _null_vector(
        (a + e + i - x, h - f, c - g, d - b, a - e - i - x, b + d, c + g, e - a - i - x, f + h, i - a - e - x)
    )
    return (True, _quaternion_matrix(q))


@inline
def eigen(a: float, b: float, c: float, d: float, e: float, f: float) -> tuple[Tuple, Tuple]:
    """Eigenvalues of the symmetric [a b c; b d e; c e f], and eigenvectors as the columns of a rotation."""
    m = (a + d + f) / 3.0
    ka, kd, kf = a - m, d - m, f - m
    p2 = (ka * ka + kd * kd + kf * kf + 2.0 * (b * b + c * c + e * e)) / 6.0
    if not p2 > 1e-30 * (m * m + p2):
        return ((a, d, f), IDENTITY3)
    n = 1.0 / math.sqrt(p2)
    half = 0.5 * n * n * n * (ka * (kd * kf - e * e) - b * (b * kf - e * c) + c * (b * e - kd * c))
    if half < 0.0:
        n, half = -n, -half
    half = min(half, 1.0)
    # The eigenvalue farthest from the other two, scaled: root of x³ - 3x - 2 half in [√3, 2].
    x = _SQRT3 + (2.0 - _SQRT3) * half
    for _ in range(3):
        x -= (x * (x * x - 3.0) - 2.0 * half) / (3.0 * x * x - 3.0)
    r0, r1, r2 = (n * ka - x, n * b, n * c), (n * b, n * kd - x, n * e), (n * c, n * e, n * kf - x)
    w, w1, w2 = cross(r0, r1), cross(r0, r2), cross(r1, r2)
    n0 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    n1 = w1[0] * w1[0] + w1[1] * w1[1] + w1[2] * w1[2]
    n2 = w2[0] * w2[0] + w2[1] * w2[1] + w2[2] * w2[2]
    if n1 > n0:
        w, n0 = w1, n1
    if n2 > n0:
        w, n0 = w2, n2
    n = 1.0 / math.sqrt(n0)
    w = (n * w[0], n * w[1], n * w[2])
    if abs(w[0]) > abs(w[1]):
        n = 1.0 / math.sqrt(w[0] * w[0] + w[2] * w[2])
        u = (-n * w[2], 0.0, n * w[0])
    else:
        n = 1.0 / math.sqrt(w[1] * w[1] + w[2] * w[2])
        u = (0.0, n * w[2], -n * w[1])
    v = cross(w, u)
    # The other two, exactly, by one rotation in the plane across w.
    Su = (a * u[0] + b * u[1] + c * u[2], b * u[0] + d * u[1] + e * u[2], c * u[0] + e * u[1] + f * u[2])
    Sv = (a * v[0] + b * v[1] + c * v[2], b * v[0] + d * v[1] + e * v[2], c * v[0] + e * v[1] + f * v[2])
    Sw = (a * w[0] + b * w[1] + c * w[2], b * w[0] + d * w[1] + e * w[2], c * w[0] + e * w[1] + f * w[2])
    uu = u[0] * Su[0] + u[1] * Su[1] + u[2] * Su[2]
    uv = u[0] * Sv[0] + u[1] * Sv[1] + u[2] * Sv[2]
    vv = v[0] * Sv[0] + v[1] * Sv[1] + v[2] * Sv[2]
    ww = w[0] * Sw[0] + w[1] * Sw[1] + w[2] * Sw[2]
    gap = vv - uu
    root = math.sqrt(gap * gap + 4.0 * uv * uv)
    below = gap + root if gap >= 0.0 else gap - root
    t = 2.0 * uv / below if below != 0.0 else 0.0
    k = 1.0 / math.sqrt(1.0 + t * t)
    s = t * k
    return (
        (ww, uu - t * uv, vv + t * uv),
        (
            w[0], k * u[0] - s * v[0], s * u[0] + k * v[0],
            w[1], k * u[1] - s * v[1], s * u[1] + k * v[1],
            w[2], k * u[2] - s * v[2], s * u[2] + k * v[2],
        ),
    )  # fmt: skip


@subroutine
def _any_rotation(F: Tuple) -> Tuple:
    """One of the rotations nearest to any F: pairs of columns are turned until all are orthogonal (Hestenes 1958)."""
    B, V = np.empty((3, 3)), np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            B[i, j] = F[3 * i + j]
            V[i, j] = 1.0 if i == j else 0.0
    for _ in range(30):
        turned = False
        for i in range(2):
            for j in range(i + 1, 3):
                ii, jj, ij = 0.0, 0.0, 0.0
                for k in range(3):
                    ii += B[k, i] * B[k, i]
                    jj += B[k, j] * B[k, j]
                    ij += B[k, i] * B[k, j]
                if abs(ij) > 1e-16 * math.sqrt(ii * jj):
                    turned = True
                    gap = jj - ii
                    root = math.sqrt(gap * gap + 4.0 * ij * ij)
                    t = 2.0 * ij / (gap + root if gap >= 0.0 else gap - root)
                    c = 1.0 / math.sqrt(1.0 + t * t)
                    s = t * c
                    for k in range(3):
                        B[k, i], B[k, j] = c * B[k, i] - s * B[k, j], s * B[k, i] + c * B[k, j]
                        V[k, i], V[k, j] = c * V[k, i] - s * V[k, j], s * V[k, i] + c * V[k, j]
        if not turned:
            break
    size = (
        math.sqrt(B[0, 0] * B[0, 0] + B[1, 0] * B[1, 0] + B[2, 0] * B[2, 0]),
        math.sqrt(B[0, 1] * B[0, 1] + B[1, 1] * B[1, 1] + B[2, 1] * B[2, 1]),
        math.sqrt(B[0, 2] * B[0, 2] + B[1, 2] * B[1, 2] + B[2, 2] * B[2, 2]),
    )
    i = 0 if size[0] >= size[1] and size[0] >= size[2] else (1 if size[1] >= size[2] else 2)
    j, k = (i + 1) % 3, (i + 2) % 3
    if size[k] > size[j]:
        j, k = k, j
    v0 = (V[0, i], V[1, i], V[2, i])
    v1 = (V[0, j], V[1, j], V[2, j])
    v2 = cross(v0, v1)
    if not size[i] > 1e-100:
        return IDENTITY3
    u0 = (B[0, i] / size[i], B[1, i] / size[i], B[2, i] / size[i])
    u1: Tuple
    if size[j] > 1e-12 * size[i]:
        u1 = (B[0, j] / size[j], B[1, j] / size[j], B[2, j] / size[j])
    else:
        # A needle says nothing about the turn around itself: take the shortest turn that brings v0 to u0.
        u1 = _shortest_turn(v0, u0, v1)
    along = u0[0] * u1[0] + u0[1] * u1[1] + u0[2] * u1[2]
    u1 = (u1[0] - along * u0[0], u1[1] - along * u0[1], u1[2] - along * u0[2])
    n = 1.0 / math.sqrt(u1[0] * u1[0] + u1[1] * u1[1] + u1[2] * u1[2])
    u1 = (n * u1[0], n * u1[1], n * u1[2])
    u2 = cross(u0, u1)
    return matmul3((u0[0], u1[0], u2[0], u0[1], u1[1], u2[1], u0[2], u1[2], u2[2]), (*v0, *v1, *v2))


@subroutine
def _shortest_turn(a: Tuple, b: Tuple, x: Tuple) -> Tuple:
    """x, across the unit vector a, after the shortest turn that brings a to the unit vector b."""
    c = 1.0 + a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    if c < 1e-8:
        return x
    # x - (a + b) (b·x) / (1 + a·b), since a·x = 0
    k = (b[0] * x[0] + b[1] * x[1] + b[2] * x[2]) / c
    return (x[0] - k * (a[0] + b[0]), x[1] - k * (a[1] + b[1]), x[2] - k * (a[2] + b[2]))


@inline
def rotation(F: Tuple) -> Tuple:
    """The rotation nearest to F, or one of them, row by row."""
    unique, R = _unique_rotation(F)
    if not unique:
        R = _any_rotation(F)
    return R


@inline
def stretches(F: Tuple) -> tuple[Tuple, Tuple, Tuple]:
    """U (row by row), signed stretches σ in no particular order, and V (row by row)."""
    R = rotation(F)
    S = matmul3(transposed(R), F)
    sigma, V = eigen(S[0], 0.5 * (S[1] + S[3]), 0.5 * (S[2] + S[6]), S[4], 0.5 * (S[5] + S[7]), S[8])
    return (matmul3(R, V), sigma, V)
