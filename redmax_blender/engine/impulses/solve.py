"""Impulses of blocks of rows (`dense.py` tells what they have to be) from the rows themselves, without their matrix.

A row moves a few coordinates: what it does costs as much as it has entries, and a step of Newton's what the coordinates
of its island cost to eliminate. Islands are solved one after the other. From the impulses of the last step, sweeps find
out roughly which contacts hold, slide and open; steps of Newton's, with the bounds of friction following the normal
impulses in the same step, make that exact. Where a step leads away from the solution, more sweeps come first.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..algebra.arrays import Mask, Places
from ..jit.decorators import borrower, njit, subroutine
from ..model.records import Floats, Ints
from .band import fill_in
from .island import Island, changes, project_all, weigh
from .laws import BOX, DISC, EQUAL, PUSH
from .newton import newton_step
from .ordering import number_coordinates, sorted_by
from .pace import (
    ASTRAY,
    CALM,
    EASE,
    FARTHEST,
    FEW,
    FIRST_SWEEPS,
    INSIDE_EASE,
    INSIDE_FARTHEST,
    INSIDE_NEAR,
    INSIDE_SWEEPS,
    NEAR,
    NEARLY,
    NEWTON,
    SWEEPS,
    pace,
)
from .sweeps import residual, sweeps

_SMALL, _MOST_SWEEPS = 24, 25
"""Coordinates of islands that are made exact by Newton steps even where something hits; in larger ones more sweeps come
first, and may be enough."""
_TRIES = 4
"""Newton steps after which what does not hit, and is not exact, may be as rough as what does."""
_ENOUGH = 1e-5
"""Residual with which it ends in any case where a Newton step makes no progress: rows that repeat each other, and want
to move by a little more or less than each other."""


ROUGH = 1e-3
"""The same for contacts with stops, where a few Newton steps have not made them exact: as a fraction of what holds the
heaviest of them against gravity. A finger of ten grams turns by a hundredth of a degree for it."""


_LINEAR = 1e-10
"""Residual of rows that all hold: a Newton step finds them, and another what rounding and ε left."""


class Room(NamedTuple):
    """What the solution of an island takes, made once for all of them: of rows, blocks and coordinates."""

    lam: Floats
    y: Floats
    way: Floats
    stiff: Floats
    goal: Floats
    trial: Floats
    old: Floats
    ahead: Floats
    best: Floats
    does: Ints
    z: Floats
    change: Floats
    wide: Floats
    old_z: Floats
    ahead_z: Floats
    inverse: Floats
    begin: Ints
    end: Ints
    C: Floats
    P: Floats
    V: Floats
    H: Floats
    filled: Mask
    scale: Floats
    """What residuals of the last island are a fraction of, shape (1,)."""


class Layout(NamedTuple):
    """Which blocks the islands have, and the numbers of their coordinates."""

    first_block: Ints
    """Island k has the blocks member[first_block[k]:first_block[k+1]]."""
    member: Ints
    size: Ints
    """Coordinates of each island."""
    local: Ints
    """Of each coordinate its number within its island, -1 where no row moves it."""
    root: Floats
    """Roots of D."""
    row_of: Ints
    """Number of each row within its island."""
    room: Room
    own: Island
    """What one island at a time takes."""


@subroutine
def _room(m: int, nb: int, n: int) -> Room:
    rows, wide = np.empty((9, m)), np.zeros((12, n))
    ints = np.empty(nb + n // 2, np.int64)
    return Room(
        rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6], rows[7], rows[8], ints[:nb], wide[0], wide[1],
        wide[2], wide[3], wide[4], wide[5], ints[nb : nb + n // 4], ints[nb + n // 4 :], np.empty((3, 3)), wide[6:9],
        wide[9:12], np.empty((n, n)), np.empty((n // 4, n // 4), np.bool_), np.empty(1),
    )  # fmt: skip


@subroutine
def _island(m: int, nb: int, entries: int) -> Island:
    ints, floats = np.empty(3 * nb + 1, np.int64), np.empty(5 * nb + m + entries)
    places = np.empty(m + 1 + entries, np.uint32)
    return Island(
        ints[: nb + 1], ints[nb + 1 : 2 * nb + 1], floats[:nb], ints[2 * nb + 1 :], floats[nb : 2 * nb],
        floats[2 * nb : 3 * nb], floats[3 * nb : 4 * nb], np.empty(nb, np.bool_), np.empty((nb, 2)), places[: m + 1],
        places[m + 1 :], floats[5 * nb + m :], floats[5 * nb : 5 * nb + m], floats[4 * nb : 5 * nb],
    )  # fmt: skip


@subroutine
def lay_out(
    begin: Places, end: Places, index: Places, D: Floats, free: Mask, tree: Ints, trees: int, first: Ints, normal: Ints,
    island: Ints, islands: int,
) -> Layout:  # fmt: skip
    """Where the rows of islands are, and room for their solution."""
    m, nb, nr, entries, most = len(begin), len(normal), len(D), 0, 0
    for i in range(m):
        entries += end[i] - begin[i]
    ints = np.empty(2 * islands + 1 + nb + nr + m, np.int64)
    first_block, size, ints = (
        ints[: islands + 1],
        ints[islands + 1 : 2 * islands + 1],
        ints[2 * islands + 1 :],
    )
    member, local, row_of = ints[:nb], ints[nb : nb + nr], ints[nb + nr :]
    root = np.zeros(nr)
    sorted_by(island, islands, first_block, member)
    local[:], row_of[:] = -1, -1
    number_coordinates(
        begin, end, index, free, tree, trees, first, normal, island, first_block, member, local, size
    )
    for c in range(nr):
        if local[c] >= 0:
            root[c] = math.sqrt(D[c])
    for k in range(islands):
        most = max(most, size[k])
    room, own = _room(m, nb, (most + 3) // 4 * 4), _island(m, nb, entries)
    return Layout(first_block, member, size, local, root, row_of, room, own)


@borrower
def _profile(island: Island, nb: int, n: int, begin: Ints, end: Ints, filled: Mask) -> None:
    """Columns that the fours of rows of H have entries at, with what fills in: between which, and in which fours."""
    first, normal, rubs, at, column = island.first, island.normal, island.rubs, island.at, island.column
    fours = n // 4
    for f in range(fours):
        begin[f], end[f] = f, f + 1
        for g in range(fours):
            filled[f, g] = f == g
    for b in range(nb):
        if normal[b] >= 0:  # comes with its normal row
            continue
        last = b + 1
        while last < nb and normal[last] == first[b]:
            last += 1
        stop = (
            at[first[b] + 1] if rubs[b] else at[first[last]]
        )  # rows of a contact have entries at the same columns
        low, high = n, -1
        for e in range(at[first[b]], stop):
            low, high = min(low, column[e]), max(high, column[e])
        low, high = low // 4, high // 4 + 1
        for e in range(at[first[b]], stop):
            f = column[e] // 4
            begin[f] = min(begin[f], low)
            end[f] = max(end[f], high)
            filled[f, low] = filled[low, f] = True  # the rest fills in when that is eliminated
    for f in range(1, fours):
        end[f] = max(end[f], end[f - 1])
    fill_in(filled, fours, begin, end)
    for f in range(fours):
        begin[f] *= 4
        end[f] *= 4


@borrower
def _largest(r: Floats, m: int) -> float:
    most = 0.0
    for i in range(m):
        most = max(most, abs(r[i]))
    return most


@borrower
def _only_contacts(rubs: Mask, nb: int) -> bool:
    """Whether all blocks are contacts with friction: a push, and the disc after it."""
    for b in range(0, nb, 2):  # noqa: SIM110  (kernels have no generators)
        if not rubs[b]:
            return False
    return True


@borrower
def _only_pushes(kind: Ints, rubs: Mask, nb: int) -> bool:
    """Whether all blocks are contacts or stops."""
    b = 0
    while b < nb:
        if not rubs[b] and kind[b] != PUSH:
            return False
        b += 2 if rubs[b] else 1
    return True


@borrower
def _only_equal(kind: Ints, nb: int) -> bool:
    """Whether nothing opens, slides or has a bound: the impulses solve one linear system."""
    for b in range(nb):  # noqa: SIM110  (kernels have no generators)
        if kind[b] != EQUAL:
            return False
    return True


@borrower
def _rubs_inside(kind: Ints, normal: Ints, nb: int) -> bool:
    """Whether there is friction, or a motor, with a bound of its own: inside joints."""
    for b in range(nb):  # noqa: SIM110  (kernels have no generators)
        if (kind[b] == BOX or kind[b] == DISC) and normal[b] < 0:
            return True
    return False


@borrower
def _slowest(w: Floats, nb: int) -> float:
    """Impulse by which the slowest block becomes faster by one, in the norm of its response."""
    least = np.inf
    for b in range(nb):
        if w[b] > 0.0:
            least = min(least, w[b])
    return 1.0 / math.sqrt(least)


@borrower
def _solve_island(
    island: Island,
    nb: int,
    n: int,
    tolerance: float,
    enough: float,
    calm: float,
    most: int,
    fair: float,
    same: bool,
    room: Room,
) -> tuple[int, int, float]:
    """λ in `room` from a guess there; returns Newton steps, sweeps, and the residual.

    It ends with a residual of `tolerance`, or of `enough` where a few Newton steps have not led there: which contacts
    hold and which slide is then not yet clear, and the next step goes on from what was found. Where some row wants a
    change of velocity above `calm` [m/s], something hits: one Newton step is tried then, or none in a large island.
    With stops, `ROUGH` stands for `enough`; with friction inside joints it ends with the tolerance, or with a residual
    of `fair` where a single Newton step leads away from it. `most` is how many there are, at most. `same` is whether
    this island was the last to be solved, with other bounds.
    """
    lam, z, y, m = room.lam, room.z, room.y, island.first[nb]
    if not same:
        room.scale[0] = max(weigh(island, nb, room.y, room.wide), 1e-30)
    scale = room.scale[0]
    project_all(island, nb, lam)
    changes(island, nb, n, lam, z)
    left = residual(island, nb, lam, z, scale, y, room.trial)
    steps, swept, more, near, astray, best = 0, 0, FIRST_SWEEPS, NEAR, 0, left
    good, tries, ease, farthest = tolerance, _TRIES, EASE, FARTHEST
    if not _only_contacts(island.rubs, nb):
        # A finger that weighs next to nothing goes far beyond its stop for an impulse that is nothing to a body.
        rough = 0.0
        if _only_pushes(island.kind, island.rubs, nb):
            rough = ROUGH * min(1.0, calm * _slowest(island.w, nb) / scale)
        if _rubs_inside(island.kind, island.normal, nb):
            more, near, ease = INSIDE_SWEEPS, INSIDE_NEAR, INSIDE_EASE
            farthest = min(max(INSIDE_FARTHEST * tolerance, FARTHEST), ease * near)
        enough = min(enough, max(tolerance, rough))
    if _largest(island.r, m) > calm:
        tries = 1
        if enough > tolerance and n > _SMALL:
            more, good = _MOST_SWEEPS, enough
    if left <= NEARLY:
        more = FEW
    if _only_equal(island.kind, nb):
        more, near, tolerance = 0, FARTHEST, min(tolerance, _LINEAR)
        good = tolerance
    again = 1.0 * SWEEPS
    for i in range(m):
        room.best[i] = lam[i]
    while left > tolerance and steps < most:
        if more > 0:
            swept += sweeps(
                island, nb, m, n, more, CALM * good * scale, lam, z, room.trial, room.old, room.ahead, room.old_z,
                room.ahead_z,
            )  # fmt: skip
            left = residual(island, nb, lam, z, scale, y, room.trial)
            if not left > good:
                break
        if steps == 0:
            _profile(island, nb, n, room.begin, room.end, room.filled)
        if astray == 0:
            best = left
            for i in range(m):
                room.best[i] = lam[i]
        steps += 1
        if newton_step(
            island, nb, m, n, near, lam, z, y, room.does, room.way, room.stiff, room.goal, room.begin, room.end,
            room.filled, room.C, room.P, room.V, room.H, room.inverse, room.change,
        ):  # fmt: skip
            for i in range(m):
                lam[i] = room.goal[i]
            project_all(island, nb, lam)
            changes(island, nb, n, lam, z)
            left = residual(island, nb, lam, z, scale, y, room.trial)
        else:
            astray = ASTRAY
        if steps >= tries:
            good = max(tolerance, enough)
        if left <= good or best <= good:
            break
        if best <= fair:
            astray = ASTRAY
        back, astray, more, near, again = pace(left, best, astray, near, again, ease, farthest)
        if back:
            if not left < best:
                left = best
                for i in range(m):
                    lam[i] = room.best[i]
                changes(island, nb, n, lam, z)
            if left < max(fair, _ENOUGH):
                break
    if not left <= best:
        left = best
        for i in range(m):
            lam[i] = room.best[i]
    project_all(island, nb, lam)
    return steps, swept, left


@borrower
def _take(
    begin: Places, end: Places, index: Places, pushed: Floats, root: Floats, free: Mask, local: Ints, r: Floats,
    first: Ints, kind: Ints, mu: Floats, normal: Ints, soft: Floats, bound: Floats, lam: Floats, member: Ints,
    own: Island, own_lam: Floats, row_of: Ints,
) -> None:  # fmt: skip
    """The rows of some blocks as an island; `row_of` tells where each of them is. `root` are the roots of D."""
    own_first, own_kind, own_mu, own_bound, own_normal = own.first, own.kind, own.mu, own.bound, own.normal
    at, column, entry, own_r = own.at, own.column, own.entry, own.r
    i, end_i = 0, 0
    for a in range(len(member)):
        b = member[a]
        own_first[a], own_kind[a], own_mu[a], own_bound[a], own_normal[a] = i, kind[b], mu[b], bound[b], -1
        own.soft[a] = soft[b]
        if normal[b] >= 0:
            own_normal[a], own_bound[a] = row_of[normal[b]], 0.0  # zero where that row is in no island
        for row in range(first[b], first[b + 1]):
            row_of[row] = i
            at[i], own_r[i], own_lam[i] = end_i, r[row], lam[row]
            for e in range(begin[row], end[row]):
                c = index[e]
                if free[c] and local[c] >= 0:
                    column[end_i], entry[end_i] = local[c], pushed[e] * root[c]
                    end_i += 1
            i += 1
    own_first[len(member)], at[i] = i, end_i


@borrower
def give(
    first: Ints,
    mu: Floats,
    normal: Ints,
    member: Ints,
    own_lam: Floats,
    row_of: Ints,
    bound: Floats,
    lam: Floats,
) -> None:
    """Impulses of an island, and the bounds that follow from them."""
    for b in member:
        for row in range(first[b], first[b + 1]):
            lam[row] = own_lam[row_of[row]]
        if normal[b] >= 0:
            bound[b] = mu[b] * max(lam[normal[b]], 0.0)


@borrower
def solve_islands(
    begin: Places, end: Places, index: Places, pushed: Floats, free: Mask, r: Floats, first: Ints, kind: Ints,
    mu: Floats, normal: Ints, soft: Floats, island: Ints, layout: Layout, tolerance: float, enough: float, calm: float,
    most: int, fair: float, same: bool, bound: Floats, lam: Floats,
) -> tuple[int, int, float]:  # fmt: skip
    """One island after the other, as `solve_rows` tells, with at most so many Newton steps each: Newton steps, sweeps,
    and the largest residual. `same` is whether all but given bounds is as in the last call."""
    first_block, member, size, row_of = layout.first_block, layout.member, layout.size, layout.row_of
    room, own = layout.room, layout.own
    for b in range(len(kind)):
        if island[b] < 0:
            for i in range(first[b], first[b + 1]):
                lam[i] = 0.0
    steps, swept, worst = 0, 0, 0.0
    same = same and len(size) == 1  # it is still there
    for k in range(len(size)):
        blocks = member[first_block[k] : first_block[k + 1]]
        if len(blocks) == 0:
            continue
        if same:
            own_bound = own.bound
            for a in range(len(blocks)):
                if normal[blocks[a]] < 0:
                    own_bound[a] = bound[blocks[a]]
        else:
            _take(
                begin, end, index, pushed, layout.root, free, layout.local, r, first, kind, mu, normal, soft, bound,
                lam, blocks, own, room.lam, row_of,
            )  # fmt: skip
        n = (size[k] + 3) // 4 * 4
        a_steps, a_swept, left = _solve_island(
            own, len(blocks), n, tolerance, enough, calm, most, fair, same, room
        )
        steps += a_steps
        swept += a_swept
        worst = left if np.isnan(left) else max(worst, left)
        give(first, mu, normal, blocks, room.lam, row_of, bound, lam)
    return steps, swept, worst


@njit
def solve_rows(
    begin: Places, end: Places, index: Places, pushed: Floats, D: Floats, free: Mask, tree: Ints, trees: int, r: Floats,
    first: Ints, kind: Ints, mu: Floats, normal: Ints, island: Ints, islands: int, tolerance: float, enough: float,
    calm: float, bound: Floats, lam: Floats,
) -> tuple[int, int, float, float]:  # fmt: skip
    """As `dual.solve_blocks`, for short rows (`short_rows.py`): row i has the entries begin[i]:end[i].

    An island is solved to a residual of `tolerance`, or of `enough` where a Newton step does not get there at once or
    something hits: some row wants a change of velocity above `calm` [m/s].
    Blocks whose bound follows an impulse come right after that row, and move the same trees. Their bounds are those of
    the impulses returned: the last change of bounds is zero.
    """
    layout = lay_out(begin, end, index, D, free, tree, trees, first, normal, island, islands)
    steps, swept, worst = solve_islands(
        begin, end, index, pushed, free, r, first, kind, mu, normal, np.zeros(len(kind)), island, layout, tolerance,
        enough, calm, NEWTON, 0.0, False, bound, lam,
    )  # fmt: skip
    return steps, swept, worst, 0.0
