"""Which rows of a step have to do with each other, and which move nothing."""

from __future__ import annotations

import numpy as np

from ..algebra.arrays import Floats, Ints, Mask, Places
from ..jit.decorators import borrower, njit

_MOVES = 1e-14
"""A row whose response is this fraction of the strongest moves nothing."""
_WEAK = 1e-9
"""Least response of a row, as a fraction of the strongest of its block."""


@borrower
def _root(up: Ints, t: int) -> int:
    while up[t] != t:
        up[t] = up[up[t]]
        t = up[t]
    return t


@borrower
def _join(
    at: Places, index: Places, entry: Floats, free: Mask, first: Ints, tree: Ints, up: Ints, number: Ints,
    touched: Ints, island: Ints,
) -> int:  # fmt: skip
    """Number the islands: blocks that share no tree which can move, even through others, are apart.

    `up` and `number` have room for as many as there are trees, and `touched` for the blocks.
    """
    for t in range(len(up)):
        up[t], number[t] = t, -1
    for b in range(len(island)):
        touched[b] = -1
        for e in range(at[first[b]], at[first[b + 1]]):
            if entry[e] == 0.0 or not free[index[e]]:
                continue
            t = tree[index[e]]
            if t == touched[b]:
                continue
            if touched[b] >= 0:
                up[_root(up, t)] = _root(up, touched[b])
            touched[b] = t
    count = 0
    for b in range(len(island)):
        root = _root(up, max(touched[b], 0))
        if number[root] < 0:
            number[root] = count
            count += 1
        island[b] = number[root]
    return count


@njit
def find_islands(
    at: Places, index: Places, entry: Floats, free: Mask, first: Ints, normal: Ints, tree: Ints, trees: int,
    apart: bool, diagonal: Floats, island: Ints, brace: Floats,
) -> int:  # fmt: skip
    """The island of each block (nb,), -1 for blocks that nothing can move, and for friction whose normal row is such
    a one: nothing presses. Returns how many islands there are.

    `diagonal` (m,) is that of W. Within the others, rows that nothing can move get a response of their own: `brace`
    (m,) is what the diagonal lacks for that.
    """
    nb = len(island)
    if nb == 0:
        return 0
    count = 1
    if apart and trees > 1:
        room = np.empty(2 * trees + nb, np.int64)
        up, number, touched = room[:trees], room[trees : 2 * trees], room[2 * trees :]
        count = _join(at, index, entry, free, first, tree, up, number, touched, island)
    else:
        island[:] = 0
    still = np.zeros(len(diagonal), np.bool_)
    most = 0.0
    for i in range(len(diagonal)):
        most = max(most, diagonal[i])
    for b in range(nb):
        largest = 0.0
        for i in range(first[b], first[b + 1]):
            largest = max(largest, diagonal[i])
        if largest <= _MOVES * most or (normal[b] >= 0 and still[normal[b]]):
            island[b] = -1
        for i in range(first[b], first[b + 1]):
            brace[i] = max(_WEAK * largest - diagonal[i], 0.0)
            still[i] = island[b] < 0
    return count
