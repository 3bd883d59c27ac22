"""Accelerations with the mass of muscles: the whole mass matrix, formed and solved."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..model.records import Floats, Model
from ..model.state import State
from ..tree.kinematics import Kinematics, forward_kinematics
from ..tree.recursive import hybrid_dynamics, inverse_dynamics, mass_times
from .compiled import Muscles
from .excite import excitations
from .inertia import muscle_inertia
from .motion import follow_muscles
from .tension import pull_now, state_rates

Mask = NDArray[np.bool_]


def muscle_forces(model: Model, state: State, kin: Kinematics) -> Floats:
    """Generalized forces that muscles pull with at a state, shape (nr,)."""
    muscles = model.muscles
    if muscles is None or not muscles.pulls:
        return np.zeros(model.nr)
    f = follow_muscles(model, state, kin)
    rate = f.gradient @ state.qdot
    now = _at_once(muscles, state, f.length, rate)
    return np.asarray(-f.gradient.T @ pull_now(muscles, now, f.length, rate))


def _at_once(muscles: Muscles, state: State, length: Floats, rate: Floats) -> Floats:
    """Activations and fibre lengths, where activation that takes no time is the excitation of now."""
    quick = muscles.times[:, 0] <= 0.0
    if not quick.any():
        return state.muscle
    out = state.muscle.copy()
    out[quick, 0] = excitations(muscles, state.t, state, length, rate)[quick]
    return out


def muscle_figures(model: Model, state: State, kin: Kinematics) -> Floats:
    """Length [m], tension [N], activation and fibre length [m] of each muscle, shape (nm, 4)."""
    muscles = model.muscles
    if muscles is None:
        return np.zeros((0, 4))
    f = follow_muscles(model, state, kin)
    rate = f.gradient @ state.qdot
    now = _at_once(muscles, state, f.length, rate)
    return np.column_stack([f.length, pull_now(muscles, now, f.length, rate), now])


def muscle_rates(model: Model, state: State, kin: Kinematics) -> Floats:
    """Rates of activations [1/s] and fibre lengths [m/s], excitations being those of now, shape (nm, 2)."""
    muscles = model.muscles
    assert muscles is not None
    f = follow_muscles(model, state, kin)
    rate = f.gradient @ state.qdot
    u = excitations(muscles, state.t, state, f.length, rate)
    return state_rates(muscles, state.muscle, u, f.length, rate)


def hybrid_with_muscles(
    model: Model, state: State, tau: Floats, qddot: Floats, free: Mask, wrenches: Floats
) -> tuple[Floats, Floats]:
    """As `hybrid_dynamics`, with muscles: accelerations of free coordinates and forces in the others."""
    muscles = model.muscles
    if muscles is None:
        return hybrid_dynamics(model, state, tau, qddot, free, wrenches)
    kin = forward_kinematics(model, state)
    own = muscle_forces(model, state, kin)
    if not muscles.has_mass:
        found, needed = hybrid_dynamics(model, state, tau + np.where(free, own, 0.0), qddot, free, wrenches)
        return found, np.where(free, tau, needed - own)
    inertia = muscle_inertia(model, follow_muscles(model, state, kin, second=True))
    M = inertia.mass + np.array([mass_times(model, kin, e) for e in np.eye(model.nr)])
    bias = inverse_dynamics(model, kin, state.qdot, np.zeros(model.nr), wrenches)
    bias += inertia.bias - inertia.gravity - own
    out = qddot.copy()
    if free.any():
        f = (tau - bias)[free] - M[np.ix_(free, ~free)] @ qddot[~free]
        out[free] = np.linalg.solve(M[np.ix_(free, free)], f)
    return out, np.where(free, tau, M @ out + bias)
