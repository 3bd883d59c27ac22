"""Overlaps that are made smaller, and how far coordinates may go for that: the end of a step in `step.py`."""

from __future__ import annotations

import numpy as np

from ..algebra.arrays import Floats, Ints, Mask, Places
from ..impulses.laws import PUSH
from ..impulses.ordering import sorted_by
from ..impulses.pace import NEWTON
from ..impulses.solve import Layout, solve_islands
from ..jit.decorators import borrower, subroutine
from .parts import Rows

_PARTED = 1e-2
"""Residual with which overlaps are parted: by a fifth in every step."""


@subroutine
def part_overlaps(
    at: Places, index: Places, pushed: Floats, free: Mask, gap: Floats, stops: int, rows: Rows, bonded: int,
    bond: int, bond_block: int, contacts: int, blocks: int, stride: int, island: Ints, layout: Layout, part: float,
    slop: float, whole: Floats,
) -> None:  # fmt: skip
    """Impulses of all rows, for moves rather than velocities, with which overlaps become less by a fraction `part` of
    what they are above `slop` [m], gaps do not close, and stops and bonds hold (`friction/contacts/depenetrate.py`).
    Rows of bonds begin at `bond`, and their blocks at `bond_block`; those of contacts at `contacts` and `blocks`.
    Friction and springs have no part in it.

    Islands without an overlap stay as they are."""
    fixed, islands = stops + bonded, len(layout.size)
    n = fixed + len(gap)
    places, ints, floats = np.empty((2, n), np.uint32), np.empty((5, n + 1), np.int64), np.zeros((4, n))
    begin, end = places[0], places[1]
    first, kind, normal, where, row_of = ints[0], ints[1], ints[2], ints[3], ints[4]
    way, value = floats[0], floats[1]
    overlaps = np.zeros(islands, np.bool_)
    for i in range(n):
        space, block = 0.0, i
        row_of[i], kind[i] = i, PUSH
        if i >= fixed:
            c = i - fixed
            row_of[i], block, space = contacts + 3 * c, blocks + stride * c, gap[c]
        elif i >= stops:
            c = i - stops
            row_of[i], block, space, kind[i] = bond + c, bond_block + c, rows.gap[c], rows.kind[c]
        row = row_of[i]
        begin[i], end[i], first[i], normal[i] = at[row], at[row + 1], i, -1
        where[i] = island[block]
        if i >= stops and i < fixed and rows.soft[i - stops] > 0.0:
            where[i] = -1
        way[i] = -space if space > 0.0 else max(part * (-space - slop), 0.0)
        if where[i] >= 0 and space < -slop:
            overlaps[where[i]] = True
    for i in range(n):
        if where[i] >= 0 and not overlaps[where[i]]:
            where[i] = -1
    first[n] = n
    sorted_by(where[:n], islands, layout.first_block, layout.member)
    solve_islands(
        begin, end, index, pushed, free, way, first, kind[:n], floats[2], normal[:n], floats[2], where[:n], layout,
        _PARTED, _PARTED, 0.0, NEWTON, 0.0, False, floats[3], value,
    )  # fmt: skip
    for i in range(len(whole)):
        whole[i] = 0.0
    for i in range(n):
        whole[row_of[i]] = value[i]


@borrower
def move_within(
    dof: Ints, side: Floats, limit: Floats, holding: Mask, tree: Ints, part: Floats, goal: Floats, q: Floats
) -> None:
    """Coordinates to `goal` (nr,), or as far towards it as the stops of their tree that have no row let them; those
    whose stops hold alone stay where they do, however little moves them. `part` has room for all trees."""
    part[:] = 1.0
    for i in range(len(dof)):
        k = dof[i]
        before, after = side[i] * (q[k] - limit[i]), side[i] * (goal[k] - limit[i])
        if after >= 0.0 or after >= before:
            continue
        if holding[i]:
            goal[k] = limit[i] + side[i] * min(before, 0.0)
        else:
            part[tree[k]] = min(part[tree[k]], max(before, 0.0) / (before - after))
    for k in range(len(q)):
        q[k] += part[tree[k]] * (goal[k] - q[k])
