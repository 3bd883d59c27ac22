"""Where the blocks of flesh stand in sparse matrices of numbers, found once: all that is left to a step is to copy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from .fem.pattern import BlockPattern
from .model import Floats, Ints


@dataclass(frozen=True)
class SparseLayout:
    """Of the coordinates of free vertices, in an order that makes factors sparse, and of held ones."""

    free: Ints
    """Numbers of the coordinates of free vertices, shape (3 nf,)."""
    held: Ints
    """Numbers of the coordinates of held vertices, shape (3 nh,)."""
    inner: Any
    """Columns and rows of `free`; its entries say which number of the blocks stands there."""
    across: Any
    """Rows of `free`, then of `held`, and columns of `held`, likewise."""

    def inner_matrix(self, value: Floats) -> Any:
        """The matrix between free vertices of blocks `value` (nb, 9), by columns."""
        m = self.inner
        return scipy.sparse.csc_matrix((value.reshape(-1)[m.data], m.indices, m.indptr), shape=m.shape)

    def across_matrix(self, value: Floats) -> Any:
        """The matrix from held to all vertices, free ones first, by rows."""
        m = self.across
        return scipy.sparse.csr_matrix((value.reshape(-1)[m.data], m.indices, m.indptr), shape=m.shape)


def sparse_layout(p: BlockPattern) -> SparseLayout:
    # Sparse matrices drop nothing as long as no entry is zero: count from 1.
    number = 1 + np.arange(9 * p.nb, dtype=np.int64)
    whole = scipy.sparse.bsr_matrix((number.reshape(-1, 3, 3), p.column, p.first), shape=(3 * p.nv, 3 * p.nv))
    rows = whole.tocsr()
    free, held = coordinates(p.free), coordinates(p.held)
    if len(free):
        free = free[_order(rows[free][:, free])]
    inner = rows[free][:, free].tocsc()
    across = rows[np.concatenate([free, held])][:, held].tocsr()
    for m in (inner, across):
        m.sort_indices()
        m.data -= 1
    return SparseLayout(free, held, inner, across)


def coordinates(vertex: Ints) -> Ints:
    """Numbers of the coordinates of vertices, shape (3 n,)."""
    return np.asarray((3 * vertex[:, None] + np.arange(3)).reshape(-1))


def _order(pattern: Any) -> Ints:
    """An order of the unknowns in which the factor of a matrix with this pattern has few entries."""
    like = pattern.astype(np.float64)
    like.data[:] = -1.0
    like = (like + scipy.sparse.diags(2.0 * np.diff(like.indptr))).tocsc()  # dominated by its diagonal
    found = scipy.sparse.linalg.splu(
        like, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
    )
    return np.argsort(found.perm_c).astype(np.int64)
