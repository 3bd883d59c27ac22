"""Impulses of blocks of rows (`dense.py` tells what they have to be) from the matrix of the rows.

The bounds of friction follow the normal impulses in the same step. It goes about it as `solve.py` does: a few
sweeps, then Newton steps; where one leads away from the solution, more sweeps come first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit.decorators import njit, subroutine
from ..model.records import Floats, Ints
from .island import Island, project_all
from .matrix_newton import newton_step, residual, slacks, sweeps, weigh
from .pace import ASTRAY, CALM, EASE, FARTHEST, FEW, FIRST_SWEEPS, NEAR, NEARLY, NEWTON, SWEEPS, pace
from .solve import give


class Room(NamedTuple):
    """What the solution of an island takes, made once for all of them: of rows and blocks."""

    lam: Floats
    y: Floats
    way: Floats
    stiff: Floats
    goal: Floats
    trial: Floats
    old: Floats
    ahead: Floats
    old_y: Floats
    ahead_y: Floats
    best: Floats
    far: Floats
    x: Floats
    does: Ints
    which: Ints
    slot: Ints
    A: Floats


@subroutine
def _room(m: int, nb: int) -> Room:
    return Room(
        np.empty(m), np.empty(m), np.empty(m), np.empty(m), np.empty(m), np.empty(m), np.empty(m), np.empty(m),
        np.empty(m), np.empty(m), np.empty(m), np.empty(m), np.empty(m), np.empty(nb, np.int64),
        np.empty(m, np.int64), np.empty(m, np.int64), np.empty((m, m)),
    )  # fmt: skip


@subroutine
def _island(m: int, nb: int) -> Island:
    """Room for one, without the entries of its rows."""
    none, nowhere = np.empty(0), np.empty(0, np.uint32)
    return Island(
        np.empty(nb + 1, np.int64), np.empty(nb, np.int64), np.empty(nb), np.empty(nb, np.int64), np.empty(nb),
        np.empty(nb), np.empty(nb), np.empty(0, np.bool_), np.empty((0, 2)), nowhere, nowhere, none, np.empty(m),
        np.zeros(nb),
    )  # fmt: skip


@subroutine
def _solve_island(W: Floats, island: Island, nb: int, tolerance: float, room: Room) -> tuple[int, int, float]:
    """λ in `room` from a guess there; returns Newton steps, sweeps, and the residual."""
    lam, y, m = room.lam, room.y, island.first[nb]
    scale = max(weigh(W, island, nb), 1e-30)
    project_all(island, nb, lam)
    slacks(W, island.r, m, lam, y)
    left = residual(island, nb, lam, y, scale, room.trial)
    steps, swept, near, astray, best = 0, 0, NEAR, 0, left
    more, again = FEW if left <= NEARLY else FIRST_SWEEPS, 1.0 * SWEEPS
    for i in range(m):
        room.best[i] = lam[i]
    while left > tolerance and steps < NEWTON:
        if more > 0:
            swept += sweeps(
                W, island, nb, m, more, CALM * tolerance * scale, lam, y, room.trial, room.old, room.ahead,
                room.old_y, room.ahead_y,
            )  # fmt: skip
            project_all(island, nb, lam)
            slacks(W, island.r, m, lam, y)
            left = residual(island, nb, lam, y, scale, room.trial)
            if not left > tolerance:
                break
        if astray == 0:
            best = left
            for i in range(m):
                room.best[i] = lam[i]
        steps += 1
        if newton_step(
            W, island, nb, m, near, lam, y, room.does, room.way, room.stiff, room.goal, room.far, room.which,
            room.slot, room.A, room.x,
        ):  # fmt: skip
            for i in range(m):
                lam[i] = room.goal[i]
            project_all(island, nb, lam)
            slacks(W, island.r, m, lam, y)
            left = residual(island, nb, lam, y, scale, room.trial)
        else:
            astray = ASTRAY
        if left <= tolerance:
            break
        back, astray, more, near, again = pace(left, best, astray, near, again, EASE, FARTHEST)
        if back and not left < best:
            left = best
            for i in range(m):
                lam[i] = room.best[i]
            slacks(W, island.r, m, lam, y)
    if not left <= best:
        left = best
        for i in range(m):
            lam[i] = room.best[i]
        project_all(island, nb, lam)
    return steps, swept, left


@njit
def solve_matrix(
    W: Floats, r: Floats, first: Ints, kind: Ints, mu: Floats, normal: Ints, island: Ints, islands: int,
    tolerance: float, bound: Floats, lam: Floats,
) -> tuple[int, int, float, float]:  # fmt: skip
    """As `dual.solve_blocks`; blocks whose bound follows an impulse come right after that row.

    The bounds are those of the impulses returned: the last change of bounds is zero.
    """
    m, nb = len(r), len(kind)
    room, own, matrix = _room(m, nb), _island(m, nb), np.empty((m, m))
    row_of, at, member = np.full(m, -1, np.int64), np.empty(m, np.int64), np.empty(nb, np.int64)
    steps, swept, worst = 0, 0, 0.0
    for b in range(nb):
        if island[b] < 0:
            for i in range(first[b], first[b + 1]):
                lam[i] = 0.0
    for k in range(islands):
        n, rows = 0, 0
        for b in range(nb):
            if island[b] != k:
                continue
            member[n] = b
            own.first[n], own.kind[n], own.mu[n], own.bound[n], own.normal[n] = (
                rows,
                kind[b],
                mu[b],
                bound[b],
                -1,
            )
            if normal[b] >= 0:
                own.normal[n], own.bound[n] = row_of[normal[b]], 0.0  # zero where that row is in no island
            n += 1
            for i in range(first[b], first[b + 1]):
                row_of[i], at[rows] = rows, i
                own.r[rows], room.lam[rows] = r[i], lam[i]
                rows += 1
        own.first[n] = rows
        if n == 0:
            continue
        for a in range(rows):
            for c in range(rows):
                matrix[a, c] = W[at[a], at[c]]
        a_steps, a_swept, left = _solve_island(matrix, own, n, tolerance, room)
        steps += a_steps
        swept += a_swept
        worst = left if np.isnan(left) else max(worst, left)
        give(first, mu, normal, member[:n], room.lam, row_of, bound, lam)
    return steps, swept, worst, 0.0
