"""One island of rows by itself: its blocks, and its rows in coordinates in which its mass is one.

With A = L D⁻¹ Lᵀ the row g becomes √D L⁻¹ g, so that W = G A⁻¹ Gᵀ is what the rows have in common with each other.
Impulses λ of the rows change the velocities in those coordinates by z = Gᵀ λ, and a row by G z.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..jit import inline, subroutine
from ..model import Floats, Ints
from .dual_sets import project

_WEAK = 1e-9
"""A row that responds with less than this fraction of the strongest row of its block is none."""


class Island(NamedTuple):
    """Blocks and rows of an island; arrays may be longer than what is used of them."""

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
    at: Ints
    """Row i has the entries at[i]:at[i+1]."""
    column: Ints
    entry: Floats
    r: Floats


@inline
def row_times(island: Island, i: int, z: Floats) -> float:
    """Row i times z."""
    total = 0.0
    for e in range(island.at[i], island.at[i + 1]):
        total += island.entry[e] * z[island.column[e]]
    return total


@inline
def add_row(island: Island, i: int, s: float, z: Floats) -> None:
    """z += s times row i."""
    for e in range(island.at[i], island.at[i + 1]):
        z[island.column[e]] += s * island.entry[e]


@inline
def bound_of(island: Island, b: int, lam: Floats) -> float:
    """What the impulses of a block may be as large as, with the other impulses as they are."""
    n = island.normal[b]
    if n < 0:
        return float(island.bound[b])
    return float(island.mu[b] * max(lam[n], 0.0))


@subroutine
def project_all(island: Island, nb: int, lam: Floats) -> None:
    """All blocks; a normal row comes before what it bounds."""
    for b in range(nb):
        project(island.kind[b], island.first[b], island.first[b + 1], bound_of(island, b, lam), lam)


@subroutine
def changes(island: Island, m: int, n: int, lam: Floats, z: Floats) -> None:
    """z = Gᵀ λ."""
    for k in range(n):
        z[k] = 0.0
    for i in range(m):
        if lam[i] != 0.0:
            add_row(island, i, lam[i], z)


@subroutine
def _steepest(island: Island, i: int, j: int, wide: Floats) -> float:
    """Largest sum of what a row of i:j has in common with all of them."""
    out = 0.0
    for c in range(i, j):
        for e in range(island.at[c], island.at[c + 1]):
            wide[island.column[e]] = island.entry[e]
        shared = 0.0
        for d in range(i, j):
            shared += abs(row_times(island, d, wide))
        for e in range(island.at[c], island.at[c + 1]):
            wide[island.column[e]] = 0.0
        out = max(out, shared)
    return out


@subroutine
def weigh(island: Island, nb: int, square: Floats, wide: Floats) -> float:
    """Responses of all blocks; returns the largest impulse that a row alone would need, in the norm of its response.

    Rows that nothing moves lose their entries. `square` (m,) is written; `wide` (n,) comes and goes as zeros.
    """
    scale = 0.0
    for b in range(nb):
        i, j = island.first[b], island.first[b + 1]
        total, largest = 0.0, 0.0
        for c in range(i, j):
            own = 0.0
            for e in range(island.at[c], island.at[c + 1]):
                own += island.entry[e] * island.entry[e]
            square[c] = own
            total += own
            largest = max(largest, own)
        for c in range(i, j):
            if square[c] > _WEAK * largest:
                scale = max(scale, abs(island.r[c]) / math.sqrt(square[c]))
                continue
            island.r[c] = 0.0
            for e in range(island.at[c], island.at[c + 1]):
                island.entry[e] = 0.0
        island.w[b] = total / (j - i)
        island.steepest[b] = total if j == i + 1 else _steepest(island, i, j, wide)
    return scale
