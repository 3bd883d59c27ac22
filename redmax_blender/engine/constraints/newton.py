"""Newton's method for positions on constraints, with fresh rows in every iteration and the inertia as metric."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..model.records import Floats, Ints, Model
from ..solvers.semidefinite import semidefinite_inverse
from ..tree.kinematics import Kinematics, kinematics_at_rest
from ..tree.recursive import factor, mass_times, solve
from .active import ActiveRows, gear_rows, passed_limits, reduced_rows
from .rows import evaluate_rows

_MOST = 30
_HALVINGS = 6


@dataclass(frozen=True)
class _Look:
    """Equality rows, and limits that were touched, at one place."""

    kin: Kinematics
    G: Floats
    error: Floats
    lever: Floats

    @property
    def worst(self) -> float:
        return float(np.abs(self.error * self.lever).max(initial=0.0))


def newton(
    model: Model, q: Floats, chart: Ints, t: float, rows: ActiveRows, goal: float
) -> tuple[Floats, Floats]:
    """Positions on the equality rows, from q, and the errors that are left as lengths [m], shape (m,).

    It ends when the largest is below `goal` [m], or when no step makes it smaller. Joints move as little as they can,
    measured by their inertia; prescribed ones keep their places, and limits that hold at q hold at the end.
    """
    start = q
    limits = model.constraints.limits
    held = np.zeros(len(limits.dof), bool)
    now = _look(model, q, chart, t, rows, held)
    for _ in range(_MOST):
        if now.worst <= goal:
            break
        ways = least_motions(model, now.kin, now.G, rows.free)
        dq = semidefinite_inverse(now.G @ ways.T) @ now.error @ ways
        passed = passed_limits(limits, start, q - dq, rows.free) & ~held
        if passed.any():
            held |= passed
            now = _look(model, q, chart, t, rows, held)
            continue
        for k in range(_HALVINGS):
            trial = q - 0.5**k * dq
            found = _look(model, trial, chart, t, rows, held)
            if found.worst < (1.0 - 0.25 * 0.5**k) * now.worst:
                break
        else:
            break
        q, now = trial, found
    m = len(rows.index) + len(rows.gears)
    return q, np.asarray(np.abs(now.error * now.lever)[:m])


def _look(model: Model, q: Floats, chart: Ints, t: float, rows: ActiveRows, held: NDArray[np.bool_]) -> _Look:
    c = model.constraints
    kin = kinematics_at_rest(model, q, chart)
    found = evaluate_rows(c.rows, t, kin)
    G, error = gear_rows(model, q, rows.gears)
    position = found.has_position[rows.index].astype(bool)
    # rows without a position level take no part: they would stop others from closing
    first = reduced_rows(model, kin, found, rows.index) * position[:, None]
    errors = np.concatenate([np.where(position, found.error[rows.index], 0.0), error])
    errors -= rows.offset[: len(errors)]
    which = np.flatnonzero(held)
    stops = np.zeros((len(which), model.nr))
    stops[np.arange(len(which)), c.limits.dof[which]] = 1.0
    beyond = q[c.limits.dof[which]] - c.limits.bound[which]
    return _Look(
        kin,
        np.vstack([first, G, stops]),
        np.concatenate([errors, beyond]),
        np.concatenate([c.rows.lever[rows.index], c.gears.lever[rows.gears], np.full(len(which), c.size)]),
    )


def least_motions(model: Model, kin: Kinematics, G: Floats, free: NDArray[np.bool_]) -> Floats:
    """M⁻¹ Gᵀ on the free coordinates, and within couplings where there are any, shape (m, nr)."""
    if model.reduction is None:
        tree = factor(model, kin, free=free)
        return np.array([solve(model, tree, g) for g in G]).reshape(G.shape)
    B = model.reduction[:, ~np.any((model.reduction != 0.0) & ~free[:, None], axis=0)]
    MB = np.array([mass_times(model, kin, b) for b in B.T]).T
    return np.asarray(np.linalg.solve(B.T @ MB, B.T @ G.T).T @ B.T)
