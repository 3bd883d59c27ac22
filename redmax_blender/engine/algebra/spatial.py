"""Spatial algebra on tuples of scalars: what the tree kernels are made of.

Numba keeps tuples in registers, so that a kernel loads a row once, computes, and stores once. Types, by length:

    3    vector                       9   3x3 matrix, row by row
    6    twist or wrench: (angular, linear), (moment, force)      6   symmetric 3x3: 00 01 02 11 12 22
    12   pose: rotation row by row, then origin
    21   symmetric 6x6 [[A, B], [Bᵀ, C]]: A (6), B (9), C (6)

Rows of arrays are loaded and stored by (array, row): a row taken as a view costs an atomic reference count.

For a pose E = (R, p) of frame j in frame p, a twist goes down to j by Ad(E⁻¹) and a wrench up to p by Ad(E⁻¹)ᵀ.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..jit.decorators import inline

Tuple = tuple[float, ...]
Row = NDArray[np.float64]
"""One-dimensional."""
Floats = NDArray[np.float64]

ZERO3: Tuple = (0.0, 0.0, 0.0)
ZERO6: Tuple = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
IDENTITY: Tuple = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
"""The pose of a frame in itself."""


@inline
def load3(a: Row, i: int) -> Tuple:
    return (a[i], a[i + 1], a[i + 2])


@inline
def load6(a: Floats, j: int) -> Tuple:
    return (a[j, 0], a[j, 1], a[j, 2], a[j, 3], a[j, 4], a[j, 5])


@inline
def load12(a: Floats, j: int) -> Tuple:
    return (
        a[j, 0], a[j, 1], a[j, 2], a[j, 3], a[j, 4], a[j, 5],
        a[j, 6], a[j, 7], a[j, 8], a[j, 9], a[j, 10], a[j, 11],
    )  # fmt: skip


@inline
def load6_at(a: Floats, j: int, o: int) -> Tuple:
    """Six numbers from column o on."""
    return (a[j, o], a[j, o + 1], a[j, o + 2], a[j, o + 3], a[j, o + 4], a[j, o + 5])


@inline
def load21_at(a: Floats, j: int, o: int) -> Tuple:
    """Twenty-one numbers from column o on."""
    return (
        a[j, o], a[j, o + 1], a[j, o + 2], a[j, o + 3], a[j, o + 4], a[j, o + 5], a[j, o + 6], a[j, o + 7],
        a[j, o + 8], a[j, o + 9], a[j, o + 10], a[j, o + 11], a[j, o + 12], a[j, o + 13], a[j, o + 14],
        a[j, o + 15], a[j, o + 16], a[j, o + 17], a[j, o + 18], a[j, o + 19], a[j, o + 20],
    )  # fmt: skip


@inline
def load21(a: Floats, j: int) -> Tuple:
    return load21_at(a, j, 0)


@inline
def store6(a: Floats, j: int, x: Tuple) -> None:
    a[j, 0], a[j, 1], a[j, 2] = x[0], x[1], x[2]
    a[j, 3], a[j, 4], a[j, 5] = x[3], x[4], x[5]


@inline
def store6_at(a: Floats, j: int, o: int, x: Tuple) -> None:
    a[j, o], a[j, o + 1], a[j, o + 2] = x[0], x[1], x[2]
    a[j, o + 3], a[j, o + 4], a[j, o + 5] = x[3], x[4], x[5]


@inline
def store12(a: Floats, j: int, x: Tuple) -> None:
    a[j, 0], a[j, 1], a[j, 2] = x[0], x[1], x[2]
    a[j, 3], a[j, 4], a[j, 5] = x[3], x[4], x[5]
    a[j, 6], a[j, 7], a[j, 8] = x[6], x[7], x[8]
    a[j, 9], a[j, 10], a[j, 11] = x[9], x[10], x[11]


@inline
def store21_at(a: Floats, j: int, o: int, x: Tuple) -> None:
    a[j, o], a[j, o + 1], a[j, o + 2] = x[0], x[1], x[2]
    a[j, o + 3], a[j, o + 4], a[j, o + 5] = x[3], x[4], x[5]
    a[j, o + 6], a[j, o + 7], a[j, o + 8] = x[6], x[7], x[8]
    a[j, o + 9], a[j, o + 10], a[j, o + 11] = x[9], x[10], x[11]
    a[j, o + 12], a[j, o + 13], a[j, o + 14] = x[12], x[13], x[14]
    a[j, o + 15], a[j, o + 16], a[j, o + 17] = x[15], x[16], x[17]
    a[j, o + 18], a[j, o + 19], a[j, o + 20] = x[18], x[19], x[20]


@inline
def store21(a: Floats, j: int, x: Tuple) -> None:
    store21_at(a, j, 0, x)


@inline
def add3(a: Tuple, b: Tuple) -> Tuple:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inline
def cross(a: Tuple, b: Tuple) -> Tuple:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@inline
def add6(a: Tuple, b: Tuple) -> Tuple:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5])


@inline
def axpy6(s: float, a: Tuple, b: Tuple) -> Tuple:
    """s·a + b."""
    return (
        s * a[0] + b[0], s * a[1] + b[1], s * a[2] + b[2],
        s * a[3] + b[3], s * a[4] + b[4], s * a[5] + b[5],
    )  # fmt: skip


@inline
def dot6(a: Tuple, b: Tuple) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@inline
def rotate(E: Tuple, x: Tuple) -> Tuple:
    """R x."""
    return (
        E[0] * x[0] + E[1] * x[1] + E[2] * x[2],
        E[3] * x[0] + E[4] * x[1] + E[5] * x[2],
        E[6] * x[0] + E[7] * x[1] + E[8] * x[2],
    )


@inline
def unrotate(E: Tuple, x: Tuple) -> Tuple:
    """Rᵀ x."""
    return (
        E[0] * x[0] + E[3] * x[1] + E[6] * x[2],
        E[1] * x[0] + E[4] * x[1] + E[7] * x[2],
        E[2] * x[0] + E[5] * x[1] + E[8] * x[2],
    )


@inline
def matmul3(a: Tuple, b: Tuple) -> Tuple:
    return (
        a[0] * b[0] + a[1] * b[3] + a[2] * b[6],
        a[0] * b[1] + a[1] * b[4] + a[2] * b[7],
        a[0] * b[2] + a[1] * b[5] + a[2] * b[8],
        a[3] * b[0] + a[4] * b[3] + a[5] * b[6],
        a[3] * b[1] + a[4] * b[4] + a[5] * b[7],
        a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
        a[6] * b[0] + a[7] * b[3] + a[8] * b[6],
        a[6] * b[1] + a[7] * b[4] + a[8] * b[7],
        a[6] * b[2] + a[7] * b[5] + a[8] * b[8],
    )


@inline
def compose(a: Tuple, b: Tuple) -> Tuple:
    """The product of two poses."""
    r = matmul3(a, b)
    p = rotate(a, (b[9], b[10], b[11]))
    return (
        r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], p[0] + a[9], p[1] + a[10], p[2] + a[11]
    )  # fmt: skip


@inline
def transform_point(E: Tuple, x: Tuple) -> Tuple:
    return (
        E[0] * x[0] + E[1] * x[1] + E[2] * x[2] + E[9],
        E[3] * x[0] + E[4] * x[1] + E[5] * x[2] + E[10],
        E[6] * x[0] + E[7] * x[1] + E[8] * x[2] + E[11],
    )


@inline
def twist_down(E: Tuple, V: Tuple) -> Tuple:
    """Ad(E⁻¹) V: a twist of the parent frame, seen from the child frame at pose E."""
    wx, wy, wz = V[0], V[1], V[2]
    w = unrotate(E, (wx, wy, wz))
    v = unrotate(
        E,
        (
            V[3] + wy * E[11] - wz * E[10],
            V[4] + wz * E[9] - wx * E[11],
            V[5] + wx * E[10] - wy * E[9],
        ),
    )
    return (w[0], w[1], w[2], v[0], v[1], v[2])


@inline
def twist_up(E: Tuple, V: Tuple) -> Tuple:
    """Ad(E) V: a twist of the child frame at pose E, seen from the parent frame."""
    w = rotate(E, (V[0], V[1], V[2]))
    v = rotate(E, (V[3], V[4], V[5]))
    px, py, pz = E[9], E[10], E[11]
    return (
        w[0], w[1], w[2],
        v[0] + py * w[2] - pz * w[1], v[1] + pz * w[0] - px * w[2], v[2] + px * w[1] - py * w[0],
    )  # fmt: skip


@inline
def wrench_up(E: Tuple, F: Tuple) -> Tuple:
    """Ad(E⁻¹)ᵀ F: a wrench on the child frame at pose E, seen from the parent frame."""
    m = rotate(E, (F[0], F[1], F[2]))
    f = rotate(E, (F[3], F[4], F[5]))
    px, py, pz = E[9], E[10], E[11]
    return (
        m[0] + py * f[2] - pz * f[1], m[1] + pz * f[0] - px * f[2], m[2] + px * f[1] - py * f[0],
        f[0], f[1], f[2],
    )  # fmt: skip


@inline
def wrench_down(E: Tuple, F: Tuple) -> Tuple:
    """Ad(E)ᵀ F: a wrench on the parent frame, seen from the child frame at pose E."""
    fx, fy, fz = F[3], F[4], F[5]
    px, py, pz = E[9], E[10], E[11]
    m = unrotate(E, (F[0] - py * fz + pz * fy, F[1] - pz * fx + px * fz, F[2] - px * fy + py * fx))
    f = unrotate(E, (fx, fy, fz))
    return (m[0], m[1], m[2], f[0], f[1], f[2])


@inline
def ad_times(V: Tuple, X: Tuple) -> Tuple:
    """ad(V) X, the Lie bracket of two twists."""
    a = cross((V[0], V[1], V[2]), (X[0], X[1], X[2]))
    b = cross((V[3], V[4], V[5]), (X[0], X[1], X[2]))
    c = cross((V[0], V[1], V[2]), (X[3], X[4], X[5]))
    return (a[0], a[1], a[2], b[0] + c[0], b[1] + c[1], b[2] + c[2])


@inline
def ad_transpose_times(V: Tuple, F: Tuple) -> Tuple:
    """ad(V)ᵀ F; the Coriolis wrench of a body is ad(V)ᵀ (M V)."""
    w = (V[0], V[1], V[2])
    m = cross((F[0], F[1], F[2]), w)
    n = cross((F[3], F[4], F[5]), (V[3], V[4], V[5]))
    f = cross((F[3], F[4], F[5]), w)
    return (m[0] + n[0], m[1] + n[1], m[2] + n[2], f[0], f[1], f[2])


@inline
def sym_times(M: Tuple, V: Tuple) -> Tuple:
    """M V."""
    a, b, c, d, e, f = V[0], V[1], V[2], V[3], V[4], V[5]
    return (
        M[0] * a + M[1] * b + M[2] * c + M[6] * d + M[7] * e + M[8] * f,
        M[1] * a + M[3] * b + M[4] * c + M[9] * d + M[10] * e + M[11] * f,
        M[2] * a + M[4] * b + M[5] * c + M[12] * d + M[13] * e + M[14] * f,
        M[6] * a + M[9] * b + M[12] * c + M[15] * d + M[16] * e + M[17] * f,
        M[7] * a + M[10] * b + M[13] * c + M[16] * d + M[18] * e + M[19] * f,
        M[8] * a + M[11] * b + M[14] * c + M[17] * d + M[19] * e + M[20] * f,
    )


@inline
def sym_minus_outer(M: Tuple, U: Tuple, s: float) -> Tuple:
    """M - s U Uᵀ."""
    a, b, c, d, e, f = U[0], U[1], U[2], U[3], U[4], U[5]
    sa, sb, sc, sd, se, sf = s * a, s * b, s * c, s * d, s * e, s * f
    return (
        M[0] - sa * a, M[1] - sa * b, M[2] - sa * c, M[3] - sb * b, M[4] - sb * c, M[5] - sc * c,
        M[6] - sa * d, M[7] - sa * e, M[8] - sa * f,
        M[9] - sb * d, M[10] - sb * e, M[11] - sb * f,
        M[12] - sc * d, M[13] - sc * e, M[14] - sc * f,
        M[15] - sd * d, M[16] - sd * e, M[17] - sd * f, M[18] - se * e, M[19] - se * f, M[20] - sf * f,
    )  # fmt: skip


@inline
def rotate_sym3(E: Tuple, a: float, b: float, c: float, d: float, e: float, f: float) -> Tuple:
    """R X Rᵀ for the symmetric X = (a b c; b d e; c e f)."""
    r0, r1, r2, r3, r4, r5, r6, r7, r8 = E[0], E[1], E[2], E[3], E[4], E[5], E[6], E[7], E[8]
    x00 = r0 * a + r1 * b + r2 * c
    x01 = r0 * b + r1 * d + r2 * e
    x02 = r0 * c + r1 * e + r2 * f
    x10 = r3 * a + r4 * b + r5 * c
    x11 = r3 * b + r4 * d + r5 * e
    x12 = r3 * c + r4 * e + r5 * f
    x20 = r6 * a + r7 * b + r8 * c
    x21 = r6 * b + r7 * d + r8 * e
    x22 = r6 * c + r7 * e + r8 * f
    return (
        x00 * r0 + x01 * r1 + x02 * r2,
        x00 * r3 + x01 * r4 + x02 * r5,
        x00 * r6 + x01 * r7 + x02 * r8,
        x10 * r3 + x11 * r4 + x12 * r5,
        x10 * r6 + x11 * r7 + x12 * r8,
        x20 * r6 + x21 * r7 + x22 * r8,
    )


@inline
def shift_sym(E: Tuple, a: Tuple, b: Tuple, c: Tuple) -> Tuple:
    """Moves [[a, b], [bᵀ, c]], turned to the parent's axes already, from the child's origin to the parent's."""
    px, py, pz = E[9], E[10], E[11]
    b00, b01, b02, b10, b11, b12, b20, b21, b22 = b
    c00, c01, c02, c11, c12, c22 = c
    # B = b + [p] c
    d00 = b00 - pz * c01 + py * c02
    d01 = b01 - pz * c11 + py * c12
    d02 = b02 - pz * c12 + py * c22
    d10 = b10 + pz * c00 - px * c02
    d11 = b11 + pz * c01 - px * c12
    d12 = b12 + pz * c02 - px * c22
    d20 = b20 - py * c00 + px * c01
    d21 = b21 - py * c01 + px * c11
    d22 = b22 - py * c02 + px * c12
    # A = a - b [p] + [p] Bᵀ; row i of b [p] is (b_i x p), column j of [p] Bᵀ is p x (row j of B)
    return (
        a[0] - (b01 * pz - b02 * py) + (py * d02 - pz * d01),
        a[1] - (b02 * px - b00 * pz) + (py * d12 - pz * d11),
        a[2] - (b00 * py - b01 * px) + (py * d22 - pz * d21),
        a[3] - (b12 * px - b10 * pz) + (pz * d10 - px * d12),
        a[4] - (b10 * py - b11 * px) + (pz * d20 - px * d22),
        a[5] - (b20 * py - b21 * px) + (px * d21 - py * d20),
        d00, d01, d02, d10, d11, d12, d20, d21, d22,
        c00, c01, c02, c11, c12, c22,
    )  # fmt: skip


@inline
def sym_up(E: Tuple, M: Tuple) -> Tuple:
    """Ad(E⁻¹)ᵀ M Ad(E⁻¹): an inertia of the child frame at pose E, seen from the parent frame."""
    a = rotate_sym3(E, M[0], M[1], M[2], M[3], M[4], M[5])
    c = rotate_sym3(E, M[15], M[16], M[17], M[18], M[19], M[20])
    r0, r1, r2, r3, r4, r5, r6, r7, r8 = E[0], E[1], E[2], E[3], E[4], E[5], E[6], E[7], E[8]
    # R B Rᵀ
    x00 = r0 * M[6] + r1 * M[9] + r2 * M[12]
    x01 = r0 * M[7] + r1 * M[10] + r2 * M[13]
    x02 = r0 * M[8] + r1 * M[11] + r2 * M[14]
    x10 = r3 * M[6] + r4 * M[9] + r5 * M[12]
    x11 = r3 * M[7] + r4 * M[10] + r5 * M[13]
    x12 = r3 * M[8] + r4 * M[11] + r5 * M[14]
    x20 = r6 * M[6] + r7 * M[9] + r8 * M[12]
    x21 = r6 * M[7] + r7 * M[10] + r8 * M[13]
    x22 = r6 * M[8] + r7 * M[11] + r8 * M[14]
    b = (
        x00 * r0 + x01 * r1 + x02 * r2, x00 * r3 + x01 * r4 + x02 * r5, x00 * r6 + x01 * r7 + x02 * r8,
        x10 * r0 + x11 * r1 + x12 * r2, x10 * r3 + x11 * r4 + x12 * r5, x10 * r6 + x11 * r7 + x12 * r8,
        x20 * r0 + x21 * r1 + x22 * r2, x20 * r3 + x21 * r4 + x22 * r5, x20 * r6 + x21 * r7 + x22 * r8,
    )  # fmt: skip
    return shift_sym(E, a, b, c)


@inline
def add21(a: Tuple, b: Tuple) -> Tuple:
    return (
        a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5], a[6] + b[6],
        a[7] + b[7], a[8] + b[8], a[9] + b[9], a[10] + b[10], a[11] + b[11], a[12] + b[12], a[13] + b[13],
        a[14] + b[14], a[15] + b[15], a[16] + b[16], a[17] + b[17], a[18] + b[18], a[19] + b[19],
        a[20] + b[20],
    )  # fmt: skip
