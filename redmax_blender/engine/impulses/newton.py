"""Newton steps on the impulses of an island, with bounds that follow from normal impulses in the same step.

From impulses λ and y = G z - r a block expects to hold (y = 0), to be at a bound, or to slide, from where a step along
-y would lead (Alart, Curnier: A mixed formulation for frictional contact problems prone to Newton like solution
methods, 1991). Each way the new impulses depend on the new y,

    holds     λ' = λ - y' / (ε w)                    with ε = 0: y' = 0; y has soft · λ in it, if a row gives way
    at bound  λ' = ±bound                            or zero, without push
    slides    λ' = μ λₙ' d - σ⁻¹ (y' + ε w (λ' - λ) across d)    along d, against the way it slides; d turns with y'

and z' = Gᵀ λ' is a linear system in as many unknowns as the island has coordinates. It is not symmetric: what slides
is pushed by its normal impulse, and does not push it back. Rows that repeat each other have many solutions, or none
with all of them held; ε keeps a step near to λ (the proximal point method), and vanishes where steps succeed.
"""

from __future__ import annotations

import math

from ..algebra.arrays import Mask, Places
from ..jit.decorators import borrower, inline
from ..model.records import Floats, Ints
from . import band
from .island import Island, add_row, bound_of, row_times
from .laws import BOX, DISC, PUSH

FREE, FIXED, SLIDES = 0, 1, 2
"""What a block does in a step."""


@borrower
def expect(
    island: Island, nb: int, near: float, lam: Floats, y: Floats, does: Ints, way: Floats, stiff: Floats, goal: Floats
) -> None:  # fmt: skip
    """What each block will do; λ' = goal - stiff · (y' - y) for its rows, apart from what couples them.

    What slides leaves in `way` where its impulse points, and in `stiff` what turns it.
    """
    for b in range(nb):
        i, j, w, kind = island.first[b], island.first[b + 1], island.w[b], island.kind[b]
        bound = bound_of(island.mu, island.normal, island.bound, b, lam)
        does[b] = FREE
        if kind == PUSH and not lam[i] - y[i] / w > 0.0:
            does[b] = FIXED
            stiff[i] = 0.0
            goal[i] = 0.0
        elif kind == BOX:
            t = lam[i] - y[i] / w
            if abs(t) > bound:
                does[b] = SLIDES if island.normal[b] >= 0 else FIXED
                way[i] = math.copysign(1.0, t)
                stiff[i] = 0.0
                goal[i] = way[i] * bound
        elif kind == DISC:
            square = 0.0
            for c in range(i, j):
                way[c] = lam[c] - y[c] / w
                square += way[c] * way[c]
            if square > bound * bound:
                does[b] = SLIDES
                size = math.sqrt(square)
                turn = bound / (w * (size - bound + near * bound))
                out = 0.0
                for c in range(i, j):
                    way[c] /= size
                    goal[c] = near * w * lam[c] - y[c]
                    out += way[c] * goal[c]
                for c in range(i, j):
                    stiff[c] = turn
                    goal[c] = way[c] * bound + turn * (goal[c] - out * way[c])
        if does[b] == FREE:
            for c in range(i, j):
                stiff[c] = 1.0 / (near * w + island.soft[b])
                goal[c] = lam[c] - stiff[c] * y[c]
    for b in range(nb):
        normal = island.normal[b]
        if does[b] == SLIDES and normal >= 0:
            more = island.mu[b] * (goal[normal] - max(lam[normal], 0.0))
            for c in range(island.first[b], island.first[b + 1]):
                goal[c] += way[c] * more


@inline
def _couple(
    first: Ints,
    normal: Ints,
    mu: Floats,
    unit: int,
    nb: int,
    does: Ints,
    way: Floats,
    stiff: Floats,
    C: Floats,
) -> int:
    """How the impulses of a unit change with -y', in C (3, 3); returns how many rows it has, 0 where none changes.

    A unit is a block, and those whose bounds follow its impulse: three rows at most.
    """
    top, count, changes = first[unit], 0, False
    for c in range(3):
        for d in range(3):
            C[c, d] = 0.0
    for b in range(unit, nb):
        if b > unit and normal[b] != top:
            break
        i, j = first[b] - top, first[b + 1] - top
        count = j
        if does[b] == FIXED:
            continue
        for c in range(i, j):
            C[c, c] = stiff[top + c]
            changes = changes or stiff[top + c] > 0.0
            if does[b] == SLIDES:
                for d in range(i, j):
                    C[c, d] -= stiff[top + c] * way[top + c] * way[top + d]
                if normal[b] >= 0:
                    C[c, 0] = mu[b] * stiff[top] * way[top + c]
    return count if changes else 0


@inline
def _end_of_stretch(column: Places, x: int, f: int, width: int) -> int:
    """Where columns end that follow one another from entry f on, of a row with `width` entries from x on."""
    start, low = f, column[x + f]
    while f < width and column[x + f] == low + (f - start):
        f += 1
    return f


@borrower
def _add_contact(at: Places, column: Places, entry: Floats, i: int, C: Floats, V: Floats, H: Floats) -> None:
    """H += Gᵀ C G of three rows that move the same coordinates, one stretch of columns in a row after the other."""
    x, y, z = at[i], at[i + 1], at[i + 2]
    width = int(y - x)
    for e in range(width):
        a, b, c = entry[x + e], entry[y + e], entry[z + e]
        V[0, e] = C[0, 0] * a
        V[1, e] = C[1, 0] * a + C[1, 1] * b + C[1, 2] * c
        V[2, e] = C[2, 0] * a + C[2, 1] * b + C[2, 2] * c
    f = 0
    while f < width:
        start, low = f, column[x + f]
        f = _end_of_stretch(column, x, f, width)
        n = f - start
        v0, v1, v2 = V[0, start:f], V[1, start:f], V[2, start:f]
        for e in range(width):
            a, b, c = entry[x + e], entry[y + e], entry[z + e]
            row = H[column[x + e], low : low + n]
            for col in range(n):
                row[col] += a * v0[col] + b * v1[col] + c * v2[col]
    for e in range(width):
        V[0, e], V[1, e], V[2, e] = 0.0, 0.0, 0.0


@borrower
def _add_one(at: Places, column: Places, entry: Floats, i: int, C: float, H: Floats) -> None:
    """H += Gᵀ C G of a single row."""
    x = at[i]
    width = int(at[i + 1] - x)
    f = 0
    while f < width:
        start, low = f, column[x + f]
        f = _end_of_stretch(column, x, f, width)
        n = f - start
        v = entry[x + start : x + f]
        for e in range(width):
            a = C * entry[x + e]
            row = H[column[x + e], low : low + n]
            for col in range(n):
                row[col] += a * v[col]


@borrower
def _add_long(
    at: Places, column: Places, entry: Floats, i: int, count: int, C: Floats, P: Floats, V: Floats, H: Floats
) -> None:  # fmt: skip
    """H += Gᵀ C G of up to three rows, over all coordinates between those that they move."""
    low, high = len(H), 0
    for r in range(count):
        for e in range(at[i + r], at[i + r + 1]):
            k, a = column[e], entry[e]
            low, high = min(low, k), max(high, k + 1)
            P[r, k] = a
            for q in range(count):
                V[q, k] += C[q, r] * a
    n = high - low
    v0, v1, v2 = V[0, low:high], V[1, low:high], V[2, low:high]
    for k in range(low, high):
        a, b, c = P[0, k], P[1, k], P[2, k]
        row = H[k, low:high]
        if a != 0.0 or b != 0.0 or c != 0.0:
            for col in range(n):
                row[col] += a * v0[col] + b * v1[col] + c * v2[col]
    for r in range(count):
        for k in range(low, high):
            P[r, k] = 0.0
            V[r, k] = 0.0


@borrower
def assemble(
    island: Island, nb: int, n: int, does: Ints, way: Floats, stiff: Floats, begin: Ints, end: Ints, C: Floats,
    P: Floats, V: Floats, H: Floats,
) -> None:  # fmt: skip
    """H = 1 + Gᵀ C G of the step, where λ' changes by -C with y'. P and V (3, n) come and go as zeros."""
    for k in range(n):
        for c in range(begin[k // 4], end[k // 4]):
            H[k, c] = 0.0
        H[k, k] = 1.0
    first, normal, mu, rubs = island.first, island.normal, island.mu, island.rubs
    at, column, entry = island.at, island.column, island.entry
    for b in range(nb):
        if normal[b] >= 0:
            continue
        i = first[b]
        count = _couple(first, normal, mu, b, nb, does, way, stiff, C)
        if rubs[b] and count == 3:
            _add_contact(at, column, entry, i, C, V, H)
        elif count == 1:
            _add_one(at, column, entry, i, C[0, 0], H)
        elif count > 0:
            _add_long(at, column, entry, i, count, C, P, V, H)


@borrower
def newton_step(
    island: Island, nb: int, m: int, n: int, near: float, lam: Floats, z: Floats, y: Floats, does: Ints, way: Floats,
    stiff: Floats, goal: Floats, begin: Ints, end: Ints, filled: Mask, C: Floats, P: Floats, V: Floats, H: Floats,
    inverse: Floats, change: Floats,
) -> bool:  # fmt: skip
    """Impulses λ' that solve the linear system, in `goal`; False where there are none. n is a multiple of four.

    `near` is ε: by which fraction of its response what holds may give way for each change of its impulse.
    """
    at, column, entry = island.at, island.column, island.entry
    expect(island, nb, near, lam, y, does, way, stiff, goal)
    assemble(island, nb, n, does, way, stiff, begin, end, C, P, V, H)
    for k in range(n):
        change[k] = -z[k]
    for i in range(m):
        if goal[i] != 0.0:
            add_row(at, column, entry, i, goal[i], change)
    if not band.factor(H, n, begin, end, filled, inverse):
        return False
    band.solve(H, n, begin, end, inverse, change)
    # normal rows first: what slides needs to know by how much they change
    for b in range(nb):
        i, j = island.first[b], island.first[b + 1]
        if does[b] == FREE:
            for c in range(i, j):
                goal[c] -= stiff[c] * row_times(at, column, entry, c, change)
    for b in range(nb):
        if does[b] != SLIDES:
            continue
        i, j, normal = island.first[b], island.first[b + 1], island.normal[b]
        along = 0.0
        for c in range(i, j):
            wide_c = row_times(at, column, entry, c, change)
            along += way[c] * wide_c
            goal[c] -= stiff[c] * wide_c
        more = stiff[i] * along
        if normal >= 0:
            more -= island.mu[b] * stiff[normal] * row_times(at, column, entry, normal, change)
        for c in range(i, j):
            goal[c] += more * way[c]
    return True
