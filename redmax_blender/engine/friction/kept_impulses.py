"""Impulses of contacts from one step to the next, by the keys of the contacts."""

from __future__ import annotations

import numpy as np

from ..contact.arrays import Floats, Ints
from ..jit import njit


@njit
def guess_impulses(
    keys: Ints, impulse: Floats, key: Ints, normal: Floats, tangent: Floats, follows: Ints, mu: Floats, begin: int,
    value: Floats, bound: Floats,
) -> None:  # fmt: skip
    """Impulses of contacts from row `begin` on that were there before, and the bounds that follow from them."""
    for c in range(len(key)):
        low, high = 0, len(keys)
        while low < high:
            middle = (low + high) // 2
            if keys[middle] < key[c]:
                low = middle + 1
            else:
                high = middle
        if low == len(keys) or keys[low] != key[c]:
            continue
        i = begin + 3 * c
        for k in range(3):
            f = impulse[low, k]
            value[i] += f * normal[c, k]
            value[i + 1] += f * tangent[c, 0, k]
            value[i + 2] += f * tangent[c, 1, k]
        value[i] = max(value[i], 0.0)
    for b in range(len(follows)):
        if follows[b] >= 0:
            bound[b] = mu[b] * value[follows[b]]


@njit
def sort_impulses(
    key: Ints,
    normal: Floats,
    tangent: Floats,
    begin: int,
    value: Floats,
    impulse: Floats,
    keys: Ints,
    kept: Floats,
) -> None:
    """Impulses of contacts in the world, as they are (nc, 3), and by their keys, which come nearly sorted."""
    order = np.empty(len(key), np.int64)
    for c in range(len(key)):
        i = begin + 3 * c
        for k in range(3):
            impulse[c, k] = (
                value[i] * normal[c, k] + value[i + 1] * tangent[c, 0, k] + value[i + 2] * tangent[c, 1, k]
            )
        at = c
        while at > 0 and key[order[at - 1]] > key[c]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = c
    for c in range(len(key)):
        keys[c] = key[order[c]]
        for k in range(3):
            kept[c, k] = impulse[order[c], k]
