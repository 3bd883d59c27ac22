"""Forces of motion midway through a step: velocities that they are taken at, and whether that leads anywhere."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..constraints.active import ActiveRows
from ..model.records import Floats, Model
from ..model.state import State
from ..solvers.constrained import Multipliers, solve_equalities
from ..tree.centred_step import centred_kinematics
from ..tree.kinematics import Kinematics
from ..tree.recursive import inverse_dynamics

CONTRACTS = 0.5
"""Part of the first correction that the last one may be."""
SLIGHT = 0.002
"""Part of the velocities that it may be in any case."""
LARGE = 0.3
"""Part of the velocities that the first one may be."""


def astray_by(moved: list[float]) -> bool:
    """Whether corrections lead nowhere: the energy of the velocities before them, and of what each changed [J/2]."""
    if len(moved) < 3 or moved[-1] <= SLIGHT**2 * moved[0]:
        return False
    kinetic, first, last = moved[0], moved[1], moved[-1]
    return not (last <= CONTRACTS**2 * first and first <= LARGE**2 * kinetic)


def fitting(qdot: Floats, rows: ActiveRows | None, multipliers: Multipliers | None) -> Floats:
    """Velocities that fit the equality rows as they are now; those of the last step's end fit the rows of its start.

    What they are off by is taken away by the step in any case. Forces that grow with it would do work of their own.
    """
    if rows is None or multipliers is None or rows.inequality.all():
        return qdot
    equal = ~rows.inequality
    W = multipliers.W[np.ix_(equal, equal)]
    before = rows.wanted - 2.0 * rows.bend  # midway there is nothing left of it
    return np.asarray(
        qdot + solve_equalities(W, (before - rows.G @ qdot)[equal]) @ multipliers.columns[equal]
    )


def bias_change(model: Model, state: State, kin: Kinematics, qdot: Floats, free: NDArray[np.bool_]) -> Floats:
    """How Coriolis and quadratic velocity forces at the step's start change when the velocities are others."""
    still = np.zeros(model.nr)
    faster = centred_kinematics(model, State(state.t, state.q, qdot, state.chart), free)
    before = inverse_dynamics(model, kin, state.qdot, still)
    return before - inverse_dynamics(model, faster, qdot, still)
