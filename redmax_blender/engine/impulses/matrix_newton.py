"""Newton steps and sweeps on the impulses of an island whose rows are known by their matrix W.

What blocks do, and what their impulses depend on, is as `newton.py` tells. There the unknowns are coordinates; here
they are the impulses that are not fixed. With y' = y + W (λ' - λ) and λ' = goal + d,

    holds   ε w d + W d = -W (goal - λ)
    slides  d + σ⁻¹ (W d across its way) = μ dₙ way - σ⁻¹ (W (goal - λ) across its way)

where dₙ is that of the normal row. As a rule much less than half of all rows hold or slide.
"""

from __future__ import annotations

import math

from ..jit.decorators import subroutine
from ..model.records import Floats, Ints
from .island import Island, bound_of, missed_by
from .laws import project
from .newton import FIXED, SLIDES, expect

LARGEST = 600
"""Rows that hold or slide from which on there is no Newton step: sweeps are the faster way."""


@subroutine
def weigh(W: Floats, island: Island, nb: int) -> float:
    """Responses of all blocks; returns the largest impulse that a row alone would need, in the norm of its response."""
    first, w, steepest, r = island.first, island.w, island.steepest, island.r
    scale = 0.0
    for b in range(nb):
        i, j = first[b], first[b + 1]
        w[b], steepest[b] = 0.0, 0.0
        for c in range(i, j):
            w[b] += W[c, c] / (j - i)
            scale = max(scale, r[c] * r[c] / W[c, c])
            shared = 0.0
            for d in range(i, j):
                shared += abs(W[c, d])
            steepest[b] = max(steepest[b], shared)
        if j == i + 2:
            steepest[b] = w[b] + math.hypot(0.5 * (W[i, i] - W[i + 1, i + 1]), W[i, i + 1])
    return math.sqrt(scale)


@subroutine
def slacks(W: Floats, r: Floats, m: int, lam: Floats, y: Floats) -> None:
    """y = W λ - r."""
    for i in range(m):
        y[i] = -r[i]
    for c in range(m):
        if lam[c] != 0.0:
            add(W, c, lam[c], m, y)


@subroutine
def add(W: Floats, c: int, change: float, m: int, y: Floats) -> None:
    """y after a change of the impulse of row c."""
    row = W[c]
    for i in range(m):
        y[i] += change * row[i]


@subroutine
def residual(island: Island, nb: int, lam: Floats, y: Floats, scale: float, trial: Floats) -> float:
    """How far a step along -y, brought back to what is allowed, would change the impulses; as a fraction of all."""
    first, kind, mu, normal, bound, w = (
        island.first, island.kind, island.mu, island.normal, island.bound, island.w,
    )  # fmt: skip
    worst = 0.0
    for b in range(nb):
        i, j = first[b], first[b + 1]
        square = missed_by(kind[b], i, j, bound_of(mu, normal, bound, b, lam), w[b], lam, y, trial)
        if not square <= worst:
            worst = square
            if math.isnan(square):
                break
    return math.sqrt(worst) / scale


@subroutine
def _sweep(
    W: Floats, island: Island, nb: int, m: int, back: bool, lam: Floats, y: Floats, trial: Floats
) -> float:
    """Each block in turn takes the impulses that suit it best as the others are, and what rubs right after what presses
    it; returns the squared change of all."""
    first, kind, mu, normal, bound = island.first, island.kind, island.mu, island.normal, island.bound
    moved = 0.0
    begin, end = 0, 0
    if back:
        begin = nb
    while (begin > 0) if back else (end < nb):
        if back:
            end = begin
            begin -= 1
            while normal[begin] >= 0:
                begin -= 1
        else:
            begin = end
            end += 1
            while end < nb and normal[end] >= 0:
                end += 1
        for b in range(begin, end):
            i, j, w = first[b], first[b + 1], island.steepest[b]
            for c in range(i, j):
                trial[c] = lam[c] - y[c] / w
            project(kind[b], i, j, bound_of(mu, normal, bound, b, lam), trial)
            for c in range(i, j):
                d = trial[c] - lam[c]
                if d != 0.0:
                    moved += d * d * w
                    lam[c] = trial[c]
                    add(W, c, d, m, y)
    return moved


@subroutine
def sweeps(
    W: Floats, island: Island, nb: int, m: int, count: int, enough: float, lam: Floats, y: Floats, trial: Floats,
    old: Floats, way: Floats, old_y: Floats, way_y: Floats,
) -> int:  # fmt: skip
    """Sweeps to and fro, with steps between them as in `sweeps.py`; returns how many there were.

    They end early when what they change is less than `enough`, in the norm of the response.
    """
    before = 0.0
    for k in range(count):
        for i in range(m):
            old[i], old_y[i] = lam[i], y[i]
        moved = _sweep(W, island, nb, m, k % 2 == 1, lam, y, trial)
        if not moved > enough * enough or k == count - 1:
            return k + 1
        ahead = moved / before if before > 0.0 else 0.0
        before = moved
        if k == 0 or ahead > 1.0:  # from here anew
            ahead = 0.0
            for i in range(m):
                way[i], way_y[i] = 0.0, 0.0
        for i in range(m):
            step, step_y = lam[i] - old[i], y[i] - old_y[i]
            lam[i] += ahead * way[i]
            y[i] += ahead * way_y[i]
            way[i], way_y[i] = ahead * way[i] + step, ahead * way_y[i] + step_y
    return count


@subroutine
def _pivot(A: Floats, x: Floats, k: int, n: int) -> bool:
    """Bring the largest entry of column k, from row k on, to row k; False where there is none."""
    best, largest = k, abs(A[k, k])
    for i in range(k + 1, n):
        if abs(A[i, k]) > largest:
            best, largest = i, abs(A[i, k])
    if best != k:
        x[k], x[best] = x[best], x[k]
        for c in range(n):
            A[k, c], A[best, c] = A[best, c], A[k, c]
    return bool(largest > 0.0)


@subroutine
def solve(A: Floats, x: Floats, n: int) -> bool:
    """Solve A x = x in place, by elimination with pivots; False where A is singular.

    Four columns at a time: what is right of them is read and written once for all four.
    """
    for k in range(0, n, 4):
        end = min(k + 4, n)
        for p in range(k, end):
            if not _pivot(A, x, p, n):
                return False
            inverse = 1.0 / A[p, p]
            for i in range(p + 1, n):
                A[i, p] *= inverse
                part = A[i, p]
                for c in range(p + 1, end):
                    A[i, c] -= part * A[p, c]
        for p in range(k + 1, end):
            for q in range(k, p):
                part = A[p, q]
                for c in range(end, n):
                    A[p, c] -= part * A[q, c]
        if end < k + 4:
            break
        for i in range(end, n):
            a0, a1, a2, a3 = A[i, k], A[i, k + 1], A[i, k + 2], A[i, k + 3]
            for c in range(end, n):
                A[i, c] -= a0 * A[k, c] + a1 * A[k + 1, c] + a2 * A[k + 2, c] + a3 * A[k + 3, c]
    for k in range(n):
        for c in range(k):
            x[k] -= A[k, c] * x[c]
    for k in range(n - 1, -1, -1):
        total = x[k]
        for c in range(k + 1, n):
            total -= A[k, c] * x[c]
        x[k] = total / A[k, k]
    return True


@subroutine
def newton_step(
    W: Floats, island: Island, nb: int, m: int, near: float, lam: Floats, y: Floats, does: Ints, way: Floats,
    stiff: Floats, goal: Floats, far: Floats, index: Ints, slot: Ints, A: Floats, x: Floats,
) -> bool:  # fmt: skip
    """Impulses λ' that solve the linear system, in `goal`; False where there are none.

    `near` is ε: by which fraction of its response what holds may give way for each change of its impulse.
    """
    first, mu, normal, w = island.first, island.mu, island.normal, island.w
    expect(island, nb, near, lam, y, does, way, stiff, goal)
    n = 0
    for b in range(nb):
        for c in range(first[b], first[b + 1]):
            slot[c] = -1
            if does[b] != FIXED:
                slot[c], index[n] = n, c
                n += 1
    if n > LARGEST:
        return False
    for i in range(m):
        far[i] = 0.0
    for c in range(m):
        if goal[c] != lam[c]:
            add(W, c, goal[c] - lam[c], m, far)
    for b in range(nb):
        i, j = first[b], first[b + 1]
        if does[b] == FIXED:
            continue
        for c in range(i, j):
            a, own = slot[c], W[c]
            row = A[a]
            if does[b] != SLIDES:
                for k in range(n):
                    row[k] = own[index[k]]
                row[a] += near * w[b]
                x[a] = -far[c]
                continue
            for k in range(n):
                row[k] = 0.0
            x[a] = 0.0
            for d in range(i, j):
                part = stiff[c] * ((1.0 if c == d else 0.0) - way[c] * way[d])
                if part != 0.0:
                    other = W[d]
                    for k in range(n):
                        row[k] += part * other[index[k]]
                    x[a] -= part * far[d]
            row[a] += 1.0
            if normal[b] >= 0 and slot[normal[b]] >= 0:
                row[slot[normal[b]]] -= mu[b] * way[c]
            weight = w[b] / (1.0 + stiff[c] * w[b])  # as large as the rows of what holds
            for k in range(n):
                row[k] *= weight
            x[a] *= weight
    if not solve(A, x, n):
        return False
    for k in range(n):
        goal[index[k]] += x[k]
    return True
