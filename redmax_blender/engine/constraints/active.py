"""The rows that hold in a step, in reduced coordinates, with what each wants."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..jit import njit
from ..kinematics import Kinematics
from ..model import Constraints, Floats, Ints, Limits, Model, Options, State
from ..spatial import Tuple, dot6, load6, load12, wrench_up
from .rows import RowState, evaluate_rows


@dataclass(frozen=True)
class ActiveRows:
    """m rows: G qdot = wanted, or >= for inequalities."""

    G: Floats
    """In reduced coordinates, shape (m, nr)."""
    wanted: Floats
    """Velocity at the end of the step, shape (m,)."""
    inequality: NDArray[np.bool_]
    owner: Ints
    """Number of the constraint, or -1 - number of the limit, shape (m,)."""
    maximal: RowState | None
    """The maximal rows as they were evaluated; null for none."""
    index: Ints
    """Which of the maximal rows are active, shape (mm,); they come first."""
    gears: Ints
    """Which gears are active; they come second."""


@njit
def _project(
    parent: Ints, dof: Ints, E_pj: Floats, S: Floats, link: Ints, G: Floats, index: Ints, out: Floats
) -> None:
    """Rows of G in maximal coordinates to reduced ones: each side's wrench is carried to the root."""
    for r in range(len(index)):
        i = index[r]
        for side in range(2):
            j = link[i, side]
            if j < 0:
                continue
            f: Tuple = (
                G[i, side, 0],
                G[i, side, 1],
                G[i, side, 2],
                G[i, side, 3],
                G[i, side, 4],
                G[i, side, 5],
            )
            while j >= 0:
                for k in range(dof[j], dof[j + 1]):
                    out[r, k] += dot6(load6(S, k), f)
                f = wrench_up(load12(E_pj, j), f)
                j = parent[j]


def reduced_rows(model: Model, kin: Kinematics, rows: RowState, index: Ints) -> Floats:
    """G J of the chosen rows, shape (len(index), nr)."""
    out: Floats = np.zeros((len(index), model.nr))
    t = model.tree
    _project(t.parent, t.dof, kin.E_pj, kin.S, rows.link, rows.G, index, out)
    return out


def is_active(c: Constraints, t: float) -> NDArray[np.bool_]:
    """Which constraints hold at the end of a step, at time t [s]."""
    # A step that ends where an interval begins is still free; one that ends where it ends still holds.
    return np.array(
        [not spans or any(a + 1e-9 < t <= b + 1e-9 for a, b in spans) for spans in c.active], bool
    )


def active_rows(
    model: Model, state: State, kin: Kinematics, t: float, h: float, options: Options
) -> ActiveRows | None:
    """Rows of a step of h [s] that ends at time t [s]; null when nothing is constrained."""
    c = model.constraints
    if c.is_empty:
        return None
    on = is_active(c, t)
    gamma = options.stabilisation
    rows, index, G, wanted = None, np.zeros(0, np.int64), [], []
    if len(c.rows.type):
        rows = evaluate_rows(c.rows, t, kin)
        index = np.flatnonzero(on[c.rows.owner])
        G.append(reduced_rows(model, kin, rows, index))
        if gamma is None:
            # rows.error compares where the bodies are now with where the targets will be: this is the whole way to go
            positional = rows.has_position.astype(bool)
            wanted.append(np.where(positional, -rows.error / h, rows.target)[index])
        else:
            wanted.append((rows.target - gamma * rows.error)[index])
    gears = np.flatnonzero(on[c.gears.owner]) if len(c.gears.offset) else np.zeros(0, np.int64)
    if len(gears):
        g, error = gear_rows(model, state.q, gears)
        G.append(g)
        wanted.append(-(1.0 / h if gamma is None else gamma) * error)
    equalities = sum(len(w) for w in wanted)
    limits, speed = _limit_rows(c.limits, state, h, options)
    if len(limits):
        side = np.zeros((len(limits), model.nr))
        side[np.arange(len(limits)), c.limits.dof[limits]] = c.limits.side[limits]
        G.append(side)
        wanted.append(speed)
    if not G or not sum(len(w) for w in wanted):
        return None
    owner = np.concatenate(
        [c.rows.owner[index] if rows is not None else [], c.gears.owner[gears], -1 - limits]
    )
    m = len(owner)
    return ActiveRows(
        np.vstack(G),
        np.concatenate(wanted),
        np.arange(m) >= equalities,
        owner.astype(np.int64),
        rows,
        index,
        gears,
    )


def gear_rows(model: Model, q: Floats, which: Ints) -> tuple[Floats, Floats]:
    """Rows and errors of gears."""
    g = model.constraints.gears
    G = np.zeros((len(which), model.nr))
    for r, i in enumerate(which):
        span = slice(g.first[i], g.first[i + 1])
        np.add.at(G[r], g.dof[span], g.factor[span])
    return G, G @ q - g.offset[which]


def _limit_rows(limits: Limits, state: State, h: float, options: Options) -> tuple[Ints, Floats]:
    """The stops that a step may reach, and the least velocity away from each."""
    if not len(limits.dof):
        return np.zeros(0, np.int64), np.zeros(0)
    gap = limits.side * (state.q[limits.dof] - limits.bound)
    speed = limits.side * state.qdot[limits.dof]
    if not options.limit_lookahead:
        which = np.flatnonzero(gap <= 0.0)
        rate = 1.0 / h if options.stabilisation is None else options.stabilisation
        return which, -rate * gap[which]
    # Whatever the forces of this step, a coordinate that is farther than this away cannot arrive: it would need an
    # acceleration that stops of neighbours do not give. What arrives all the same is caught in the next step.
    near = gap <= np.maximum(-4.0 * h * speed, 0.0) + _MARGIN
    which = np.flatnonzero(near)
    least = -gap[which] / h
    hits = gap[which] + h * speed[which] < 0.0
    bounce = -limits.restitution[which] * speed[which]
    return which, np.where(hits & (bounce > 0.0), np.maximum(least, bounce), least)


_MARGIN = 0.2
"""Distance [rad, m] within which a stop is always looked at."""
