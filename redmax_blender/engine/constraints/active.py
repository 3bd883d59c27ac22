"""The rows that hold in a step, in reduced coordinates, with what each wants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra.spatial import Tuple, dot6, load6, load12, wrench_up
from ..forces.joint import approach
from ..jit.decorators import njit
from ..model.records import Constraints, Floats, Ints, Limits, Model
from ..model.state import Options, State
from ..tree.kinematics import Kinematics, forward_kinematics, kinematics_at_rest
from .bending import share_of
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
    free: NDArray[np.bool_]
    """Coordinates that are not prescribed in this step, shape (nr,)."""
    offset: Floats
    """What the position errors are to be at the end of the step: not zero while a constraint takes hold, shape (m,)."""
    bend: Floats
    """What of `wanted` follows from the way being curved (`_bend`), shape (m,)."""


@njit
def project_rows(
    parent: Ints, dof: Ints, E_pj: Floats, S: Floats, link: Ints, G: Floats, index: Ints, out: Floats
) -> None:
    """Rows of G in maximal coordinates to reduced ones: each side's wrench is carried to the root.

    Where both sides move alike they cancel, and what rounding leaves is no row: between bodies that are fixed to each
    other it would be all there is.
    """
    for r in range(len(index)):
        i = index[r]
        most = 0.0
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
                    x = dot6(load6(S, k), f)
                    most = max(most, abs(x))
                    out[r, k] += x
                f = wrench_up(load12(E_pj, j), f)
                j = parent[j]
        for k in range(out.shape[1]):
            if abs(out[r, k]) < 1e-12 * most:
                out[r, k] = 0.0


def reduced_rows(model: Model, kin: Kinematics, rows: RowState, index: Ints) -> Floats:
    """G J of the chosen rows, shape (len(index), nr)."""
    out: Floats = np.zeros((len(index), model.nr))
    t = model.tree
    project_rows(t.parent, t.dof, kin.E_pj, kin.S, rows.link, rows.G, index, out)
    return out


def is_active(c: Constraints, t: float) -> NDArray[np.bool_]:
    """Which constraints hold at the end of a step, at time t [s]."""
    if c.always:
        return np.ones(len(c.active), bool)
    # A step that ends where an interval begins is still free; one that ends where it ends still holds.
    return np.array(
        [not spans or any(a + 1e-9 < t <= b + 1e-9 for a, b, _ in spans) for spans in c.active], bool
    )


def active_rows(
    model: Model,
    state: State,
    kin: Kinematics,
    t: float,
    h: float,
    options: Options,
    free: NDArray[np.bool_],
    also: NDArray[np.bool_] | None = None,
    arrive: Callable[[Floats], Floats] | None = None,
) -> ActiveRows | None:
    """Rows of a step of h [s] that ends at time t [s]; null when nothing is constrained.

    `free` tells the coordinates that are not prescribed, (nr,); `also` limits to look at in any case, (nh,); `arrive`
    where the step leads with given velocities: with it, it leads along the way that the rows leave, which is curved.
    """
    c = model.constraints
    if c.is_empty:
        return None
    on = is_active(c, t)
    left = _time_left(c, state.t, t)
    gamma = options.stabilisation
    rows, index, G, wanted, offset, bend = None, np.zeros(0, np.int64), [], [], [], np.zeros(0)
    if len(c.rows.type):
        rows = evaluate_rows(c.rows, t, kin)
        index = np.flatnonzero(on[c.rows.owner])
        g = reduced_rows(model, kin, rows, index)
        error, target = rows.error[index], rows.target[index]
        rest = np.zeros(len(index))
        if gamma is None:
            waking = left[c.rows.owner[index]]
            before = evaluate_rows(c.rows, state.t, kin).error[index] if len(c.rows.targets) else error
            if np.any(waking > 0.0):
                earlier = State(state.t - h, state.q - h * state.qdot, state.qdot, state.chart)
                was = evaluate_rows(c.rows, earlier.t, forward_kinematics(model, earlier)).error[index]
                rest = _rest(before, was, waking, h) * rows.has_position[index]
            # Bodies move as far as their targets do. What they are off already is no reason to move, but for being
            # put right (`projection.py`): as a velocity it would be carried on, and be large where a loop hardly gives.
            start = np.where(waking > 0.0, rest, before)
            wanted.append(np.where(rows.has_position[index].astype(bool), (start - error) / h, target))
            if arrive is not None:
                bend = _bend(model, state, kin, t, index, error, g, arrive, h)
                bend *= rows.has_position[index].astype(bool) & ~(waking > 0.0)
                wanted[-1] += bend
        else:
            wanted.append(target - gamma * error)
        G.append(g)
        offset.append(rest)
    gears = np.flatnonzero(on[c.gears.owner]) if len(c.gears.offset) else np.zeros(0, np.int64)
    if len(gears):
        g, error = gear_rows(model, state.q, gears)
        rest = np.zeros(len(gears))
        if gamma is None:
            waking = left[c.gears.owner[gears]]
            rest = _rest(error, error - h * (g @ state.qdot), waking, h)
            wanted.append(np.where(waking > 0.0, (rest - error) / h, 0.0))
        else:
            wanted.append(-gamma * error)
        G.append(g)
        offset.append(rest)
    equalities = sum(len(w) for w in wanted)
    limits, speed = _limit_rows(c.limits, state, h, options, free, also)
    if len(limits):
        side = np.zeros((len(limits), model.nr))
        side[np.arange(len(limits)), c.limits.dof[limits]] = c.limits.side[limits]
        G.append(side)
        wanted.append(speed)
        offset.append(np.zeros(len(limits)))
    if not G or not sum(len(w) for w in wanted):
        return None
    owner = _stack([part for part in (c.rows.owner[index], c.gears.owner[gears], -1 - limits) if len(part)])
    return ActiveRows(
        _stack(G),
        _stack(wanted),
        np.arange(len(owner)) >= equalities,
        owner,
        rows,
        index,
        gears,
        free,
        _stack(offset),
        np.concatenate([bend, np.zeros(len(owner) - len(bend))]),
    )


def _bend(
    model: Model,
    state: State,
    kin: Kinematics,
    t: float,
    index: Ints,
    error: Floats,
    G: Floats,
    arrive: Callable[[Floats], Floats],
    h: float,
) -> Floats:
    """Velocities of rows with which a step of h [s] ends where they hold, and not only along a tangent to that.

    From a tangent positions are brought back, and the next step begins with a velocity that points off the way, which
    the rows take away: with it goes energy. So the step itself leads as far to one side as the last one led to the
    other, and rows turn velocities rather than shorten them. Where something turns far in a step they may shorten them.
    """
    there = kinematics_at_rest(model, arrive(state.qdot), state.chart)
    end = evaluate_rows(model.constraints.rows, t, there).error[index]
    return np.asarray((G @ state.qdot - (end - error) / h) * share_of(kin.V, h))


def follows(model: Model, rows: ActiveRows, kin: Kinematics, options: Options) -> bool:
    """Whether what brings positions back is a part of the way, and so of the velocities: where loops were closed before
    the step, and nothing turns far in it."""
    c = model.constraints
    if rows.maximal is None or not rows.bend.any() or rows.offset.any() or share_of(kin.V, options.h) < 1.0:
        return False
    error = np.abs(rows.maximal.error * c.rows.lever)[rows.index]
    return bool(error.max(initial=0.0) <= 5.0 * options.position_tolerance * c.size)


def _stack(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """One below the other; most scenes have rows of one kind only."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _time_left(c: Constraints, start: float, end: float) -> Floats:
    """Time [s] that is left at `start` for each constraint to take hold, in a step until `end`; zero where it holds."""
    out: Floats = np.zeros(len(c.active))
    if c.always:
        return out
    for i, spans in enumerate(c.active):
        for a, b, over in spans:
            if a + 1e-9 < end <= b + 1e-9 and start < a + over - 1e-9:
                out[i] = a + over - start
    return out


def _rest(gap: Floats, earlier: Floats, left: Floats, h: float) -> Floats:
    """What is left of gaps after a step of h [s], where there is time left to close them."""
    if not np.any(left > 0.0):
        return np.zeros(len(gap))
    pairs = zip(gap, earlier, left, strict=True)
    return np.array([approach(g, e, l, h) if l > 0.0 else 0.0 for g, e, l in pairs])


def gear_rows(model: Model, q: Floats, which: Ints) -> tuple[Floats, Floats]:
    """Rows and errors of gears."""
    g = model.constraints.gears
    G = np.zeros((len(which), model.nr))
    for r, i in enumerate(which):
        span = slice(g.first[i], g.first[i + 1])
        np.add.at(G[r], g.dof[span], g.factor[span])
    return G, G @ q - g.offset[which]


def _limit_rows(
    limits: Limits,
    state: State,
    h: float,
    options: Options,
    free: NDArray[np.bool_],
    also: NDArray[np.bool_] | None,
) -> tuple[Ints, Floats]:
    """The stops that a step may reach, and the least velocity away from each."""
    if not len(limits.dof):
        return np.zeros(0, np.int64), np.zeros(0)
    gap = limits.side * (state.q[limits.dof] - limits.bound)
    speed = limits.side * state.qdot[limits.dof]
    if not options.limit_lookahead:
        which = np.flatnonzero(gap <= 0.0)
        rate = 1.0 / h if options.stabilisation is None else options.stabilisation
        return which, -rate * gap[which]
    # A coordinate that is farther away than this hardly ever arrives. One that would is seen after the step was
    # solved, and the step is solved again with it (`also`).
    near = gap <= np.maximum(-4.0 * h * speed, 0.0) + _MARGIN
    if also is not None:
        near |= also
    which = np.flatnonzero(near & free[limits.dof])
    gap, speed = gap[which], speed[which]
    least = np.where(gap >= 0.0, -gap / h, -gap * min(1.0 / h, RECOVERY))
    hits = gap + h * speed < 0.0
    bounce = -limits.restitution[which] * speed
    return which, np.where(hits & (bounce > 0.0), np.maximum(least, bounce), least)


def passed_limits(limits: Limits, before: Floats, q: Floats, free: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Limits that hold at `before` and not at q, shape (nh,)."""
    gap = limits.side * (q[limits.dof] - limits.bound)
    start = limits.side * (before[limits.dof] - limits.bound)
    return np.asarray((gap < -_PASSED) & (gap < start) & (start >= -_PASSED) & free[limits.dof])


_MARGIN = 0.2
"""Distance [rad, m] within which a stop is always looked at."""
_PASSED = 1e-10
"""Distance [rad, m] beyond a stop that is more than rounding."""
RECOVERY = 10.0
"""Rate [1/s] at which a coordinate that was put or held beyond its limit comes back."""
