"""Impulses of equalities, contacts, boxes and discs together, from the matrix of their rows.

Rows come in blocks: an equality, a push (λ >= 0), a box of one row (|λ| <= bound), or a disc or ball of two or three
rows (their length <= bound). With y = W λ - r the velocity that a row ends up with beyond what it wants,

    equality  y = 0
    push      λ >= 0, y >= 0, λ y = 0
    friction  y = 0 within the bound; at the bound λ is opposite to y

With the bounds given these are the conditions of a minimum of ½ λᵀ W λ - rᵀ λ. The bound of a contact's friction is μ
times the impulse of its normal row: minimum and bounds are found in turn (Staggered Projections, paper, Alg. 2, with
both of its projections in one).

The minimum is found by Newton steps (`dense_newton.py`), and sweeps of Gauss-Seidel where these make no progress. Rows
that repeat each other have many solutions: a small penalty picks the one nearest to the last step's, and vanishes
where nothing changes.
"""

from __future__ import annotations

import numpy as np

from ..jit.decorators import njit, subroutine
from ..model.records import Floats, Ints
from .dense_newton import (
    EXACT,
    FREE,
    SLIDES,
    drawn_back,
    expect,
    free_part,
    newton_goal,
    residual,
    slacks,
    stay,
    sweep,
    value_of,
)
from .laws import BOX, DISC, EQUAL, PUSH, mean_diagonal, project

__all__ = ["BOX", "DISC", "EQUAL", "PUSH", "solve_blocks"]

_FORESEEN = 12
"""Newton steps that foresee what will hold."""
_NEWTON = 40
"""Newton steps for one set of bounds, at most."""
_HOLD_AGAIN = 6
"""How often a step lets go of less than it wanted to."""
_ROUNDS = 15
"""How often bounds are updated, at most."""
_SETTLED = 1e-5
"""Change of bounds, as a fraction of the largest, that is as good as none: friction is never known so well."""
_SWEEPS = 10
"""Sweeps where a Newton step makes no progress."""
_SLOW = 0.9
"""A step that leaves more than this fraction of the residual makes none: it crawls from bound to bound."""
_LARGE = 600
"""Rows of an island from which sweeps alone are the faster way."""
_MOST_SWEEPS = 100


@subroutine
def update_bounds(
    blocks: Ints, n: int, normal: Ints, mu: Floats, lam: Floats, bound: Floats, missed: Floats, weight: float,
    round_: int,
) -> tuple[float, float]:  # fmt: skip
    """Bounds that follow from normal rows; returns by how much they were missed, over the largest, and the weight.

    Taken as they are, bounds may overshoot for ever or creep: from the third round on they go towards what they were to
    be by a weight that follows from how the last one worked (Aitken). `missed` (nb,) is what each was missed by.
    """
    largest, worst, along, size = 0.0, 0.0, 0.0, 0.0
    for a in range(n):
        b = blocks[a]
        if normal[b] >= 0:
            now = mu[b] * max(lam[normal[b]], 0.0)
            largest = max(largest, now)
            miss = now - bound[b]
            worst = max(worst, abs(miss))
            along += missed[b] * (miss - missed[b])
            size += (miss - missed[b]) ** 2
    if round_ < 2 or not size > 0.0:
        weight = 1.0
    else:
        weight *= -along / size
        weight = min(max(weight, 0.05), 8.0) if weight > 0.0 else 0.3
    for a in range(n):
        b = blocks[a]
        if normal[b] >= 0:
            missed[b] = mu[b] * max(lam[normal[b]], 0.0) - bound[b]
            bound[b] = max(bound[b] + weight * missed[b], 0.0)
    return (worst / largest if largest > 0.0 else worst), weight


@subroutine
def guess_sets(
    W: Floats, r: Floats, first: Ints, kind: Ints, bound: Floats, near: Floats, blocks: Ints, n: int, rows: Ints,
    m: int, scale: float, hold: Ints, lam: Floats, y: Floats, A: Floats, goal: Floats, change: Floats, index: Ints,
    way: Floats,
) -> int:  # fmt: skip
    """Newton steps that foresee what will hold, without regard to bounds on the way. They either end soon, or never.

    Returns their number, negative when what holds did not settle.
    """
    for count in range(1, _FORESEEN + 1):
        same = count > 1
        for a in range(n):
            b = blocks[a]
            i, j = first[b], first[b + 1]
            w = mean_diagonal(W, i, j)
            none = EXACT * scale / np.sqrt(w)
            turned = 0.0
            for c in range(i, j):
                change[c] = way[c]
            now = expect(kind[b], i, j, bound[b], w, none, lam, y, way)
            if now == SLIDES and now == hold[b]:
                for c in range(i, j):
                    turned = max(turned, abs(change[c] - way[c]))
            same = same and now == hold[b] and turned < 1e-6
            hold[b] = now
        if same:
            return count
        if not newton_goal(W, r, first, bound, near, blocks, n, hold, lam, y, A, goal, change, index, way):
            return -count
        for a in range(m):
            lam[rows[a]] = goal[rows[a]]
        slacks(W, r, rows, m, lam, y)
    return -_FORESEEN


@subroutine
def descend(
    W: Floats, r: Floats, first: Ints, kind: Ints, bound: Floats, near: Floats, blocks: Ints, n: int, rows: Ints,
    m: int, scale: float, hold: Ints, lam: Floats, y: Floats, A: Floats, goal: Floats, change: Floats, index: Ints,
    way: Floats, old: Floats,
) -> bool:  # fmt: skip
    """A Newton step that stays within the bounds and makes the sum less; False where there is none."""
    for a in range(n):
        b = blocks[a]
        w = mean_diagonal(W, first[b], first[b + 1])
        hold[b] = stay(
            kind[b], first[b], first[b + 1], bound[b], EXACT * scale / np.sqrt(w), lam, y,
            EXACT * scale * np.sqrt(w), way,
        )  # fmt: skip
    for _ in range(_HOLD_AGAIN):
        if not newton_goal(W, r, first, bound, near, blocks, n, hold, lam, y, A, goal, change, index, way):
            return False
        again = False
        for a in range(n):
            b = blocks[a]
            if hold[b] == FREE:
                hold[b] = drawn_back(kind[b], first[b], first[b + 1], bound[b], lam, goal, way)
                again = again or hold[b] != FREE
        if not again:
            break
    before, part = value_of(r, rows, m, lam, y), 1.0
    straight = 1.0
    for a in range(n):
        b = blocks[a]
        straight = min(straight, free_part(kind[b], first[b], first[b + 1], bound[b], lam, goal))
    for a in range(m):
        old[rows[a]] = lam[rows[a]]
    for attempt in range(4):
        if attempt == 3:
            part = straight
        for a in range(m):
            i = rows[a]
            lam[i] = old[i] + part * (goal[i] - old[i])
        for a in range(n):
            b = blocks[a]
            project(kind[b], first[b], first[b + 1], bound[b], lam)
        slacks(W, r, rows, m, lam, y)
        if value_of(r, rows, m, lam, y) < before:
            return True
        part *= 0.3
    for a in range(m):
        lam[rows[a]] = old[rows[a]]
    slacks(W, r, rows, m, lam, y)
    return False


@subroutine
def minimise(
    W: Floats, r: Floats, first: Ints, kind: Ints, bound: Floats, near: Floats, blocks: Ints, n: int, rows: Ints,
    m: int, scale: float, tolerance: float, hold: Ints, lam: Floats, y: Floats, A: Floats, goal: Floats, change: Floats,
    index: Ints, way: Floats, old: Floats, start: Floats, count: Ints,
) -> float:  # fmt: skip
    """λ of one island for given bounds, from a guess; returns the residual. Counts Newton steps and sweeps."""
    for a in range(n):
        b = blocks[a]
        project(kind[b], first[b], first[b + 1], bound[b], lam)
    slacks(W, r, rows, m, lam, y)
    left = residual(W, first, kind, bound, blocks, n, lam, y, scale, old)
    if m <= _LARGE and left > tolerance:
        for a in range(m):
            start[rows[a]] = lam[rows[a]]
        steps = guess_sets(
            W,
            r,
            first,
            kind,
            bound,
            near,
            blocks,
            n,
            rows,
            m,
            scale,
            hold,
            lam,
            y,
            A,
            goal,
            change,
            index,
            way,
        )
        count[0] += abs(steps)
        for a in range(n):
            b = blocks[a]
            project(kind[b], first[b], first[b + 1], bound[b], lam)
        slacks(W, r, rows, m, lam, y)
        now = residual(W, first, kind, bound, blocks, n, lam, y, scale, old)
        if not now < left:
            for a in range(m):
                lam[rows[a]] = start[rows[a]]
            slacks(W, r, rows, m, lam, y)
        else:
            left = now
    while left > tolerance and count[0] < _NEWTON and count[1] < _MOST_SWEEPS:
        moved = False
        if m <= _LARGE:
            count[0] += 1
            moved = descend(
                W,
                r,
                first,
                kind,
                bound,
                near,
                blocks,
                n,
                rows,
                m,
                scale,
                hold,
                lam,
                y,
                A,
                goal,
                change,
                index,
                way,
                old,
            )
        before = left
        left = residual(W, first, kind, bound, blocks, n, lam, y, scale, old)
        if not moved or left > _SLOW * before:
            for _ in range(_SWEEPS):
                sweep(W, first, kind, bound, blocks, n, rows, m, lam, y, old)
            count[1] += _SWEEPS
            slacks(W, r, rows, m, lam, y)
            left = residual(W, first, kind, bound, blocks, n, lam, y, scale, old)
    return left


@njit
def solve_blocks(
    W: Floats,
    r: Floats,
    first: Ints,
    kind: Ints,
    mu: Floats,
    normal: Ints,
    island: Ints,
    islands: int,
    tolerance: float,
    bound: Floats,
    near: Floats,
    lam: Floats,
) -> tuple[int, int, float, float]:
    """Impulses λ (m,) of nb blocks of rows; returns Newton steps, sweeps, the largest residual for their bounds, and
    the last change of the bounds that follow from impulses, as a fraction of the largest.

    first (nb+1,), kind, mu, normal, bound (nb,): the rows of each block, its kind, and its bound, which is μ times
    the impulse of a normal row where `normal` names one. `island` (nb,) tells blocks apart that have nothing to do with
    each other; -1 for those that nothing can move. `near` (m,) are the impulses to stay near to; λ comes as a guess.
    """
    m, nb = len(r), len(kind)
    y, way = np.zeros(m), np.zeros(m)
    goal, change, old, start = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    hold, missed = np.zeros(nb, np.int64), np.zeros(nb)
    index, rows, blocks = np.empty(m, np.int64), np.empty(m, np.int64), np.empty(nb, np.int64)
    size = np.zeros(islands, np.int64)
    for b in range(nb):
        if island[b] >= 0:
            size[island[b]] += first[b + 1] - first[b]
        else:
            for i in range(first[b], first[b + 1]):
                lam[i] = 0.0
    most = 0
    for k in range(islands):
        if size[k] <= _LARGE:
            most = max(most, size[k])
    A = np.empty((most, most))
    steps, sweeps, worst, moving = 0, 0, 0.0, 0.0
    count = np.zeros(2, np.int64)
    for k in range(islands):
        n, m_k, follows = 0, 0, False
        scale = 0.0
        for b in range(nb):
            if island[b] != k:
                continue
            blocks[n] = b
            n += 1
            follows = follows or normal[b] >= 0
            for i in range(first[b], first[b + 1]):
                rows[m_k] = i
                m_k += 1
                scale = max(scale, abs(r[i]) / np.sqrt(W[i, i]))
        if not scale > 0.0:
            scale = 1e-30
        left, shift, weight = 0.0, 0.0, 1.0
        for round_ in range(_ROUNDS):
            count[:] = 0
            left = minimise(
                W, r, first, kind, bound, near, blocks, n, rows, m_k, scale, tolerance, hold, lam, y, A,
                goal, change, index, way, old, start, count,
            )  # fmt: skip
            steps += count[0]
            sweeps += count[1]
            if not follows or np.isnan(left):
                break
            shift, weight = update_bounds(blocks, n, normal, mu, lam, bound, missed, weight, round_)
            if shift <= max(tolerance, _SETTLED):
                break
        worst = left if np.isnan(left) else max(worst, left)
        moving = max(moving, shift)
    return steps, sweeps, worst, moving
