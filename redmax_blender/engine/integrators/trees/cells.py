"""Cells: links that loops bind together, and the one link that each cell hangs on.

A loop joins two links; what it binds are the links on the ways from them to where these ways meet. Loops that share
such a link are in one cell. A cell then hangs on a single link, its base, or on the world: seen from there its rows are
met already, and the recursion over the tree goes on as if the cell were one joint with several links. A tower of many
loops so costs as much as its loops one by one, and only loops that share links are solved with a matrix of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...model.records import Ints, Model


@dataclass(frozen=True)
class Cells:
    """nc cells; rows are those of loops, and then those of their pins."""

    of_link: Ints
    """The cell whose first link this is, -1 for all other links, shape (nl,)."""
    carried: Ints
    """How many coordinates move each link, up to the root, shape (nl,)."""
    base: Ints
    """The link that a cell hangs on, -1 for the world, shape (nc,)."""
    row_at: Ints
    """shape (nc+1,)"""
    rows: Ints
    """Those of loops before those of pins."""
    factor_at: Ints
    """Where the square matrix of its rows begins, shape (nc+1,)."""
    way_at: Ints
    """For each of all rows, as `entry_at`, shape (r+1,)"""
    ways: Ints
    """The links that a row pushes, up to the base of its cell: children before parents."""
    entry_at: Ints
    entries: Ints
    """The coordinates of these links, the last one of a link first."""

    def parts(self) -> list[Ints]:
        return [
            self.of_link, self.carried, self.base, self.row_at, self.rows, self.factor_at, self.way_at, self.ways,
            self.entry_at, self.entries,
        ]  # fmt: skip


def find_cells(model: Model) -> Cells:
    rows, parent = model.constraints.rows, model.tree.parent
    links = list(rows.link)
    owner = list(rows.owner)
    if model.friction is not None:
        links += list(model.friction.loops.link)
        owner += list(model.friction.loops.constraint)
    cell_of: dict[int, int] = {}
    bound: list[set[int]] = []
    mine: list[list[int]] = []
    for i, pair in enumerate(links):
        if i >= len(rows.owner):  # a pin goes with the rows of its loop
            c = next((c for c, some in enumerate(mine) if any(owner[r] == owner[i] for r in some)), -1)
            if c < 0:
                continue  # a loop without rows binds nothing, and its pin carries nothing
            mine[c].append(i)
            continue
        between = ways(parent, pair)
        touched = sorted({cell_of[j] for j in between if j in cell_of})
        joined, together = set(between), [i]
        for c in touched:
            joined |= bound[c]
            together = mine[c] + together
            bound[c], mine[c] = set(), []
        bound.append(joined)
        mine.append(sorted(together))
        for j in joined:
            cell_of[j] = len(bound) - 1
    return _packed(model, links, [each for each in zip(bound, mine, strict=True) if each[1]])


def ways(parent: Ints, pair: Sequence[int]) -> list[int]:
    """Links on the ways from both links of a pair to where these ways meet."""
    paths = [_path(parent, link) for link in pair]
    common = set(paths[0]) & set(paths[1])
    return [j for path in paths for j in path if j not in common]


def _path(parent: Ints, link: int) -> list[int]:
    """A link and all above it."""
    j, path = int(link), []
    while j >= 0:
        path.append(j)
        j = int(parent[j])
    return path


def _packed(model: Model, pairs: list[Any], cells: list[tuple[set[int], list[int]]]) -> Cells:
    """pairs: the two links of every row; cells: links and rows of each."""
    parent, dof = model.tree.parent, model.tree.dof
    of_link, carried = np.full(model.nl, -1), np.diff(dof)
    for j, p in enumerate(parent):
        if p >= 0:
            carried[j] += carried[p]
    base: list[int] = []
    rows: list[int] = []
    sizes = np.array([len(mine) for _, mine in cells], np.int64)
    pushes: list[list[int]] = [[] for _ in pairs]
    for c, (bound, mine) in enumerate(cells):
        if not bound:  # both sides on one link: nothing can move these rows
            base.append(-1)
            rows += mine
            continue
        of_link[min(bound)] = c
        base.append(int(parent[min(bound)]))
        rows += mine
        for i in mine:
            touched = {j for link in pairs[i] for j in _path(parent, link)}
            pushes[i] = sorted(touched & bound, reverse=True)
    entries = [[k for j in each for k in range(dof[j + 1] - 1, dof[j] - 1, -1)] for each in pushes]
    parts: list[Any] = [of_link, carried, base, np.cumsum([0, *sizes]), rows, np.cumsum([0, *sizes**2])]
    for of_rows in (pushes, entries):
        parts += [np.cumsum([0, *map(len, of_rows)]), [i for each in of_rows for i in each]]
    return Cells(*(np.asarray(part, np.int64) for part in parts))
