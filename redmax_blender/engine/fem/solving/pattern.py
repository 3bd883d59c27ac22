"""Where the 3x3 blocks of a body's matrix stand: compressed rows, computed once.

Some vertices may be held: pinned, or carried by a bone. The columns of a row are sorted so that what a sweep over the
free vertices needs is one range each: free columns before the diagonal, the diagonal, free columns after it, and then
the held ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...model.records import Floats, Ints


@dataclass(frozen=True)
class BlockPattern:
    """nv rows with nb blocks in all."""

    first: Ints
    """Row i has the blocks first[i]:first[i+1], shape (nv+1,)."""
    column: Ints
    """shape (nb,)."""
    diagonal: Ints
    """The block on the diagonal of each row, shape (nv,)."""
    held_from: Ints
    """Row i has its held columns at held_from[i]:first[i+1], shape (nv,)."""
    free: Ints
    """The vertices that are unknowns, in increasing order."""
    held: Ints
    """The others."""

    @property
    def nv(self) -> int:
        return len(self.diagonal)

    @property
    def nb(self) -> int:
        return len(self.column)

    def zeros(self) -> Floats:
        """Blocks for this pattern, row by row, shape (nb, 9)."""
        return np.zeros((self.nb, 9))

    def blocks(self, row: Ints, column: Ints) -> Ints:
        """The number of the block at each (row, column), which must exist."""
        key = np.repeat(np.arange(self.nv), np.diff(self.first)) * self.nv + self.column
        order = np.argsort(key, kind="stable")
        found: Ints = order[np.searchsorted(key, row * self.nv + column, sorter=order)]
        return found


def block_pattern(nv: int, row: Ints, column: Ints, held: Ints | None = None) -> BlockPattern:
    """The pattern that has the diagonal, the blocks (row, column), and their mirror images."""
    all_rows = np.concatenate([np.arange(nv), row, column])
    all_columns = np.concatenate([np.arange(nv), column, row])
    pairs = np.unique(all_rows * nv + all_columns)
    i, j = pairs // nv, pairs % nv
    is_held: NDArray[np.bool_] = np.zeros(nv, bool)
    if held is not None:
        is_held[held] = True
    order = np.lexsort((j, is_held[j], i))
    i, j = i[order], j[order]
    first = np.zeros(nv + 1, np.int64)
    np.cumsum(np.bincount(i, minlength=nv), out=first[1:])
    free_columns = np.bincount(i[~is_held[j]], minlength=nv)
    return BlockPattern(
        first=first,
        column=np.ascontiguousarray(j),
        diagonal=np.flatnonzero(i == j),
        held_from=first[:-1] + free_columns,
        free=np.flatnonzero(~is_held),
        held=np.flatnonzero(is_held),
    )


def tet_pattern(
    nv: int, corner: Ints, held: Ints | None = None, pairs: Ints | None = None
) -> tuple[BlockPattern, Ints]:
    """The pattern of a body of tetrahedra, and the block of each pair of corners of each, shape (nt, 16).

    It has the blocks of more `pairs` (n, 2) of vertices, where these are given.
    """
    a, b = (index.reshape(-1) for index in np.meshgrid(np.arange(4), np.arange(4), indexing="ij"))
    row, column = corner[:, a], corner[:, b]
    more = np.zeros((0, 2), np.int64) if pairs is None else pairs
    pattern = block_pattern(
        nv,
        np.concatenate([row.reshape(-1), more[:, 0]]),
        np.concatenate([column.reshape(-1), more[:, 1]]),
        held,
    )
    return pattern, np.ascontiguousarray(pattern.blocks(row.reshape(-1), column.reshape(-1)).reshape(-1, 16))
