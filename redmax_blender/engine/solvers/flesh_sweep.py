"""Symmetric Gauss-Seidel on the free vertices of flesh, as a preconditioner by itself."""

from __future__ import annotations

import numpy as np

from ..fem.solving.sweeps import BlockMatrix, block_times, sweep_backwards, sweep_forwards
from ..jit.decorators import njit
from ..model.records import Floats, Ints


@njit
def _sweep(
    free: Ints,
    first: Ints,
    diagonal: Ints,
    held_from: Ints,
    column: Ints,
    value: Floats,
    D_inv: Floats,
    r: Floats,
    z: Floats,
    out: Floats,
) -> None:
    sweep_forwards(free, first, diagonal, column, value, D_inv, r, z)
    for k in range(len(free)):
        i = free[k]
        y = block_times(value, diagonal[i], z[i, 0], z[i, 1], z[i, 2])
        z[i, 0], z[i, 1], z[i, 2] = y[0], y[1], y[2]
    w = np.empty_like(z)
    sweep_backwards(free, diagonal, held_from, column, value, D_inv, z, out, w)


def symmetric_sweep(A: BlockMatrix, D_inv: Floats, r: Floats) -> Floats:
    """((D + L) D⁻¹ (D + Lᵀ))⁻¹ r on the free vertices, zero on the others; r and the result are (nv, 3)."""
    p = A.pattern
    z: Floats = np.zeros_like(r)
    out: Floats = np.zeros_like(r)
    _sweep(p.free, p.first, p.diagonal, p.held_from, p.column, A.value, D_inv, r, z, out)
    return out
