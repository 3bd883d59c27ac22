"""The matrix of a linearised body as 3x3 blocks: all of them, or those on the diagonal."""

from __future__ import annotations

from ...algebra.spatial import Tuple, matmul3
from ...jit.decorators import inline, njit
from ...model.records import Floats, Ints
from ..elements import Linearised
from ..materials.stretch import transposed


@inline
def _load9(row: Floats, t: int, at: int) -> Tuple:
    return (
        row[t, at], row[t, at + 1], row[t, at + 2], row[t, at + 3], row[t, at + 4], row[t, at + 5],
        row[t, at + 6], row[t, at + 7], row[t, at + 8],
    )  # fmt: skip


@inline
def _block(row: Floats, t: int, U: Tuple, Ut: Tuple, a: Tuple, b: Tuple) -> Tuple:
    """The block of two corners with the rest gradients a and b, both in the frame of V."""
    ab0, ab1, ab2 = a[0] * b[0], a[1] * b[1], a[2] * b[2]
    K = (
        row[t, 18] * ab0 + row[t, 24] * ab1 + row[t, 26] * ab2,
        row[t, 19] * a[0] * b[1] + row[t, 30] * a[1] * b[0],
        row[t, 20] * a[0] * b[2] + row[t, 31] * a[2] * b[0],
        row[t, 19] * a[1] * b[0] + row[t, 30] * a[0] * b[1],
        row[t, 21] * ab1 + row[t, 25] * ab0 + row[t, 28] * ab2,
        row[t, 22] * a[1] * b[2] + row[t, 32] * a[2] * b[1],
        row[t, 20] * a[2] * b[0] + row[t, 31] * a[0] * b[2],
        row[t, 22] * a[2] * b[1] + row[t, 32] * a[1] * b[2],
        row[t, 23] * ab2 + row[t, 27] * ab0 + row[t, 29] * ab1,
    )
    return matmul3(matmul3(U, K), Ut)


@inline
def _add(values: Floats, n: int, K: Tuple) -> None:
    for c in range(9):
        values[n, c] += K[c]


@inline
def _minus_sum(a: Tuple, b: Tuple, c: Tuple) -> Tuple:
    return (
        -a[0] - b[0] - c[0], -a[1] - b[1] - c[1], -a[2] - b[2] - c[2], -a[3] - b[3] - c[3], -a[4] - b[4] - c[4],
        -a[5] - b[5] - c[5], -a[6] - b[6] - c[6], -a[7] - b[7] - c[7], -a[8] - b[8] - c[8],
    )  # fmt: skip


@njit
def _blocks(block: Ints, row: Floats, values: Floats) -> None:
    for t in range(len(row)):
        U = _load9(row, t, 0)
        Ut = transposed(U)
        B = _load9(row, t, 9)
        b1, b2, b3 = (B[0], B[1], B[2]), (B[3], B[4], B[5]), (B[6], B[7], B[8])
        K11 = _block(row, t, U, Ut, b1, b1)
        K12 = _block(row, t, U, Ut, b1, b2)
        K13 = _block(row, t, U, Ut, b1, b3)
        K22 = _block(row, t, U, Ut, b2, b2)
        K23 = _block(row, t, U, Ut, b2, b3)
        K33 = _block(row, t, U, Ut, b3, b3)
        K21, K31, K32 = transposed(K12), transposed(K13), transposed(K23)
        # moving all corners alike costs nothing: rows and columns of blocks add up to zero
        K10, K20, K30 = _minus_sum(K11, K12, K13), _minus_sum(K21, K22, K23), _minus_sum(K31, K32, K33)
        _add(values, block[t, 0], _minus_sum(K10, K20, K30))
        _add(values, block[t, 1], transposed(K10))
        _add(values, block[t, 2], transposed(K20))
        _add(values, block[t, 3], transposed(K30))
        _add(values, block[t, 4], K10)
        _add(values, block[t, 5], K11)
        _add(values, block[t, 6], K12)
        _add(values, block[t, 7], K13)
        _add(values, block[t, 8], K20)
        _add(values, block[t, 9], K21)
        _add(values, block[t, 10], K22)
        _add(values, block[t, 11], K23)
        _add(values, block[t, 12], K30)
        _add(values, block[t, 13], K31)
        _add(values, block[t, 14], K32)
        _add(values, block[t, 15], K33)


def add_blocks(lin: Linearised, block: Ints, values: Floats) -> None:
    """Add h D - h² K to blocks of a pattern; `block` (nt, 16) says which (`pattern.tet_pattern`)."""
    _blocks(block, lin.row, values)


@njit
def _diagonal(corner: Ints, row: Floats, out: Floats) -> None:
    for t in range(len(row)):
        U = _load9(row, t, 0)
        Ut = transposed(U)
        B = _load9(row, t, 9)
        b0 = (-B[0] - B[3] - B[6], -B[1] - B[4] - B[7], -B[2] - B[5] - B[8])
        b1, b2, b3 = (B[0], B[1], B[2]), (B[3], B[4], B[5]), (B[6], B[7], B[8])
        _add(out, corner[t, 0], _block(row, t, U, Ut, b0, b0))
        _add(out, corner[t, 1], _block(row, t, U, Ut, b1, b1))
        _add(out, corner[t, 2], _block(row, t, U, Ut, b2, b2))
        _add(out, corner[t, 3], _block(row, t, U, Ut, b3, b3))


def add_diagonal_blocks(lin: Linearised, out: Floats) -> None:
    """Add the 3x3 blocks on the diagonal of h D - h² K, row by row, to out (nv, 9)."""
    _diagonal(lin.tets.corner, lin.row, out)
