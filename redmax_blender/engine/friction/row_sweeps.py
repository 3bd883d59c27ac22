"""Sweeps over the impulses of an island, and how far they are from a solution."""

from __future__ import annotations

import math

from ..jit import subroutine
from ..model import Floats
from .dual_sets import project
from .island_rows import Island, add_row, bound_of, row_times


@subroutine
def residual(
    island: Island, nb: int, lam: Floats, z: Floats, scale: float, y: Floats, trial: Floats
) -> float:
    """How far a step along -y, brought back to what is allowed, would change the impulses; as a fraction of all.

    y = G z - r is written; bounds are those that the impulses themselves give.
    """
    worst = 0.0
    for b in range(nb):
        i, j, w = island.first[b], island.first[b + 1], island.w[b]
        for c in range(i, j):
            y[c] = row_times(island, c, z) - island.r[c]
            trial[c] = lam[c] - y[c] / w
        project(island.kind[b], i, j, bound_of(island, b, lam), trial)
        total = 0.0
        for c in range(i, j):
            total += (trial[c] - lam[c]) ** 2
        change = math.sqrt(total * w)
        if not change <= worst:
            worst = change
            if math.isnan(change):
                break
    return worst / scale


@subroutine
def sweep(island: Island, nb: int, back: bool, lam: Floats, z: Floats, trial: Floats) -> float:
    """Each block in turn takes the impulses that suit it best as the others are; returns the squared change of all."""
    moved = 0.0
    for turn in range(nb):
        b = nb - 1 - turn if back else turn
        i, j = island.first[b], island.first[b + 1]
        w = island.steepest[b]
        for c in range(i, j):
            trial[c] = lam[c] - (row_times(island, c, z) - island.r[c]) / w
        project(island.kind[b], i, j, bound_of(island, b, lam), trial)
        for c in range(i, j):
            d = trial[c] - lam[c]
            if d != 0.0:
                moved += d * d * w
                lam[c] = trial[c]
                add_row(island, c, d, z)
    return moved


@subroutine
def sweeps(
    island: Island, nb: int, m: int, n: int, count: int, enough: float, lam: Floats, z: Floats, trial: Floats,
    old: Floats, way: Floats, old_z: Floats, way_z: Floats,
) -> int:  # fmt: skip
    """Sweeps to and fro, with the steps between them as those of conjugate gradients; returns how many there were.

    The last of an odd count has normal impulses before the friction that they bound.

    (Silcowitz, Niebe, Erleben: A nonsmooth nonlinear conjugate gradient method for interactive contact force problems,
    2010.) They end early when what they change is less than `enough`, in the norm of the response.
    """
    before = 0.0
    for k in range(count):
        for i in range(m):
            old[i] = lam[i]
        for c in range(n):
            old_z[c] = z[c]
        moved = sweep(island, nb, k % 2 == 1, lam, z, trial)
        if not moved > enough * enough or k == count - 1:
            return k + 1
        ahead = moved / before if before > 0.0 else 0.0
        before = moved
        if k == 0 or ahead > 1.0:  # from here anew
            for i in range(m):
                way[i] = lam[i] - old[i]
            for c in range(n):
                way_z[c] = z[c] - old_z[c]
            continue
        for i in range(m):
            step = lam[i] - old[i]
            lam[i] += ahead * way[i]
            way[i] = ahead * way[i] + step
        for c in range(n):
            step = z[c] - old_z[c]
            z[c] += ahead * way_z[c]
            way_z[c] = ahead * way_z[c] + step
    return count
