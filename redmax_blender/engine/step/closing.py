"""Loops and gears at the end of a step: velocities that fit them, and coordinates put onto them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..algebra.arrays import Floats, Ints, Mask, Places
from ..algebra.spatial import dot6, load6
from ..constraints.bending import bend_share, fastest_turn
from ..friction.contacts.path_rows import enter_stop, find_paths
from ..impulses.islands import find_islands
from ..impulses.laws import EQUAL, PUSH
from ..impulses.ordering import sorted_by
from ..impulses.pace import NEWTON
from ..impulses.short_rows import push_path, tree_change
from ..impulses.solve import Layout, lay_out, solve_islands
from ..integrators.trees.poses import poses
from ..jit.decorators import borrower, subroutine
from ..tree.kinematics import forward_pass
from ..tree.passes import eliminate
from .bonds import enter_bonds, errors_at, mark_links, turn_rows
from .parts import Bonds, Links, Numbers, Rows, Stops

_TRIPS = 20
"""Times that the end of a step is put onto loops and gears, at most."""
_CLOSED = 5.0
"""Of the error of loops that is asked for, how much there may be where they count as closed."""
_EXACT = 1e-6
"""Residual with which errors are taken away in a trip, of what is left."""
_EVEN = 1e-3
"""Mass of all bodies, as a fraction, that each coordinate has besides where loops are closed anew: what weighs next to
nothing would turn by a radian to close a gap of a micrometre."""
_LINEARISED = 0.9
"""Of an error, what is left of it at most by a trip; otherwise the rows of the step's start have no more to give."""


@borrower
def lead_along(bonds: Bonds, rows: Rows, equal: int, V: Floats, h: float, goal: float) -> bool:
    """Whether what brings positions back is a part of the way, and so of the velocities (`constraints.active.follows`):
    where loops were closed before the step, and nothing turns far in it. To be asked before errors are others."""
    bends = False
    for i in range(equal):
        bends = bends or rows.bend[i] != 0.0
    return bends and bend_share(h * fastest_turn(V)) == 1.0 and _largest(bonds, rows, equal) <= _CLOSED * goal


@borrower
def _largest(bonds: Bonds, rows: Rows, equal: int) -> float:
    """Largest error of loops and gears that hold, as a length [m]."""
    worst, m = 0.0, len(bonds.type)
    for i in range(equal):
        s = rows.source[i]
        far = abs(rows.error[s]) * (bonds.lever[s] if s < m else bonds.gear_lever[s - m])
        worst = far if not far <= worst else worst
    return worst


class Held(NamedTuple):
    """Rows of loops and gears, and of stops that hold, as a problem of their own: `equal` rows, then stops."""

    places: Places
    """Where each begins and ends among the entries, shape (2, n)."""
    first: Ints
    kind: Ints
    normal: Ints
    where: Ints
    way: Floats
    """What each is to change by, shape (n,)."""
    value: Floats
    none: Floats
    whole: Floats
    """Impulses of all rows up to these."""


@subroutine
def gather_held(equal: int, stops: int, begin: int, block: int, at: Places, island: Ints) -> Held:
    """Of rows from `begin` on and their blocks from `block` on; those of stops are the first."""
    n = equal + stops
    places, ints, floats = np.empty((2, n), np.uint32), np.empty((4, n + 1), np.int64), np.zeros((3, n))
    for i in range(n):
        row = begin + i if i < equal else i - equal
        places[0, i], places[1, i] = at[row], at[row + 1]
        ints[0, i], ints[1, i], ints[2, i] = i, EQUAL if i < equal else PUSH, -1
        ints[3, i] = island[block + i] if i < equal else island[i - equal]
    ints[0, n] = n
    return Held(
        places, ints[0], ints[1, :n], ints[2, :n], ints[3, :n], floats[0], floats[1], floats[2],
        np.zeros(begin + equal),
    )  # fmt: skip


@subroutine
def change_held(
    held: Held, equal: int, begin: int, links: Links, E_pj: Floats, S: Floats, U: Floats, D: Floats, free: Mask,
    at: Places, index: Places, pushed: Floats, layout: Layout, x: Floats, out: Floats,
) -> None:  # fmt: skip
    """out = x, changed by `held.way` along its rows, in the metric of the step."""
    n = len(held.way)
    sorted_by(held.where, len(layout.size), layout.first_block, layout.member)
    for i in range(n):
        held.value[i] = 0.0
    solve_islands(
        held.places[0], held.places[1], index, pushed, free, held.way, held.first, held.kind, held.none, held.normal,
        held.none, held.where, layout, _EXACT, _EXACT, np.inf, NEWTON, 0.0, False, np.zeros(n), held.value,
    )  # fmt: skip
    for i in range(n):
        held.whole[begin + i if i < equal else i - equal] = held.value[i]
    tree_change(links.parent, links.dof, E_pj, S, U, D, free, at, index, pushed, held.whole, x, out)


@subroutine
def fit_velocities(
    rows: Rows, equal: int, begin: int, block: int, links: Links, E_pj: Floats, S: Floats, U: Floats, D: Floats,
    free: Mask, at: Places, index: Places, pushed: Floats, island: Ints, layout: Layout, V: Floats, qdot: Floats,
    out: Floats,
) -> None:  # fmt: skip
    """Velocities that fit loops and gears as they are now, of those with twists V: forces midway through the step that
    grow with what they are off by would do work of their own (`midway.fitting`)."""
    held = gather_held(equal, 0, begin, block, at, island)
    for i in range(equal):
        held.way[i] = rows.wanted[i] - 2.0 * rows.bend[i]  # midway there is nothing left of it
        for a in range(rows.first[i], rows.first[i + 1]):
            k = rows.dof[a]
            held.way[i] -= dot6(load6(rows.w, a), load6(V, rows.link[a])) if k < 0 else rows.w[a, 0] * qdot[k]
    change_held(held, equal, begin, links, E_pj, S, U, D, free, at, index, pushed, layout, qdot, out)


@subroutine
def close_loops(
    bonds: Bonds, rows: Rows, equal: int, links: Links, goal: float, E_pj: Floats, S: Floats, U: Floats, D: Floats,
    free: Mask, chart: Ints, at: Places, index: Places, pushed: Floats, stops: int, gaps: Floats, begin: int,
    block: int, island: Ints, layout: Layout, E: Floats, E_w: Floats, G: Floats, q: Floats,
) -> float:  # fmt: skip
    """Coordinates q put onto loops and gears (`constraints/projection.py`) as near as `goal` [m]; returns what is left
    of their errors [m].

    Their rows begin at `begin`, and their blocks at `block`; `gaps` (stops,) is how far the stops that have the first
    rows are from their coordinates at the end. E and E_w (nl, 12) are scratch.
    """
    poses(links.parent, links.kind, links.dof, links.at, links.params, links.E_pj0, chart, q, E, E_w)
    errors_at(bonds, E_w, q, G, rows.error)
    worst = _largest(bonds, rows, equal)
    if worst <= goal:
        return worst
    better, held = np.empty(len(q)), gather_held(equal, stops, begin, block, at, island)
    for i in range(stops):
        held.way[equal + i] = -max(gaps[i], 0.0)
    for _ in range(_TRIPS):
        for i in range(equal):
            held.way[i] = -rows.error[rows.source[i]]
        change_held(held, equal, begin, links, E_pj, S, U, D, free, at, index, pushed, layout, q, better)
        poses(links.parent, links.kind, links.dof, links.at, links.params, links.E_pj0, chart, better, E, E_w)
        errors_at(bonds, E_w, better, G, rows.error)
        now = _largest(bonds, rows, equal)
        if not now < _LINEARISED * worst:
            break
        for k in range(len(q)):
            q[k] = better[k]
        worst = now
        if worst <= goal:
            break
    return worst


@subroutine
def close_again(
    bonds: Bonds, rows: Rows, equal: int, links: Links, stops_of: Stops, holding: Mask, numbers: Numbers, mass: Floats,
    A_r: Floats, free: Mask, chart: Ints, q: Floats,
) -> float:  # fmt: skip
    """As `close_loops`, with rows put down anew wherever they have led: for steps in which something turns so far that
    those of its start lead nowhere. Returns what is left of their errors [m]."""
    parent, dof, longest, nl, nr = links.parent, links.dof, numbers.longest, len(links.parent), len(q)
    E, V, S, still = np.empty((2, nl, 12)), np.zeros((3, nl, 6)), np.empty((2, nr, 6)), np.zeros(nr)
    IA, U, D, G = np.empty((nl, 21)), np.empty((nr, 6)), np.empty(nr), np.empty((len(bonds.type), 2, 6))
    stops, touched = 0, np.zeros(nl, np.bool_)
    for i in range(len(holding)):
        stops += holding[i]
    mark_links(rows, equal, parent, touched)
    n, room = equal + stops, (stops + rows.first[equal]) * longest
    at, index, pushed = np.empty(n + 1, np.uint32), np.empty(room, np.uint32), np.empty(room)
    ints, floats, path = np.empty((5, n + 1), np.int64), np.zeros((6, n)), np.empty(nl + 1, np.int64)
    first, kind, normal, island, stamp = (
        ints[0],
        ints[1, :n],
        ints[2, :n],
        ints[3, :n],
        np.empty(nr, np.int64),
    )
    way, value, none, diagonal, brace, bound = (
        floats[0],
        floats[1],
        floats[2],
        floats[3],
        floats[4],
        floats[5],
    )
    entry, wide, best, moved, worst = np.empty(longest), np.empty(nr), q.copy(), np.empty(nr), np.inf
    for i in range(n):
        first[i], kind[i], normal[i] = i, EQUAL if i < equal else PUSH, -1
    first[n] = n
    heavy, even = 0.0, np.empty(nr)
    for j in range(nl):
        heavy += links.inertia[j, 20]
    for k in range(nr):
        even[k] = A_r[k] + _EVEN * heavy * (numbers.size * numbers.size if links.turning[k] else 1.0)
    for _ in range(_TRIPS):
        forward_pass(
            parent, links.kind, dof, links.at, links.params, links.E_pj0, chart, q, still, E[0], E[1], V[0], S[0], S[1],
            V[1],
        )  # fmt: skip
        errors_at(bonds, E[1], q, G, rows.error)
        now = _largest(bonds, rows, equal)
        if not now < _LINEARISED * worst:
            break
        worst = now
        for k in range(nr):
            best[k] = q[k]
        if worst <= numbers.goal:
            break
        eliminate(parent, dof, mass, even, E[0], S[0], free, IA, U, D)
        turn_rows(bonds, rows, equal, G)
        coordinate, T = find_paths(parent, dof, E[0], S[0], U, D, free, touched, path, longest)
        for k in range(nr):
            stamp[k] = -1
        at[0] = 0
        enter_bonds(
            rows, equal, parent, dof, E[0], S[0], U, D, free, path, coordinate, T, V[2], still, 0, at, index, pushed,
            way, wide, stamp,
        )  # fmt: skip
        for i in range(equal):
            way[i] = -rows.error[rows.source[i]]
        m, filled = equal, int(np.int64(at[equal]))
        for i in range(len(holding)):
            if holding[i]:
                k, side = stops_of.dof[i], stops_of.side[i]
                filled = enter_stop(parent, dof, stops_of.link[i], k, side, filled, index, entry)
                at[m + 1] = filled
                push_path(
                    parent,
                    dof,
                    E[0],
                    S[0],
                    U,
                    D,
                    free,
                    stops_of.link[i],
                    -1,
                    0,
                    entry,
                    pushed[at[m] : at[m + 1]],
                )
                way[m] = -max(side * (q[k] - stops_of.bound[i]), 0.0)
                m += 1
        for i in range(n):
            value[i], diagonal[i] = 0.0, 0.0
            for e in range(at[i], at[i + 1]):
                if free[index[e]]:
                    diagonal[i] += pushed[e] * pushed[e] * D[index[e]]
        islands = find_islands(
            at, index, pushed, free, first, normal, links.tree, numbers.trees, True, diagonal, island, brace
        )
        layout = lay_out(
            at[:n], at[1:], index, D, free, links.tree, numbers.trees, first, normal, island, islands
        )
        solve_islands(
            at[:n], at[1:], index, pushed, free, way, first, kind, none, normal, none, island, layout, _EXACT, _EXACT,
            np.inf, NEWTON, 0.0, False, bound, value,
        )  # fmt: skip
        tree_change(parent, dof, E[0], S[0], U, D, free, at, index, pushed, value, q, moved)
        for k in range(nr):
            q[k] = moved[k]
    for k in range(nr):
        q[k] = best[k]
    return worst
