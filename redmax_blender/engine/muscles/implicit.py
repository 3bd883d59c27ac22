"""Muscles in the linearly implicit step: mass, and tension with what it gains by stretching and turning.

The tension at the end of the step is T + k r·(qdot_end - qdot), linearised about the length L + h r·qdot that the path
would have if it went on as it does, with moment arms r = dL/dq.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..jit.decorators import njit
from ..model.records import Floats, Model
from ..model.state import State
from ..tree.kinematics import Kinematics
from .compiled import Muscles
from .excite import excitations
from .inertia import muscle_inertia
from .motion import follow_muscles
from .paths.smooth.packed import Followed, Paths
from .tension import step_pull


@dataclass(frozen=True)
class MuscleStep:
    A: Floats
    """What muscles add to the matrix of the step, symmetric, shape (nr, nr)."""
    b: Floats
    """And to its right side [N·m·s, N·s], shape (nr,)."""
    followed: Followed
    u: Floats
    """Excitations over the step, shape (nm,)."""

    def end(self, muscles: Muscles, state: State, qdot: Floats, h: float) -> Floats:
        """Activations and fibre lengths after the step with velocities qdot, shape (nm, 2)."""
        L0 = self.followed.length
        return step_pull(muscles, state.muscle, self.u, L0, L0 + h * (self.followed.gradient @ qdot), h).state


def begin_step(model: Model, state: State, kin: Kinematics, t: float, h: float) -> MuscleStep:
    """For a step of h [s] that ends at time t [s]."""
    muscles = model.muscles
    assert muscles is not None
    f = follow_muscles(model, state, kin, second=muscles.has_mass, across=True)
    rate = f.gradient @ state.qdot
    u = excitations(muscles, t, state, f.length, rate)
    pull = step_pull(muscles, state.muscle, u, f.length, f.length + h * rate, h)
    stiffness = np.maximum(
        pull.stiffness, 0.0
    )  # a fibre that weakens as it stretches would make A indefinite
    A = (h * h) * stiffness_matrix(muscles, f, pull.tension, stiffness)
    b = -h * (f.gradient.T @ (pull.tension - stiffness * h * rate))
    if muscles.has_mass:
        inertia = muscle_inertia(model, f)
        A += inertia.mass
        b += inertia.mass @ state.qdot + h * (inertia.gravity - inertia.bias)
    return MuscleStep(A, b, f, u)


def stiffness_matrix(muscles: Muscles, f: Followed, tension: Floats, stiffness: Floats) -> Floats:
    """Σ k r rᵀ + T d²L/dq² without what is negative of it [N·m/rad], shape (nr, nr)."""
    K = f.gradient.T @ (stiffness[:, None] * f.gradient)
    _add_across(muscles.paths, f, tension, K)
    return np.asarray(K)


@njit
def _add_across(paths: Paths, f: Followed, tension: Floats, K: Floats) -> None:
    for p in range(len(tension)):
        if tension[p] == 0.0:
            continue
        path = paths.paths[p]
        for a in range(path.columns):
            r = paths.columns[path.column + a]
            for b in range(path.columns):
                K[r, paths.columns[path.column + b]] += tension[p] * f.across[p, a, b]
