"""Sweeps over the impulses of an island, and how far they are from a solution."""

from __future__ import annotations

import math

from ..jit.decorators import borrower, inline
from ..model.records import Floats
from .island import Island, add_row, add_three, bound_of, missed_by, row_times, three_times
from .laws import project


@inline
def _within(a: float, b: float, bound: float) -> tuple[float, float]:
    """The nearest point of a disc around zero."""
    square = a * a + b * b
    if square <= bound * bound:
        return a, b
    fraction = bound / math.sqrt(square)
    return fraction * a, fraction * b


@borrower
def residual(
    island: Island, nb: int, lam: Floats, z: Floats, scale: float, y: Floats, trial: Floats
) -> float:
    """How far a step along -y, brought back to what is allowed, would change the impulses; as a fraction of all.

    y = G z - r + soft · λ is written; bounds are those that the impulses themselves give.
    """
    first, kind, mu, normal, bound = island.first, island.kind, island.mu, island.normal, island.bound
    w, rubs, soft = island.w, island.rubs, island.soft
    at, column, entry, r = island.at, island.column, island.entry, island.r
    worst = 0.0
    b = 0
    while b < nb:
        i, j = first[b], first[b + 1]
        square = 0.0
        if rubs[b]:
            p, s, t = three_times(at, column, entry, i, z)
            y[i], y[i + 1], y[i + 2] = p - r[i], s - r[i + 1], t - r[i + 2]
            p = max(lam[i] - y[i] / w[b], 0.0) - lam[i]
            s, t = _within(
                lam[i + 1] - y[i + 1] / w[b + 1],
                lam[i + 2] - y[i + 2] / w[b + 1],
                mu[b + 1] * max(lam[i], 0.0),
            )
            s, t = s - lam[i + 1], t - lam[i + 2]
            square = max((s * s + t * t) * w[b + 1], p * p * w[b])
            if math.isnan(s + p):  # the larger of two may drop it
                square = math.nan
            b += 2
        else:
            for c in range(i, j):
                y[c] = row_times(at, column, entry, c, z) - r[c] + soft[b] * lam[c]
            square = missed_by(kind[b], i, j, bound_of(mu, normal, bound, b, lam), w[b], lam, y, trial)
            b += 1
        if not square <= worst:
            worst = square
            if math.isnan(square):
                break
    return math.sqrt(worst) / scale


@borrower
def sweep(island: Island, nb: int, back: bool, lam: Floats, z: Floats, trial: Floats) -> float:
    """Each block in turn takes the impulses that suit it best as the others are, contacts as a whole: the push first,
    then friction. Returns the squared change of all."""
    first, kind, mu, normal, bound = island.first, island.kind, island.mu, island.normal, island.bound
    steepest, rubs, own, soft = island.steepest, island.rubs, island.own, island.soft
    at, column, entry, r = island.at, island.column, island.entry, island.r
    moved = 0.0
    b = nb - 1 if back else 0
    while 0 <= b < nb:
        if back and b > 0 and rubs[b - 1]:
            b -= 1
        i, j, w = first[b], first[b + 1], steepest[b]
        if not rubs[b]:
            for c in range(i, j):
                trial[c] = lam[c] - (row_times(at, column, entry, c, z) - r[c] + soft[b] * lam[c]) / w
            project(kind[b], i, j, bound_of(mu, normal, bound, b, lam), trial)
            for c in range(i, j):
                d = trial[c] - lam[c]
                if d != 0.0:
                    moved += d * d * w
                    lam[c] = trial[c]
                    add_row(at, column, entry, c, d, z)
            b += -1 if back else 1
            continue
        p, s, t = three_times(at, column, entry, i, z)
        p, s, t = p - r[i], s - r[i + 1], t - r[i + 2]
        n, f, g, w_t = lam[i], lam[i + 1], lam[i + 2], steepest[b + 1]
        if n > 0.0 or p < 0.0 or f != 0.0 or g != 0.0:
            lam[i] = max(n - p / w, 0.0)
            d = lam[i] - n
            lam[i + 1], lam[i + 2] = _within(
                f - (s + own[b, 0] * d) / w_t, g - (t + own[b, 1] * d) / w_t, mu[b + 1] * lam[i]
            )
            d_f, d_g = lam[i + 1] - f, lam[i + 2] - g
            moved += d * d * w + (d_f * d_f + d_g * d_g) * w_t
            add_three(at, column, entry, i, d, d_f, d_g, z)
        b += -1 if back else 2
    return moved


@borrower
def sweeps(
    island: Island, nb: int, m: int, n: int, count: int, enough: float, lam: Floats, z: Floats, trial: Floats,
    old: Floats, way: Floats, old_z: Floats, way_z: Floats,
) -> int:  # fmt: skip
    """Sweeps to and fro, with the steps between them as those of conjugate gradients; returns how many there were.

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
