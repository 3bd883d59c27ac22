"""Sorting whole numbers inside kernels: a byte at a time, stable, in time that grows with their number."""

from __future__ import annotations

import numpy as np

from ...algebra.arrays import Ints
from ...jit.decorators import subroutine

_FEW = 24
"""Numbers that are sorted by inserting one after the other."""


@subroutine
def sort_order(keys: Ints, n: int, order: Ints) -> None:
    """The order (n,) in which the first n of `keys`, none of them negative, increase; ties in their own order."""
    for i in range(n):
        order[i] = i
    if n <= _FEW:
        for i in range(1, n):
            at = i
            while at > 0 and keys[order[at - 1]] > keys[i]:
                order[at] = order[at - 1]
                at -= 1
            order[at] = i
        return
    most = 0
    for i in range(n):
        most = max(most, keys[i])
    other, begin = np.empty(n, np.int64), np.empty(257, np.int64)
    shift = 0
    while most >> shift > 0:
        begin[:] = 0
        for i in range(n):
            begin[(keys[i] >> shift & 255) + 1] += 1
        for digit in range(256):
            begin[digit + 1] += begin[digit]
        for i in range(n):
            digit = keys[order[i]] >> shift & 255
            other[begin[digit]] = order[i]
            begin[digit] += 1
        for i in range(n):
            order[i] = other[i]
        shift += 8
