"""A Cholesky factor of the free vertices' matrix, by columns of 3x3 blocks.

Where its blocks stand depends on the pattern alone and is found once (`elimination`): an order with little fill, and
the blocks of every column. Columns are right-looking: a finished one is taken from the columns that it has blocks in.
The inverses of the triangles on the diagonal are kept in place of the triangles.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from ...algebra.spatial import Tuple
from ...jit.decorators import inline, njit
from ...model.records import Floats, Ints
from .pattern import BlockPattern


@dataclass(frozen=True)
class Elimination:
    """Of nf free vertices: an order, and nL blocks of the factor in it."""

    order: Ints
    """The vertices as they are eliminated, shape (nf,)."""
    rank: Ints
    """When each vertex is eliminated, -1 for held ones, shape (nv,)."""
    first: Ints
    """Column j has the blocks first[j]:first[j+1], the diagonal one first, shape (nf+1,)."""
    row: Ints
    """Row of each block, increasing in every column, shape (nL,)."""
    source: Ints
    """The block of the matrix that comes there, -1 where it only fills in, shape (nL,)."""

    @cached_property
    def products(self) -> float:
        """Multiplications that a factor takes, roughly."""
        return 27.0 * float(np.sum(np.diff(self.first).astype(np.float64) ** 2))


def elimination(p: BlockPattern) -> Elimination:
    """Symbolic work for a pattern."""
    nf = len(p.free)
    rank = np.full(p.nv, -1, np.int64)
    rank[p.free] = np.arange(nf)
    i, j = rank[np.repeat(np.arange(p.nv), np.diff(p.first))], rank[p.column]
    inner = np.flatnonzero((i >= 0) & (j >= 0))
    order = p.free[_little_fill(nf, i[inner], j[inner])] if nf else p.free
    rank[order] = np.arange(nf)
    i, j = rank[np.repeat(np.arange(p.nv), np.diff(p.first))], rank[p.column]
    lower = np.flatnonzero((i >= j) & (j >= 0))
    lower = lower[np.lexsort((i[lower], j[lower]))]
    start = np.searchsorted(j[lower], np.arange(nf + 1))
    columns: list[Ints] = []
    waiting: list[list[Ints]] = [[] for _ in range(nf)]
    for k in range(nf):
        own = i[lower[start[k] : start[k + 1]]]
        rows = np.unique(np.concatenate([own, *waiting[k]])) if waiting[k] else own
        columns.append(rows)
        if len(rows) > 1:
            waiting[rows[1]].append(rows[1:])
    first = np.cumsum([0] + [len(rows) for rows in columns]).astype(np.int64)
    row = np.concatenate([*columns, np.zeros(0, np.int64)])
    key = np.repeat(np.arange(nf), np.diff(first)) * nf + row
    source = np.full(len(row), -1, np.int64)
    source[np.searchsorted(key, j[lower] * nf + i[lower])] = lower
    return Elimination(order, rank, first, row, source)


def _little_fill(n: int, i: Ints, j: Ints) -> Ints:
    """An order of the unknowns of a symmetric matrix with entries at (i, j), by minimum degree."""
    like = scipy.sparse.coo_matrix((np.full(len(i), -1.0), (i, j)), shape=(n, n)).tocsc()
    like = (like + scipy.sparse.diags(2.0 * np.diff(like.indptr))).tocsc()  # dominated by its diagonal
    found = scipy.sparse.linalg.splu(
        like, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
    )
    return np.argsort(found.perm_c).astype(np.int64)


@inline
def _inverse_triangle(L: Floats, n: int) -> Tuple:
    """The inverse of the lower Cholesky factor of block n: 00, 10, 11, 20, 21, 22. Not finite where it has none."""
    a = 1.0 / np.sqrt(L[n, 0])
    l10, l20 = L[n, 3] * a, L[n, 6] * a
    b = 1.0 / np.sqrt(L[n, 4] - l10 * l10)
    l21 = (L[n, 7] - l20 * l10) * b
    c = 1.0 / np.sqrt(L[n, 8] - l20 * l20 - l21 * l21)
    u10, u21 = -l10 * a * b, -l21 * b * c
    return (a, u10, b, -c * (l20 * a + l21 * u10), u21, c)


@njit
def _factor(first: Ints, row: Ints, source: Ints, value: Floats, L: Floats) -> int:
    """Returns 1 for a matrix that is not positive definite."""
    for n in range(len(row)):
        s = source[n]
        for c in range(9):
            L[n, c] = value[s, c] if s >= 0 else 0.0
    for j in range(len(first) - 1):
        begin, end = first[j], first[j + 1]
        u = _inverse_triangle(L, begin)
        if not (u[0] < np.inf and u[2] < np.inf and u[5] < np.inf):
            return 1
        L[begin, 0], L[begin, 1], L[begin, 2] = u[0], 0.0, 0.0
        L[begin, 3], L[begin, 4], L[begin, 5] = u[1], u[2], 0.0
        L[begin, 6], L[begin, 7], L[begin, 8] = u[3], u[4], u[5]
        for n in range(begin + 1, end):
            for r in range(3):
                x, y, z = L[n, 3 * r], L[n, 3 * r + 1], L[n, 3 * r + 2]
                L[n, 3 * r] = x * u[0]
                L[n, 3 * r + 1] = x * u[1] + y * u[2]
                L[n, 3 * r + 2] = x * u[3] + y * u[4] + z * u[5]
        for m in range(begin + 1, end):
            a0, a1, a2 = L[m, 0], L[m, 1], L[m, 2]
            b0, b1, b2 = L[m, 3], L[m, 4], L[m, 5]
            c0, c1, c2 = L[m, 6], L[m, 7], L[m, 8]
            at = first[row[m]]
            for n in range(m, end):
                while row[at] != row[n]:  # the column there has all rows of this one
                    at += 1
                for r in range(3):
                    x, y, z = L[n, 3 * r], L[n, 3 * r + 1], L[n, 3 * r + 2]
                    L[at, 3 * r] -= x * a0 + y * a1 + z * a2
                    L[at, 3 * r + 1] -= x * b0 + y * b1 + z * b2
                    L[at, 3 * r + 2] -= x * c0 + y * c1 + z * c2
    return 0


def cholesky(e: Elimination, value: Floats) -> Floats:
    """The factor of the matrix with blocks `value` (nb, 9), shape (nL, 9); LinAlgError where there is none."""
    L: Floats = np.empty((len(e.row), 9))
    if _factor(e.first, e.row, e.source, value, L):
        raise np.linalg.LinAlgError("the matrix is not positive definite")
    return L


@njit
def _forwards(first: Ints, row: Ints, L: Floats, Y: Floats) -> None:
    m = Y.shape[2]
    y = np.empty((3, m))
    for j in range(len(first) - 1):
        n = first[j]
        a, b, c, d, e, f = L[n, 0], L[n, 3], L[n, 4], L[n, 6], L[n, 7], L[n, 8]
        for k in range(m):
            u, v, w = Y[j, 0, k], Y[j, 1, k], Y[j, 2, k]
            y[0, k], y[1, k], y[2, k] = a * u, b * u + c * v, d * u + e * v + f * w
        for k in range(m):
            Y[j, 0, k], Y[j, 1, k], Y[j, 2, k] = y[0, k], y[1, k], y[2, k]
        for n in range(first[j] + 1, first[j + 1]):
            i = row[n]
            for r in range(3):
                a, b, c = L[n, 3 * r], L[n, 3 * r + 1], L[n, 3 * r + 2]
                for k in range(m):
                    Y[i, r, k] -= a * y[0, k] + b * y[1, k] + c * y[2, k]


def forwards(e: Elimination, L: Floats, Y: Floats) -> None:
    """L⁻¹ Y in place, for Y (nf, 3, m) with rows in the order of elimination."""
    _forwards(e.first, e.row, L, Y)


@njit
def _backwards(order: Ints, first: Ints, row: Ints, L: Floats, y: Floats, out: Floats) -> None:
    for j in range(len(first) - 2, -1, -1):
        u, v, w = y[j, 0], y[j, 1], y[j, 2]
        for n in range(first[j] + 1, first[j + 1]):
            i = order[row[n]]
            a, b, c = out[i, 0], out[i, 1], out[i, 2]
            u -= L[n, 0] * a + L[n, 3] * b + L[n, 6] * c
            v -= L[n, 1] * a + L[n, 4] * b + L[n, 7] * c
            w -= L[n, 2] * a + L[n, 5] * b + L[n, 8] * c
        n, i = first[j], order[j]
        out[i, 0] = L[n, 0] * u + L[n, 3] * v + L[n, 6] * w
        out[i, 1] = L[n, 4] * v + L[n, 7] * w
        out[i, 2] = L[n, 8] * w


def backwards(e: Elimination, L: Floats, y: Floats) -> Floats:
    """L⁻ᵀ y for y (nf, 3) in the order of elimination, at the vertices, zero for held ones, shape (nv, 3)."""
    out: Floats = np.zeros((len(e.rank), 3))
    _backwards(e.order, e.first, e.row, L, y, out)
    return out
