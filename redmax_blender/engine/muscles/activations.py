"""Activations that produce given joint torques: static optimisation (Anderson and Pandy 2001)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import lsq_linear, minimize

from ..model.records import Floats, Model
from ..model.state import State
from ..tree.kinematics import forward_kinematics
from .motion import follow_muscles
from .tension import pull_now

_CLOSE = 1e-9
"""Tolerance of the solvers, relative to the torques."""


@dataclass(frozen=True)
class Activations:
    activation: Floats
    """Of each muscle, shape (nm,)."""
    missing: Floats
    """Torque in each coordinate that no activations within the bounds can produce [N·m, N], shape (nr,)."""


def static_optimisation(
    model: Model, state: State, tau: Floats, lower: float = 0.0, upper: float = 1.0
) -> Activations:
    """The least squares of activations between bounds whose muscles make the generalized forces tau (nr,) at a state.

    Tendons count as rigid, so that tension is active force times activation and passive force. Coordinates that no
    muscle moves, and what is beyond the muscles' strength, are left over in `missing`.
    """
    muscles = model.muscles
    if muscles is None or not muscles.pulls:
        return Activations(np.zeros(0), np.asarray(tau, float).copy())
    f = follow_muscles(model, state, forward_kinematics(model, state))
    rate = f.gradient @ state.qdot
    passive, full = (_rigid_tension(model, a, f.length, rate) for a in (0.0, 1.0))
    A = -(f.gradient.T * (full - passive))
    b = np.asarray(tau, float) + f.gradient.T @ passive
    n = A.shape[1]
    able = np.abs(A).max(axis=0) > 0.0
    nearest = lsq_linear(A[:, able], b, (lower, upper), tol=_CLOSE).x if able.any() else np.zeros(0)
    a = np.full(n, lower)
    if able.any():
        scale = max(float(np.abs(A).max()), 1e-12)
        # of all that come as near, the least; rows that repeat others would leave the solver without a direction
        _, s, Vt = np.linalg.svd(A[:, able] / scale, full_matrices=False)
        rows = Vt[s > 1e-9 * s[0]]
        wanted = rows @ nearest
        found = minimize(
            lambda x: (0.5 * float(x @ x), x),
            nearest,
            jac=True,
            bounds=[(lower, upper)] * int(able.sum()),
            constraints={"type": "eq", "fun": lambda x: rows @ x - wanted, "jac": lambda _: rows},
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        a[able] = np.clip(found.x if found.success else nearest, lower, upper)
    return Activations(a, b - A @ a)


def _rigid_tension(model: Model, a: float, length: Floats, rate: Floats) -> Floats:
    """Tensions [N] at one activation, as if no tendon stretched, shape (nm,)."""
    muscles = model.muscles
    assert muscles is not None
    rigid = muscles.hill.copy()
    rigid["rigid"] = 1
    state = np.column_stack([np.full(len(length), a), muscles.start[:, 1]])
    return pull_now(replace(muscles, hill=rigid), state, length, rate)
