"""A symmetric matrix of 3x3 blocks: products, and sweeps over its triangles. Vectors are (nv, 3).

With A = L + D + Lᵀ on the free vertices, D being the blocks on the diagonal, the symmetric Gauss-Seidel
preconditioner is (D + L) D⁻¹ (D + Lᵀ): one sweep forwards, one backwards.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...algebra.spatial import Tuple
from ...jit.decorators import inline, njit, subroutine
from ...model.records import Floats, Ints
from .pattern import BlockPattern


@dataclass(frozen=True)
class BlockMatrix:
    pattern: BlockPattern
    value: Floats
    """Blocks, row by row, shape (nb, 9)."""

    def add_to_diagonal(self, amount: Floats) -> None:
        """Add a multiple of the identity to the block of each vertex; amount (nv,)."""
        for c in (0, 4, 8):
            self.value[self.pattern.diagonal, c] += amount

    def times(self, x: Floats) -> Floats:
        """A x with all rows and columns, held ones too, shape (nv, 3)."""
        out: Floats = np.empty_like(x)
        p = self.pattern
        _times(p.first, p.column, self.value, x, out)
        return out

    def inverse_diagonal(self) -> Floats:
        """Inverses of the blocks on the diagonal, row by row, shape (nv, 9); NaN for those not positive definite."""
        out: Floats = np.empty((self.pattern.nv, 9))
        _invert_blocks(self.pattern.diagonal, self.value, out)
        return out


@inline
def row_part(begin: int, end: int, column: Ints, value: Floats, x: Floats) -> Tuple:
    """Σ A_n x_n over the blocks begin:end of one row."""
    a, b, c = 0.0, 0.0, 0.0
    for n in range(begin, end):
        j = column[n]
        x0, x1, x2 = x[j, 0], x[j, 1], x[j, 2]
        a += value[n, 0] * x0 + value[n, 1] * x1 + value[n, 2] * x2
        b += value[n, 3] * x0 + value[n, 4] * x1 + value[n, 5] * x2
        c += value[n, 6] * x0 + value[n, 7] * x1 + value[n, 8] * x2
    return (a, b, c)


@inline
def block_times(value: Floats, n: int, a: float, b: float, c: float) -> Tuple:
    """Block n times (a, b, c)."""
    return (
        value[n, 0] * a + value[n, 1] * b + value[n, 2] * c,
        value[n, 3] * a + value[n, 4] * b + value[n, 5] * c,
        value[n, 6] * a + value[n, 7] * b + value[n, 8] * c,
    )


@njit
def _times(first: Ints, column: Ints, value: Floats, x: Floats, out: Floats) -> None:
    for i in range(len(out)):
        y = row_part(first[i], first[i + 1], column, value, x)
        out[i, 0], out[i, 1], out[i, 2] = y[0], y[1], y[2]


@njit
def _invert_blocks(diagonal: Ints, value: Floats, out: Floats) -> None:
    for i in range(len(diagonal)):
        n = diagonal[i]
        a, b, c, d, e, f = value[n, 0], value[n, 1], value[n, 2], value[n, 4], value[n, 5], value[n, 8]
        ka, kb, kc = d * f - e * e, c * e - b * f, b * e - c * d
        det = a * ka + b * kb + c * kc
        s = 1.0 / det if a > 0.0 and a * d > b * b and det > 0.0 else np.nan
        out[i, 0], out[i, 1], out[i, 2] = s * ka, s * kb, s * kc
        out[i, 3], out[i, 4], out[i, 5] = s * kb, s * (a * f - c * c), s * (b * c - a * e)
        out[i, 6], out[i, 7], out[i, 8] = s * kc, s * (b * c - a * e), s * (a * d - b * b)


@subroutine
def sweep_forwards(
    free: Ints, first: Ints, diagonal: Ints, column: Ints, value: Floats, D_inv: Floats, r: Floats, z: Floats
) -> None:
    """z = (D + L)⁻¹ r on the free vertices. r and z may be the same array."""
    for k in range(len(free)):
        i = free[k]
        y = row_part(first[i], diagonal[i], column, value, z)
        y = block_times(D_inv, i, r[i, 0] - y[0], r[i, 1] - y[1], r[i, 2] - y[2])
        z[i, 0], z[i, 1], z[i, 2] = y[0], y[1], y[2]


@subroutine
def sweep_backwards(
    free: Ints,
    diagonal: Ints,
    held_from: Ints,
    column: Ints,
    value: Floats,
    D_inv: Floats,
    p: Floats,
    t: Floats,
    w: Floats,
) -> None:
    """t = (D + Lᵀ)⁻¹ p on the free vertices, and w = Lᵀ t along the way."""
    for k in range(len(free) - 1, -1, -1):
        i = free[k]
        y = row_part(diagonal[i] + 1, held_from[i], column, value, t)
        w[i, 0], w[i, 1], w[i, 2] = y[0], y[1], y[2]
        y = block_times(D_inv, i, p[i, 0] - y[0], p[i, 1] - y[1], p[i, 2] - y[2])
        t[i, 0], t[i, 1], t[i, 2] = y[0], y[1], y[2]
