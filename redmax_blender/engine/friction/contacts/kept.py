"""Impulses of contacts from one step to the next, by the keys of the contacts, or else by where they are."""

from __future__ import annotations

import numpy as np

from ...algebra.arrays import Floats, Ints, Mask
from ...contact.shapes.kinds import KEYS
from ...jit.decorators import borrower, njit


@borrower
def _first_from(keys: Ints, key: int) -> int:
    """Where the keys, which are in order, are at least `key`."""
    low, high = 0, len(keys)
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


@borrower
def _nearest(keys: Ints, place: Floats, taken: Mask, pair: int, x: Floats, c: int) -> int:
    """The contact of a pair that is nearest to row c of x, of those that are not taken; -1 where there is none.

    What features meet is a matter of rounding where faces lie on each other edge to edge: keys come and go there,
    while the points stay.
    """
    found, least = -1, np.inf
    k = _first_from(keys, pair * KEYS)
    while k < len(keys) and keys[k] < (pair + 1) * KEYS:
        if not taken[k]:
            square = 0.0
            for d in range(3):
                square += (place[k, d] - x[c, 0, d]) ** 2
            if square < least:
                found, least = k, square
        k += 1
    return found


@njit
def guess_impulses(
    keys: Ints, impulse: Floats, place: Floats, key: Ints, x: Floats, normal: Floats, tangent: Floats, follows: Ints,
    mu: Floats, begin: int, value: Floats, bound: Floats,
) -> None:  # fmt: skip
    """Impulses of contacts from row `begin` on that were there before, and the bounds that follow from them.

    `x` (nc, 2, 3) are the points of the contacts, `place` (n, 3) those of side 0 of the contacts before.
    """
    before, taken = np.empty(len(key), np.int64), np.zeros(len(keys), np.bool_)
    for c in range(len(key)):
        k = _first_from(keys, key[c])
        before[c] = -1
        if k < len(keys) and keys[k] == key[c]:
            before[c] = k
            taken[k] = True
    for c in range(len(key)):
        if before[c] < 0 and key[c] >= 0:  # below zero are ropes, which are no surfaces
            before[c] = _nearest(keys, place, taken, key[c] // KEYS, x, c)
        if before[c] < 0:
            continue
        taken[before[c]] = True
        i = begin + 3 * c
        for k in range(3):
            f = impulse[before[c], k]
            value[i] += f * normal[c, k]
            value[i + 1] += f * tangent[c, 0, k]
            value[i + 2] += f * tangent[c, 1, k]
        value[i] = max(value[i], 0.0)
    for b in range(len(follows)):
        if follows[b] >= 0:
            bound[b] = mu[b] * value[follows[b]]


@njit
def sort_impulses(
    key: Ints, x: Floats, normal: Floats, tangent: Floats, begin: int, value: Floats, impulse: Floats, keys: Ints,
    kept: Floats, place: Floats,
) -> None:  # fmt: skip
    """Impulses of contacts in the world, as they are (nc, 3), and by their keys, which come nearly sorted, with the
    points of side 0."""
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
            place[c, k] = x[order[c], 0, k]
