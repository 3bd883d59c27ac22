"""Bringing positions back onto the constraints at the end of a step, without touching velocities.

Newton's method in the metric of the system's matrix, with the rows and matrices of the step: Δq = -A⁻¹ Gᵀ W⁻¹ c(q).
"""

from __future__ import annotations

import numpy as np

from ..errors import ConstraintError
from ..kinematics import forward_kinematics
from ..model import Floats, Ints, Model, Options, State
from ..solvers.constrained import Multipliers, solve_equalities
from .active import ActiveRows, gear_rows
from .rows import evaluate_rows

_MOST = 20


def position_errors(model: Model, q: Floats, chart: Ints, t: float, rows: ActiveRows) -> Floats:
    """c(q, t) of the active rows that have a position level, zero for the others and for limits, shape (m,)."""
    c = model.constraints
    out: Floats = np.zeros(len(rows.owner))
    k = len(rows.index)
    if k:
        state = State(t, q, np.zeros(len(q)), chart)
        found = evaluate_rows(c.rows, t, forward_kinematics(model, state))
        out[:k] = np.where(found.has_position, found.error, 0.0)[rows.index]
    if len(rows.gears):
        out[k : k + len(rows.gears)] = gear_rows(model, q, rows.gears)[1]
    return out


def project(
    model: Model, q: Floats, state: State, t: float, rows: ActiveRows, m: Multipliers, options: Options
) -> tuple[Floats, float]:
    """Positions on the constraints, and the largest error that is left as a fraction of the scene's size."""
    equal = ~rows.inequality
    if not equal.any():
        return q, 0.0
    size = model.constraints.size
    W = m.W[np.ix_(equal, equal)]
    goal = options.position_tolerance * size
    error = position_errors(model, q, state.chart, t, rows)[equal]
    worst = float(np.abs(error).max())
    first = worst
    for _ in range(_MOST):
        if worst <= goal:
            break
        better = q - solve_equalities(W, error) @ m.columns[equal]
        error = position_errors(model, better, state.chart, t, rows)[equal]
        now = float(np.abs(error).max())
        if not now < 0.9 * worst:
            break  # the linearisation of the step's start has nothing more to give
        q, worst = better, now
    if worst > 0.01 * size and worst > 0.5 * first:
        owners = np.unique(rows.owner[equal][np.abs(error) > 0.1 * worst])
        names = [model.constraints.names[i] for i in owners if i >= 0]
        raise ConstraintError(t, names, worst, "m or rad")
    return q, worst / size
