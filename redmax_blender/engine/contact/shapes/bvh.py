"""A tree of boxes over anything that has one, and all that overlap.

Sorted along a space-filling curve (Morton), neighbours in the order are neighbours in space, and a binary tree over the
order needs no pointers: node k has the children 2k and 2k+1, and the leaves are the second half.
"""

from __future__ import annotations

import numpy as np

from ...algebra.arrays import Floats, Ints
from ...jit.decorators import njit, subroutine
from ..near.sorting import sort_order


@subroutine
def _spread(x: int) -> int:
    """Two zero bits after every bit of a number of 16 bits."""
    x = (x | x << 16) & 0x0000FF0000FF
    x = (x | x << 8) & 0x00F00F00F00F
    x = (x | x << 4) & 0x0C30C30C30C3
    return (x | x << 2) & 0x249249249249


@subroutine
def _morton(low: Floats, high: Floats, out: Ints) -> None:
    """Numbers of the middles of boxes along Morton's curve."""
    n = len(low)
    least, most = np.full(3, np.inf), np.full(3, -np.inf)
    for i in range(n):
        for c in range(3):
            x = low[i, c] + high[i, c]
            least[c], most[c] = min(least[c], x), max(most[c], x)
    # One size of cells for all axes: a flat scene is a flat grid.
    span = max(most[0] - least[0], most[1] - least[1], most[2] - least[2], 1e-300)
    for i in range(n):
        code = 0
        for c in range(3):
            cell = int((low[i, c] + high[i, c] - least[c]) * (65535.0 / span))
            code = code << 1 | _spread(min(cell, 65535))
        out[i] = code


@subroutine
def fill_tree(low: Floats, high: Floats, order: Ints, nodes: Floats) -> None:
    """Order (n,) of boxes along the curve, and the nodes (low corner, high corner) over it."""
    codes = np.empty(len(low), np.int64)
    _morton(low, high, codes)
    sort_order(codes, len(low), order)
    m = len(nodes) // 2
    for p in range(m):
        for c in range(3):
            if p < len(order):
                nodes[m + p, c], nodes[m + p, 3 + c] = low[order[p], c], high[order[p], c]
            else:
                nodes[m + p, c], nodes[m + p, 3 + c] = np.inf, -np.inf
    for k in range(m - 1, 0, -1):
        for c in range(3):
            nodes[k, c] = min(nodes[2 * k, c], nodes[2 * k + 1, c])
            nodes[k, 3 + c] = max(nodes[2 * k, 3 + c], nodes[2 * k + 1, 3 + c])


@njit
def _build(low: Floats, high: Floats, order: Ints, nodes: Floats) -> None:
    fill_tree(low, high, order, nodes)


def build(low: Floats, high: Floats) -> tuple[Ints, Floats]:
    """Order and nodes (low corner, high corner) of the tree over boxes (n, 3), (n, 3); equal places in their order."""
    leaves = 1
    while leaves < len(low):
        leaves *= 2
    order, nodes = np.empty(len(low), np.int64), np.empty((2 * leaves, 6))
    _build(low, high, order, nodes)
    return order, nodes
