"""One island of rows by itself: its blocks, and its rows in coordinates in which its mass is one.

With A = L D⁻¹ Lᵀ the row g becomes √D L⁻¹ g, so that W = G A⁻¹ Gᵀ is what the rows have in common with each other.
Impulses λ of the rows change the velocities in those coordinates by z = Gᵀ λ, and a row by G z.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..algebra.arrays import Mask, Places
from ..jit.decorators import borrower, inline
from ..model.records import Floats, Ints
from .laws import DISC, PUSH, project

_WEAK = 1e-9
"""A row that responds with less than this fraction of the strongest row of its block is none."""

_NOTHING = 1e-9
"""Velocity [m/s, rad/s] that smaller ones count as when impulses are compared: what rounding leaves of metres a second
needs none that are exact."""


class Island(NamedTuple):
    """Blocks and rows of an island; arrays may be longer than what is used of them.

    Functions that go through all rows take the arrays out first: what is taken out of a tuple is counted, each time.
    """

    first: Ints
    """Block b has the rows first[b]:first[b+1]."""
    kind: Ints
    mu: Floats
    normal: Ints
    """Row whose impulse times μ is the bound of a block; -1 where the bound is given."""
    bound: Floats
    w: Floats
    """Mean response of the rows of a block to themselves."""
    steepest: Floats
    """Largest response of any impulse of a block, or a little more."""
    rubs: Mask
    """Whether a block is the push of a contact, with the disc of its friction right after it."""
    own: Floats
    """Response of the two rows of its friction to its push, shape (nb, 2)."""
    at: Places
    """Row i has the entries at[i]:at[i+1]."""
    column: Places
    entry: Floats
    r: Floats
    soft: Floats
    """How far the rows of a block give way for a unit of impulse: zero for hard ones."""


@inline
def row_times(at: Places, column: Places, entry: Floats, i: int, z: Floats) -> float:
    """Row i times z."""
    total = 0.0
    for e in range(at[i], at[i + 1]):
        total += entry[e] * z[column[e]]
    return total


@inline
def row_square(at: Places, entry: Floats, i: int) -> float:
    """Row i times itself."""
    total = 0.0
    for e in range(at[i], at[i + 1]):
        total += entry[e] * entry[e]
    return total


@inline
def add_row(at: Places, column: Places, entry: Floats, i: int, s: float, z: Floats) -> None:
    """z += s times row i."""
    for e in range(at[i], at[i + 1]):
        z[column[e]] += s * entry[e]


@inline
def three_times(at: Places, column: Places, entry: Floats, i: int, z: Floats) -> tuple[float, float, float]:
    """The rows i, i + 1 and i + 2 of a contact times z: they have entries at the same coordinates."""
    begin, end = at[i], at[i + 1]
    width = end - begin
    p, q, r = 0.0, 0.0, 0.0
    for e in range(begin, end):
        u = z[column[e]]
        p += entry[e] * u
        q += entry[e + width] * u
        r += entry[e + 2 * width] * u
    return p, q, r


@inline
def add_three(
    at: Places, column: Places, entry: Floats, i: int, p: float, q: float, r: float, z: Floats
) -> None:
    """z += p, q and r times the rows of a contact from i on."""
    begin, end = at[i], at[i + 1]
    width = end - begin
    for e in range(begin, end):
        z[column[e]] += p * entry[e] + q * entry[e + width] + r * entry[e + 2 * width]


@inline
def bound_of(mu: Floats, normal: Ints, bound: Floats, b: int, lam: Floats) -> float:
    """What the impulses of a block may be as large as, with the other impulses as they are."""
    n = normal[b]
    return float(bound[b] if n < 0 else mu[b] * max(lam[n], 0.0))


@borrower
def project_all(island: Island, nb: int, lam: Floats) -> None:
    """All blocks; a normal row comes before what it bounds."""
    first, kind, mu, normal, bound = island.first, island.kind, island.mu, island.normal, island.bound
    for b in range(nb):
        project(kind[b], first[b], first[b + 1], bound_of(mu, normal, bound, b, lam), lam)


@borrower
def changes(island: Island, nb: int, n: int, lam: Floats, z: Floats) -> None:
    """z = Gᵀ λ."""
    first, rubs, at, column, entry = island.first, island.rubs, island.at, island.column, island.entry
    for k in range(n):
        z[k] = 0.0
    b = 0
    while b < nb:
        i, j = first[b], first[b + 1]
        if rubs[b]:
            if lam[i] != 0.0 or lam[i + 1] != 0.0 or lam[i + 2] != 0.0:
                add_three(at, column, entry, i, lam[i], lam[i + 1], lam[i + 2], z)
            b += 2
            continue
        for c in range(i, j):
            if lam[c] != 0.0:
                add_row(at, column, entry, c, lam[c], z)
        b += 1


@borrower
def _steepest(at: Places, column: Places, entry: Floats, i: int, j: int, wide: Floats) -> float:
    """Largest sum of what a row of i:j has in common with all of them."""
    out = 0.0
    for c in range(i, j):
        for e in range(at[c], at[c + 1]):
            wide[column[e]] = entry[e]
        shared = 0.0
        for d in range(i, j):
            shared += abs(row_times(at, column, entry, d, wide))
        for e in range(at[c], at[c + 1]):
            wide[column[e]] = 0.0
        out = max(out, shared)
    return out


@inline
def _is_contact(first: Ints, kind: Ints, normal: Ints, at: Places, b: int, nb: int) -> bool:
    """Whether block b is a push, and the next one a disc of two rows that it presses, at the same coordinates."""
    if b + 1 >= nb or kind[b] != PUSH or kind[b + 1] != DISC:
        return False
    i, j = first[b], first[b + 2]
    width = at[i + 1] - at[i]
    return bool(normal[b + 1] == i and j == i + 3 and at[j] - at[i] == 3 * width)


@inline
def _weaken(at: Places, entry: Floats, r: Floats, i: int, j: int, square: Floats, soft: float) -> float:
    """Take the entries from those of the rows i:j that nothing moves; returns the largest impulse that one of the
    others would need alone, squared."""
    largest, scale = 0.0, 0.0
    for c in range(i, j):
        largest = max(largest, square[c])
    for c in range(i, j):
        if square[c] > _WEAK * largest:
            scale = max(scale, max(r[c] * r[c], _NOTHING * _NOTHING) / (square[c] + soft))
            continue
        r[c] = 0.0
        for e in range(at[c], at[c + 1]):
            entry[e] = 0.0
    return scale


@inline
def _weigh_contact(
    at: Places, entry: Floats, i: int, b: int, w: Floats, steepest: Floats, own: Floats, square: Floats
) -> None:
    """Responses of a contact, whose push is block b with row i."""
    begin, end = at[i], at[i + 1]
    width = end - begin
    nn, ns, nt, ss, st, tt = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for e in range(begin, end):
        n, s, t = entry[e], entry[e + width], entry[e + 2 * width]
        nn += n * n
        ns += n * s
        nt += n * t
        ss += s * s
        st += s * t
        tt += t * t
    own[b, 0], own[b, 1] = ns, nt
    w[b], steepest[b] = nn, nn
    w[b + 1] = 0.5 * (ss + tt)
    steepest[b + 1] = w[b + 1] + math.sqrt(0.25 * (ss - tt) * (ss - tt) + st * st)
    square[i], square[i + 1], square[i + 2] = nn, ss, tt


@borrower
def weigh(island: Island, nb: int, square: Floats, wide: Floats) -> float:
    """Responses of all blocks; returns the largest impulse that a row alone would need, in the norm of its response.

    Rows that nothing moves lose their entries. `square` (m,) is written; `wide` (n,) comes and goes as zeros.
    """
    first, kind, normal, rubs = island.first, island.kind, island.normal, island.rubs
    w, steepest, own, soft = island.w, island.steepest, island.own, island.soft
    at, column, entry, r = island.at, island.column, island.entry, island.r
    scale = 0.0
    b = 0
    while b < nb:
        rubs[b] = _is_contact(first, kind, normal, at, b, nb)
        i, j = first[b], first[b + 1]
        if rubs[b]:
            rubs[b + 1] = False
            _weigh_contact(at, entry, i, b, w, steepest, own, square)
            scale = max(
                scale, _weaken(at, entry, r, i, j, square, 0.0), _weaken(at, entry, r, j, j + 2, square, 0.0)
            )
            b += 2
            continue
        total = 0.0
        for c in range(i, j):
            square[c] = row_square(at, entry, c)
            total += square[c]
        scale = max(scale, _weaken(at, entry, r, i, j, square, soft[b]))
        w[b] = total / (j - i) + soft[b]
        steepest[b] = soft[b] + (total if j == i + 1 else _steepest(at, column, entry, i, j, wide))
        b += 1
    return math.sqrt(scale)


@inline
def missed_by(
    kind: int, i: int, j: int, bound: float, w: float, lam: Floats, y: Floats, trial: Floats
) -> float:
    """How far a step along -y, brought back to what is allowed, would change a block's impulses, squared and in the
    norm of its response."""
    for c in range(i, j):
        trial[c] = lam[c] - y[c] / w
    project(kind, i, j, bound, trial)
    square = 0.0
    for c in range(i, j):
        square += (trial[c] - lam[c]) ** 2 * w
    return square
