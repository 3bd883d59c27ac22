"""Two routes through a body's linear system on its free vertices: conjugate gradients, and a sparse factor.

Conjugate gradients run on (D + L)⁻¹ A (D + Lᵀ)⁻¹, where symmetric Gauss-Seidel has become a multiplication by D, and
A = (D + L) + (D + Lᵀ) - D makes a product with that matrix the same two sweeps (Eisenstat 1981): an iteration costs
what a product with A does.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from ...jit.decorators import njit, subroutine
from ...model.records import Floats, Ints
from .sweeps import BlockMatrix, block_times, row_part, sweep_backwards, sweep_forwards


@subroutine
def _weigh(free: Ints, diagonal: Ints, value: Floats, r: Floats, z: Floats) -> float:
    """z = D r, and r · z."""
    total = 0.0
    for k in range(len(free)):
        i = free[k]
        y = block_times(value, diagonal[i], r[i, 0], r[i, 1], r[i, 2])
        z[i, 0], z[i, 1], z[i, 2] = y[0], y[1], y[2]
        total += r[i, 0] * y[0] + r[i, 1] * y[1] + r[i, 2] * y[2]
    return total


@njit
def _pcg(
    free: Ints,
    first: Ints,
    diagonal: Ints,
    held_from: Ints,
    column: Ints,
    value: Floats,
    D_inv: Floats,
    b: Floats,
    tolerance: float,
    most: int,
    x: Floats,
) -> int:
    """Solves for the free rows of x from the guess in them, the others being known. Returns iterations, negative for
    a matrix that is not positive definite."""
    nv = len(b)
    r, z, p = np.zeros((nv, 3)), np.zeros((nv, 3)), np.zeros((nv, 3))
    t, w = np.zeros((nv, 3)), np.zeros((nv, 3))
    for k in range(len(free)):  # what is asked, measured without the guess, sets the tolerance
        i = free[k]
        y = row_part(held_from[i], first[i + 1], column, value, x)
        for c in range(3):
            r[i, c] = b[i, c] - y[c]
    sweep_forwards(free, first, diagonal, column, value, D_inv, r, t)
    stop = tolerance * tolerance * _weigh(free, diagonal, value, t, z)
    for k in range(len(free)):
        i = free[k]
        y = row_part(first[i], held_from[i], column, value, x)
        for c in range(3):
            r[i, c] -= y[c]
    sweep_forwards(free, first, diagonal, column, value, D_inv, r, r)
    rz = _weigh(free, diagonal, value, r, z)
    if not (stop >= 0.0 and rz >= 0.0):
        return -1
    if rz <= stop:
        return 0
    for k in range(len(free)):
        i = free[k]
        for c in range(3):
            p[i, c] = z[i, c]
    for iteration in range(1, most + 1):
        sweep_backwards(free, diagonal, held_from, column, value, D_inv, p, t, w)
        sweep_forwards(free, first, diagonal, column, value, D_inv, w, w)
        pAp = 0.0
        for k in range(len(free)):
            i = free[k]
            for c in range(3):
                w[i, c] += t[i, c]
                pAp += p[i, c] * w[i, c]
        if not pAp > 0.0:
            return -iteration
        alpha = rz / pAp
        for k in range(len(free)):
            i = free[k]
            for c in range(3):
                x[i, c] += alpha * t[i, c]
                r[i, c] -= alpha * w[i, c]
        new = _weigh(free, diagonal, value, r, z)
        if new <= stop:
            return iteration
        beta = new / rz
        rz = new
        for k in range(len(free)):
            i = free[k]
            for c in range(3):
                p[i, c] = z[i, c] + beta * p[i, c]
    return most


def solve_pcg(
    A: BlockMatrix, b: Floats, x: Floats, tolerance: float = 1e-6, most: int = 2000
) -> tuple[Floats, int]:
    """A x = b on the free vertices, and the number of iterations; b and x are (nv, 3).

    x holds the known values of the held vertices and a guess for the others. It ends when the residual, as the
    preconditioner measures it, is `tolerance` times that of x = 0. NaN for a matrix that is not positive definite.
    """
    p = A.pattern
    x = x.copy()
    count = _pcg(
        p.free,
        p.first,
        p.diagonal,
        p.held_from,
        p.column,
        A.value,
        A.inverse_diagonal(),
        b,
        tolerance,
        most,
        x,
    )
    if count < 0:
        x[p.free] = np.nan
    return x, abs(count)


def solve_direct(A: BlockMatrix, b: Floats, x: Floats) -> Floats:
    """A x = b on the free vertices by a sparse factor; x holds the known values of the held ones."""
    p = A.pattern
    whole = scipy.sparse.bsr_matrix(
        (A.value.reshape(-1, 3, 3), p.column, p.first), shape=(3 * p.nv, 3 * p.nv)
    ).tocsr()
    free = (3 * p.free[:, None] + np.arange(3)).reshape(-1)
    known = x.copy()
    known[p.free] = 0.0
    rest = (b - A.times(known))[p.free].reshape(-1)
    factor = scipy.sparse.linalg.splu(
        whole[free][:, free].tocsc(), permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}
    )
    known[p.free] = factor.solve(rest).reshape(-1, 3)
    return known
