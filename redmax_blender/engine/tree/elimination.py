"""Articulated inertias: what is left of an inertia when a joint's coordinates are eliminated, seen from the parent.

Eliminating a coordinate whose column of S is a unit vector leaves a row and a column of zeros. The functions here
carry such inertias to the parent without the products with those zeros; `spatial.sym_up` is the general one.
"""

from __future__ import annotations

from ..algebra.spatial import Floats, Tuple, cross, rotate_sym3, shift_sym
from ..jit.decorators import inline


@inline
def column(M: Tuple, k: int) -> Tuple:
    """Column k of a symmetric 6x6 matrix."""
    if k == 0:
        return (M[0], M[1], M[2], M[6], M[7], M[8])
    if k == 1:
        return (M[1], M[3], M[4], M[9], M[10], M[11])
    if k == 2:
        return (M[2], M[4], M[5], M[12], M[13], M[14])
    if k == 3:
        return (M[6], M[9], M[12], M[15], M[16], M[17])
    if k == 4:
        return (M[7], M[10], M[13], M[16], M[18], M[19])
    return (M[8], M[11], M[14], M[17], M[19], M[20])


@inline
def up_without_x_rotation(E: Tuple, M: Tuple) -> Tuple:
    """Ad(E⁻¹)ᵀ M Ad(E⁻¹) when the first row and column of M vanish, as behind a hinge about x."""
    r0, r1, r2, r3, r4, r5, r6, r7, r8 = E[0], E[1], E[2], E[3], E[4], E[5], E[6], E[7], E[8]
    # R A Rᵀ
    y01, y02 = r1 * M[3] + r2 * M[4], r1 * M[4] + r2 * M[5]
    y11, y12 = r4 * M[3] + r5 * M[4], r4 * M[4] + r5 * M[5]
    y21, y22 = r7 * M[3] + r8 * M[4], r7 * M[4] + r8 * M[5]
    a = (
        y01 * r1 + y02 * r2, y01 * r4 + y02 * r5, y01 * r7 + y02 * r8,
        y11 * r4 + y12 * r5, y11 * r7 + y12 * r8, y21 * r7 + y22 * r8,
    )  # fmt: skip
    # R B Rᵀ
    x00, x01, x02 = r1 * M[9] + r2 * M[12], r1 * M[10] + r2 * M[13], r1 * M[11] + r2 * M[14]
    x10, x11, x12 = r4 * M[9] + r5 * M[12], r4 * M[10] + r5 * M[13], r4 * M[11] + r5 * M[14]
    x20, x21, x22 = r7 * M[9] + r8 * M[12], r7 * M[10] + r8 * M[13], r7 * M[11] + r8 * M[14]
    b = (
        x00 * r0 + x01 * r1 + x02 * r2, x00 * r3 + x01 * r4 + x02 * r5, x00 * r6 + x01 * r7 + x02 * r8,
        x10 * r0 + x11 * r1 + x12 * r2, x10 * r3 + x11 * r4 + x12 * r5, x10 * r6 + x11 * r7 + x12 * r8,
        x20 * r0 + x21 * r1 + x22 * r2, x20 * r3 + x21 * r4 + x22 * r5, x20 * r6 + x21 * r7 + x22 * r8,
    )  # fmt: skip
    c = rotate_sym3(E, M[15], M[16], M[17], M[18], M[19], M[20])
    return shift_sym(E, a, b, c)


@inline
def times_hinge_bias(M: Tuple, b: Tuple) -> Tuple:
    """M b when the first row and column of M vanish and b has no component about or along x."""
    return (
        0.0,
        M[3] * b[1] + M[4] * b[2] + M[10] * b[4] + M[11] * b[5],
        M[4] * b[1] + M[5] * b[2] + M[13] * b[4] + M[14] * b[5],
        M[9] * b[1] + M[12] * b[2] + M[16] * b[4] + M[17] * b[5],
        M[10] * b[1] + M[13] * b[2] + M[18] * b[4] + M[19] * b[5],
        M[11] * b[1] + M[14] * b[2] + M[19] * b[4] + M[20] * b[5],
    )


@inline
def up_without_rotation(E: Tuple, M: Tuple) -> Tuple:
    """Ad(E⁻¹)ᵀ M Ad(E⁻¹) when only the linear block C of M is left, as behind a ball joint."""
    c00, c01, c02, c11, c12, c22 = rotate_sym3(E, M[15], M[16], M[17], M[18], M[19], M[20])
    px, py, pz = E[9], E[10], E[11]
    # B = [p] C, A = [p] Bᵀ
    b00, b01, b02 = py * c02 - pz * c01, py * c12 - pz * c11, py * c22 - pz * c12
    b10, b11, b12 = pz * c00 - px * c02, pz * c01 - px * c12, pz * c02 - px * c22
    b20, b21, b22 = px * c01 - py * c00, px * c11 - py * c01, px * c12 - py * c02
    return (
        py * b02 - pz * b01, py * b12 - pz * b11, py * b22 - pz * b21,
        pz * b10 - px * b12, pz * b20 - px * b22, px * b21 - py * b20,
        b00, b01, b02, b10, b11, b12, b20, b21, b22,
        c00, c01, c02, c11, c12, c22,
    )  # fmt: skip


@inline
def up_without_translation(E: Tuple, M: Tuple) -> Tuple:
    """Ad(E⁻¹)ᵀ M Ad(E⁻¹) when only the angular block A of M is left, as behind a translational joint."""
    a = rotate_sym3(E, M[0], M[1], M[2], M[3], M[4], M[5])
    return (
        a[0], a[1], a[2], a[3], a[4], a[5],
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    )  # fmt: skip


# A rigid body's inertia about a point that is not its centre c is ten numbers: the symmetric A, m c and m. They stand
# in this order from column `o` of a row; B = [m c] and C = m 1.


@inline
def rigid_inertia(a: Floats, j: int, o: int) -> Tuple:
    """The inertia of ten numbers as a symmetric 6x6 matrix of 21."""
    x, y, z, m = a[j, o + 6], a[j, o + 7], a[j, o + 8], a[j, o + 9]
    return (
        a[j, o], a[j, o + 1], a[j, o + 2], a[j, o + 3], a[j, o + 4], a[j, o + 5],
        0.0, -z, y, z, 0.0, -x, -y, x, 0.0,
        m, 0.0, 0.0, m, 0.0, m,
    )  # fmt: skip


@inline
def add_rigid_inertia(M: Tuple, a: Floats, j: int, o: int) -> Tuple:
    """M plus the inertia of ten numbers."""
    x, y, z, m = a[j, o + 6], a[j, o + 7], a[j, o + 8], a[j, o + 9]
    return (
        M[0] + a[j, o], M[1] + a[j, o + 1], M[2] + a[j, o + 2],
        M[3] + a[j, o + 3], M[4] + a[j, o + 4], M[5] + a[j, o + 5],
        M[6], M[7] - z, M[8] + y, M[9] + z, M[10], M[11] - x, M[12] - y, M[13] + x, M[14],
        M[15] + m, M[16], M[17], M[18] + m, M[19], M[20] + m,
    )  # fmt: skip


@inline
def gyroscopic_wrench(a: Floats, j: int, o: int, V: Tuple) -> Tuple:
    """-ad(V)ᵀ M V of the inertia of ten numbers: what it takes to keep a rigid body at the twist V."""
    w, v = (V[0], V[1], V[2]), (V[3], V[4], V[5])
    mc, m = (a[j, o + 6], a[j, o + 7], a[j, o + 8]), a[j, o + 9]
    turning, sliding = cross(w, mc), cross(mc, v)
    momentum = (m * v[0] + turning[0], m * v[1] + turning[1], m * v[2] + turning[2])
    spin = (
        a[j, o] * w[0] + a[j, o + 1] * w[1] + a[j, o + 2] * w[2] + sliding[0],
        a[j, o + 1] * w[0] + a[j, o + 3] * w[1] + a[j, o + 4] * w[2] + sliding[1],
        a[j, o + 2] * w[0] + a[j, o + 4] * w[1] + a[j, o + 5] * w[2] + sliding[2],
    )
    n, k, f = cross(w, spin), cross(v, momentum), cross(w, momentum)
    return (n[0] + k[0], n[1] + k[1], n[2] + k[2], f[0], f[1], f[2])
