"""Which pieces come near each other: pairs of overlapping boxes that may collide at all."""

from __future__ import annotations

import numpy as np

from ...algebra.arrays import Floats, Ints, Mask
from ...jit.decorators import borrower, njit, subroutine
from ..shapes.bvh import fill_tree
from .sorting import sort_order

_DEPTH = 64
_FEW = 32
"""Pieces of which each is compared with each: a tree pays from there on."""


@borrower
def _among(sorted_: Ints, value: int) -> bool:
    low, high = 0, len(sorted_)
    while low < high:
        middle = (low + high) // 2
        if sorted_[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low < len(sorted_) and sorted_[low] == value


@borrower
def may_collide(
    i: int, j: int, owner: Ints, link: Ints, collider: Ints, vertex: Ints, still: Mask,
    group: Ints, ignores: Ints, apart: Ints, parted: Ints, bodies_collide: bool,
) -> bool:  # fmt: skip
    """Whether two pieces are of things that can touch, wherever they are."""
    a, b = owner[i], owner[j]
    if a == b or (still[i] and still[j]) or (link[i] == link[j] and link[i] >= 0):
        return False
    if vertex[i] >= 0 and vertex[j] >= 0:
        return False
    if not bodies_collide and collider[i] < 0 and collider[j] < 0:
        return False
    if (group[a] & ignores[b]) | (group[b] & ignores[a]):
        return False
    n = len(group)
    if _among(apart, min(a, b) * n + max(a, b)):
        return False
    return not (_among(parted, i * n + b) or _among(parted, j * n + a))


@borrower
def _put(i: int, j: int, members: int, n: int, collider: Ints, count: int, out: Ints) -> int:
    if count < len(out):
        # Flesh is side 0, and a collider is side 1.
        first = i >= members or collider[j] >= 0 or (collider[i] < 0 and i < j)
        out[count] = i * n + j if first else j * n + i
    return count + 1


@borrower
def _boxes_meet(low: Floats, high: Floats, i: int, j: int) -> bool:
    return not (
        low[j, 0] > high[i, 0] or high[j, 0] < low[i, 0]
        or low[j, 1] > high[i, 1] or high[j, 1] < low[i, 1]
        or low[j, 2] > high[i, 2] or high[j, 2] < low[i, 2]
    )  # fmt: skip


@borrower
def _each_with_each(
    bounded: Ints, low: Floats, high: Floats, members: int, owner: Ints, link: Ints, collider: Ints, vertex: Ints,
    still: Mask, group: Ints, ignores: Ints, apart: Ints, parted: Ints, bodies_collide: bool, out: Ints,
) -> int:  # fmt: skip
    """Pairs as `_through_tree` finds them, by looking at all: the faster way for a few."""
    n = len(owner)
    count = 0
    for place in range(len(bounded) + n - members):
        i = bounded[place] if place < len(bounded) else members + place - len(bounded)
        for other in range(min(place, len(bounded))):
            j = bounded[other]
            if _boxes_meet(low, high, i, j) and may_collide(
                i, j, owner, link, collider, vertex, still, group, ignores, apart, parted, bodies_collide
            ):
                count = _put(i, j, members, n, collider, count, out)
    return count


@subroutine
def _through_tree(
    nodes: Floats, order: Ints, low: Floats, high: Floats, members: int, owner: Ints, link: Ints,
    collider: Ints, vertex: Ints, still: Mask, group: Ints, ignores: Ints, apart: Ints, parted: Ints,
    bodies_collide: bool, out: Ints,
) -> int:  # fmt: skip
    """Pairs (side 0, side 1) as side 0 · n + side 1; how many there are.

    Each piece of the tree asks for those after it in the tree's order. Pieces from `members` on only ask.
    """
    stack, width = np.empty(_DEPTH, np.int64), np.empty(_DEPTH, np.int64)
    leaves = len(nodes) // 2
    n = len(owner)
    count = 0
    for place in range(len(order) + n - members):
        if place < len(order):
            i, after = order[place], leaves + place
        else:
            i, after = members + place - len(order), -1
        top = 1
        stack[0], width[0] = 1, leaves
        while top:
            top -= 1
            k, wide = stack[top], width[top]
            if (
                (k + 1) * wide - 1 <= after
                or nodes[k, 0] > high[i, 0] or nodes[k, 3] < low[i, 0]
                or nodes[k, 1] > high[i, 1] or nodes[k, 4] < low[i, 1]
                or nodes[k, 2] > high[i, 2] or nodes[k, 5] < low[i, 2]
            ):  # fmt: skip
                continue
            if k < leaves:
                stack[top], stack[top + 1] = 2 * k, 2 * k + 1
                width[top], width[top + 1] = wide // 2, wide // 2
                top += 2
                continue
            j = order[k - leaves]
            if not may_collide(
                i, j, owner, link, collider, vertex, still, group, ignores, apart, parted, bodies_collide
            ):
                continue
            count = _put(i, j, members, n, collider, count, out)
    return count


@borrower
def _over_planes(
    planes: Ints, owner: Ints, link: Ints, collider: Ints, vertex: Ints,
    still: Mask, group: Ints, ignores: Ints, apart: Ints, parted: Ints, bodies_collide: bool,
    E: Floats, v: Floats, w: Floats, half: Floats, rounding: Floats, reach: Floats, slack: Floats,
    h: float, count: int, out: Ints,
) -> int:  # fmt: skip
    """Pairs of a piece and a plane that it can reach within the step, after those that are there."""
    n = len(owner)
    for p in planes:
        for i in range(n):
            if still[i]:
                continue
            height = -rounding[i]
            closing = 0.0
            for c in range(3):
                d = E[i, 9 + c] - E[p, 9 + c]
                height += E[p, 3 * c + 2] * d
                c1, c2 = (c + 1) % 3, (c + 2) % 3
                moved = v[p, c] + w[p, c1] * (E[i, 9 + c2] - E[p, 9 + c2])
                moved -= w[p, c2] * (E[i, 9 + c1] - E[p, 9 + c1])
                closing -= E[p, 3 * c + 2] * (v[i, c] - moved)
            turn = 0.0
            for c in range(3):
                turn += w[i, c] * w[i, c]
            reached = slack[i] + max(closing, 0.0) * h + np.sqrt(turn) * reach[i] * h
            if height > reached + reach[i]:
                continue
            for k in range(3):
                s = 0.0
                for c in range(3):
                    s += E[p, 3 * c + 2] * E[i, 3 * c + k]
                height -= abs(s) * half[i, k]
            if height > reached:
                continue
            if not may_collide(
                i, p, owner, link, collider, vertex, still, group, ignores, apart, parted, bodies_collide
            ):
                continue
            if count < len(out):
                out[count] = i * n + p
            count += 1
    return count


@njit
def find_pairs(
    bounded: Ints, planes: Ints, low: Floats, high: Floats, members: int, owner: Ints, link: Ints, collider: Ints,
    vertex: Ints, still: Mask, group: Ints, ignores: Ints, apart: Ints, parted: Ints, bodies_collide: bool, E: Floats,
    v: Floats, w: Floats, half: Floats, rounding: Floats, reach: Floats, slack: Floats, h: float, out: Ints,
) -> int:  # fmt: skip
    """Pairs of pieces to look at closely, as (side 0)·n + (side 1), in increasing order; how many there are.

    `bounded` are the pieces that others can come to. Of more than there is room for, some are missing.
    """
    nb = len(bounded)
    if nb <= _FEW:
        count = _each_with_each(
            bounded, low, high, members, owner, link, collider, vertex, still, group, ignores, apart, parted,
            bodies_collide, out,
        )  # fmt: skip
    else:
        leaves = 1
        while leaves < nb:
            leaves *= 2
        low_b, high_b = np.empty((nb, 3)), np.empty((nb, 3))
        for k in range(nb):
            for c in range(3):
                low_b[k, c], high_b[k, c] = low[bounded[k], c], high[bounded[k], c]
        order, nodes = np.empty(nb, np.int64), np.empty((2 * leaves, 6))
        fill_tree(low_b, high_b, order, nodes)
        for k in range(nb):
            order[k] = bounded[order[k]]
        count = _through_tree(
            nodes, order, low, high, members, owner, link, collider, vertex, still, group, ignores, apart, parted,
            bodies_collide, out,
        )  # fmt: skip
    count = _over_planes(
        planes, owner, link, collider, vertex, still, group, ignores, apart, parted, bodies_collide, E, v, w, half,
        rounding, reach, slack, h, count, out,
    )  # fmt: skip
    if count <= len(out):
        by_code, found = np.empty(count, np.int64), out[:count].copy()
        sort_order(found, count, by_code)
        for k in range(count):
            out[k] = found[by_code[k]]
    return count
