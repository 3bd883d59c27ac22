"""Bringing positions back onto the constraints at the end of a step, without touching velocities.

Newton's method in the metric of the system's matrix, with the rows and matrices of the step: Δq = -A⁻¹ Gᵀ W⁻¹ c(q).
Errors count as lengths: those of angles are multiplied by the scene's size.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..errors import ConstraintError
from ..model.records import Floats, Ints, Model
from ..model.state import Options, State
from ..solvers.constrained import LinearSolver, Multipliers, solve_equalities
from ..tree.kinematics import kinematics_at_rest
from .active import ActiveRows, gear_rows, passed_limits
from .naming import in_the_way, names_of
from .newton import newton
from .rows import evaluate_rows

_MOST = 20
_AT_ONCE = 1e-3
"""Of the error that a step may leave, what it leaves without a trip back: larger ones would add up to a drift."""
FAR = 0.01
"""Fraction of the scene's size by which a constraint may be open at the start of a run."""
LOST = 1e-3
"""Fraction of the scene's size that a step may not leave: the constraints cannot all hold."""


def position_errors(model: Model, q: Floats, chart: Ints, t: float, rows: ActiveRows) -> Floats:
    """c(q, t) of the active rows that have a position level, less what they are to be; zero for the others and for
    limits. As rows have them [m, rad], shape (m,)."""
    c = model.constraints
    out: Floats = np.zeros(len(rows.owner))
    k, g = len(rows.index), len(rows.gears)
    if k:
        found = evaluate_rows(c.rows, t, kinematics_at_rest(model, q, chart))
        out[:k] = np.where(found.has_position, found.error, 0.0)[rows.index]
    if g:
        out[k : k + g] = gear_rows(model, q, rows.gears)[1]
    return np.asarray(out - rows.offset)


def levers(model: Model, rows: ActiveRows) -> Floats:
    """What turns the error of each row into a length, shape (m,)."""
    c = model.constraints
    out: Floats = np.ones(len(rows.owner))
    k, g = len(rows.index), len(rows.gears)
    out[:k] = c.rows.lever[rows.index]
    out[k : k + g] = c.gears.lever[rows.gears]
    return out


def largest_error(model: Model, q: Floats, chart: Ints, t: float, rows: ActiveRows) -> float:
    """As a fraction of the scene's size."""
    errors = np.abs(position_errors(model, q, chart, t, rows)) * levers(model, rows)
    return float(errors.max(initial=0.0)) / model.constraints.size


def project(
    model: Model,
    q: Floats,
    state: State,
    t: float,
    rows: ActiveRows,
    m: Multipliers,
    solver: LinearSolver,
    options: Options,
) -> tuple[Floats, float]:
    """Positions on the constraints and within limits, and the largest error that is left, as a fraction of the size."""
    equal = ~rows.inequality
    if not equal.any():
        return q, 0.0
    size = model.constraints.size
    lever = levers(model, rows)[equal]
    W = m.W[np.ix_(equal, equal)]
    goal = options.position_tolerance * size
    limits = _Limits(model, rows.G[equal], solver, q, rows.free)

    def change(errors: Floats) -> Floats:
        return np.asarray(solve_equalities(W, errors) @ m.columns[equal])

    def measure(q: Floats) -> tuple[Floats, float]:
        error = position_errors(model, q, state.chart, t, rows)[equal]
        return error, float(np.abs(error * lever).max())

    error, worst = measure(q)
    for trip in range(_MOST):
        if worst <= (goal if trip else _AT_ONCE * goal):
            break
        better = limits.hold(q - change(error), change)
        found, now = measure(better)
        if not now < 0.9 * worst:
            break  # the linearisation of the step's start has nothing more to give
        q, error, worst = better, found, now
    if worst > 10.0 * goal:
        better, left = newton(model, q, state.chart, t, rows, goal)
        if left.max() < worst:
            q, worst, error = better, float(left.max()), left / lever
    if worst > LOST * size:
        bad = np.zeros(len(equal), bool)
        bad[equal] = np.abs(error * lever) > 0.1 * worst
        touched = rows.inequality & (m.value > 0.0)
        raise ConstraintError(t, names_of(model, rows, in_the_way(rows, bad, touched)), worst, "m")
    return q, worst / size


class _Limits:
    """Keeps joints within their limits while positions move for other constraints."""

    def __init__(
        self, model: Model, G: Floats, solver: LinearSolver, q: Floats, free: NDArray[np.bool_]
    ) -> None:
        self.limits = model.constraints.limits
        self.G, self.solver, self.before, self.free = G, solver, q, free
        self.touched = np.zeros(len(self.limits.dof), bool)

    def hold(self, q: Floats, change: Callable[[Floats], Floats]) -> Floats:
        """q, brought back into the limits that it passed since the beginning, along directions that keep equalities."""
        if not len(self.limits.dof):
            return q
        self.touched |= passed_limits(self.limits, self.before, q, self.free)
        which = np.flatnonzero(self.touched)
        if not len(which):
            return q
        l = self.limits
        rows = np.zeros((len(which), len(q)))
        rows[np.arange(len(which)), l.dof[which]] = l.side[which]
        ways = np.array([self.solver.solve(row) for row in rows])
        ways -= np.array([change(self.G @ way) for way in ways])
        beyond = np.minimum(l.side[which] * (q[l.dof[which]] - l.bound[which]), 0.0)
        return np.asarray(q - solve_equalities(rows @ ways.T, beyond) @ ways)
