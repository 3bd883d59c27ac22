"""Islands taken apart: which blocks they have, and an order of their coordinates with entries near the diagonal."""

from __future__ import annotations

import numpy as np

from ..algebra.arrays import Mask, Places
from ..jit.decorators import borrower, inline, subroutine
from ..model.records import Ints


@borrower
def sorted_by(key: Ints, count: int, first: Ints, member: Ints) -> None:
    """Those with key k, in order, at member[first[k]:first[k+1]]; keys below zero are left out."""
    for k in range(count + 1):
        first[k] = 0
    for a in range(len(key)):
        if key[a] >= 0:
            first[key[a] + 1] += 1
    for k in range(count):
        first[k + 1] += first[k]
    for a in range(len(key)):
        if key[a] >= 0:
            member[first[key[a]]] = a
            first[key[a]] += 1
    for k in range(count, 0, -1):
        first[k] = first[k - 1]
    first[0] = 0


@inline
def _alike(begin: Places, end: Places, index: Places, i: int, j: int) -> bool:
    """Whether rows i and j move the same path: as long, and from the same coordinate on."""
    some = end[i] > begin[i]
    return bool(some and end[i] - begin[i] == end[j] - begin[j] and index[begin[i]] == index[begin[j]])


@borrower
def _touches(
    begin: Places, end: Places, index: Places, free: Mask, tree: Ints, first: Ints, normal: Ints, island: Ints,
    start: Ints, touched: Ints, span: Ints, seen: Ints, local: Ints,
) -> None:  # fmt: skip
    """The trees that each block moves, at touched[start[b]:start[b+1]]; the coordinates that rows move, as zeros in
    `local`; and between which of them each tree has its own, in `span`.

    Friction moves the trees that its normal row moves: such blocks have none here. That of a contact moves the same
    coordinates, too, that of a stop others as well. `seen` has room for all trees.
    """
    for t in range(len(span)):
        span[t, 0], span[t, 1], seen[t] = len(local), 0, -1
    count, alone = 0, len(span) == 1  # then what a row shares with others says nothing new
    for b in range(len(island)):
        start[b] = count
        if island[b] < 0:
            continue
        follows = normal[b] >= 0
        if follows and _alike(begin, end, index, normal[b], first[b]):
            continue
        for row in range(first[b], first[b + 1]):
            for e in range(begin[row], end[row]):
                c = index[e]
                if not free[c] or (local[c] == 0 and alone and count > start[b]):
                    continue
                t = tree[c]
                local[c] = 0
                span[t, 0], span[t, 1] = min(span[t, 0], c), max(span[t, 1], c + 1)
                if seen[t] != b and not follows:
                    seen[t] = b
                    touched[count] = t
                    count += 1
    start[len(island)] = count


@borrower
def _reverse(start: Ints, touched: Ints, nb: int, of_tree: Ints, member: Ints) -> None:
    """The blocks that move each tree, at member[of_tree[t]:of_tree[t+1]]."""
    trees = len(of_tree) - 1
    for s in range(start[nb]):
        of_tree[touched[s] + 1] += 1
    for t in range(trees):
        of_tree[t + 1] += of_tree[t]
    for b in range(nb):
        for s in range(start[b], start[b + 1]):
            t = touched[s]
            member[of_tree[t]] = b
            of_tree[t] += 1
    for t in range(trees, 0, -1):
        of_tree[t] = of_tree[t - 1]
    of_tree[0] = 0


@borrower
def _spread(
    root: int, stamp: int, start: Ints, touched: Ints, of_tree: Ints, member: Ints, reached: Ints, used: Ints,
    order: Ints,
) -> int:  # fmt: skip
    """Trees in the order in which they are reached from one, through blocks that they share; returns their number."""
    order[0] = root
    reached[root] = stamp
    count, k = 1, 0
    while k < count:
        t = order[k]
        k += 1
        for s in range(of_tree[t], of_tree[t + 1]):
            b = member[s]
            if used[b] == stamp:
                continue
            used[b] = stamp
            for a in range(start[b], start[b + 1]):
                other = touched[a]
                if reached[other] != stamp:
                    reached[other] = stamp
                    order[count] = other
                    count += 1
    return count


@borrower
def _number(tree: Ints, span: Ints, order: Ints, count: int, n: int, local: Ints) -> int:
    """Number the coordinates of trees in order, child before parent, from n on; returns where that ends."""
    for s in range(count):
        t = order[s]
        for c in range(span[t, 1] - 1, span[t, 0] - 1, -1):
            if local[c] >= 0 and tree[c] == t:
                local[c] = n
                n += 1
    return n


@subroutine
def number_coordinates(
    begin: Places, end: Places, index: Places, free: Mask, tree: Ints, trees: int, first: Ints, normal: Ints,
    island: Ints, first_block: Ints, member: Ints, local: Ints, size: Ints,
) -> None:  # fmt: skip
    """A number within its island for each coordinate that rows move, in `local`, which comes as -1; and how many there
    are in each island, in `size`.

    Islands have the blocks member[first_block[k]:first_block[k+1]]. Trees come in the order in which they are reached
    from one far out, so that those which touch have numbers near each other.
    """
    nb, entries = len(island), 0
    for b in range(nb):
        if normal[b] < 0:
            for row in range(first[b], first[b + 1]):
                entries += end[row] - begin[row]
    room = np.empty(2 * entries + 2 * nb + 6 * trees + 2, np.int64)
    start, room = room[: nb + 1], room[nb + 1 :]
    used, room = room[:nb], room[nb:]
    touched, of_block, room = room[:entries], room[entries : 2 * entries], room[2 * entries :]
    of_tree, room = room[: trees + 1], room[trees + 1 :]
    span, reached, order = (
        room[: 2 * trees].reshape(trees, 2),
        room[2 * trees : 3 * trees],
        room[3 * trees : 4 * trees],
    )
    _touches(begin, end, index, free, tree, first, normal, island, start, touched, span, order, local)
    of_tree[:], reached[:], used[:] = 0, -1, -1
    _reverse(start, touched, nb, of_tree, of_block)
    stamp = 0
    for k in range(len(size)):
        n = 0
        for a in range(first_block[k], first_block[k + 1]):
            b = member[a]
            for s in range(start[b], start[b + 1]):
                if reached[touched[s]] >= 0:
                    continue
                count = _spread(touched[s], stamp, start, touched, of_tree, of_block, reached, used, order)
                far = order[count - 1]
                count = _spread(far, stamp + 1, start, touched, of_tree, of_block, reached, used, order)
                stamp += 2
                n = _number(tree, span, order, count, n, local)
        size[k] = n
