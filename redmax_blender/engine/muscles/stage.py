"""Muscles in a stage of a BDF or SDIRK step: forces at the stage's end, and how Newton's matrix sees them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ..model.records import Floats, Model
from ..model.state import State
from ..tree.kinematics import Kinematics, forward_kinematics
from .excite import excitations
from .implicit import stiffness_matrix
from .inertia import muscle_inertia
from .motion import follow_muscles
from .tension import activations, stage_pull

_NUDGE = 1e-7
"""Of a coordinate, in differences [rad, m]."""


@dataclass
class MuscleStage:
    """A stage with step c. Fibres end at l with (l - past) / c = v(a, l, L); controllers see the step's start."""

    c: float
    """[s]"""
    a: Floats
    """Activations at the stage's end, shape (nm,)."""
    past: Floats
    """[m], shape (nm,)."""
    u: Floats
    """Excitations, shape (nm,)."""
    state: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    """Activations and fibre lengths as the last evaluation found them, shape (nm, 2)."""
    _K: Floats = field(default_factory=lambda: np.zeros((0, 0)))

    @staticmethod
    def of(model: Model, state: State, c: float) -> MuscleStage | None:
        """The first stage after a state; null where there are no muscles."""
        muscles = model.muscles
        if muscles is None:
            return None
        f = follow_muscles(model, state, forward_kinematics(model, state))
        u = excitations(muscles, state.t + c, state, f.length, f.gradient @ state.qdot)
        a = activations(muscles, state.muscle[:, 0], u, c)
        return MuscleStage(c, a, state.muscle[:, 1].copy(), u)

    def after(self, model: Model, state: State, h: float, past: Floats) -> MuscleStage:
        """A stage that ends h [s] after the state of the step's start."""
        assert model.muscles is not None
        return MuscleStage(self.c, activations(model.muscles, state.muscle[:, 0], self.u, h), past, self.u)

    def second(self, model: Model, state: State, h: float, share: float) -> MuscleStage:
        """The stage after this one, which counts `share` times its own change in the past."""
        start = state.muscle[:, 1]
        return self.after(model, state, h, start + share * (self.state[:, 1] - start))

    def force(self, model: Model, state: State, kin: Kinematics, qddot: Floats) -> Floats:
        """Generalized forces of muscles, their inertia included, at the stage's end, shape (nr,)."""
        muscles = model.muscles
        assert muscles is not None
        f = follow_muscles(model, state, kin, second=muscles.has_mass, across=True)
        pull = stage_pull(muscles, self.a, self.past, self.c, f.length, f.gradient @ state.qdot)
        self.state = pull.state
        self._K = stiffness_matrix(muscles, f, pull.tension, pull.stiffness + pull.damping / self.c)
        out = -(f.gradient.T @ pull.tension)
        if muscles.has_mass:
            inertia = muscle_inertia(model, f)
            self._K += inertia.mass / (self.c * self.c)
            out -= inertia.mass @ qddot + inertia.bias - inertia.gravity
        return np.asarray(out)

    def exact_matrix(self, model: Model, state: State, qddot: Floats) -> Floats:
        """All of what it adds to Newton's matrix, by differences along every coordinate. Shape (nr, nr)."""
        out = np.empty((model.nr, model.nr))
        here = self.force(model, state, forward_kinematics(model, state), qddot)
        kept, K = self.state, self._K
        for k in range(model.nr):
            e = np.zeros(model.nr)
            e[k] = _NUDGE
            there = replace(state, q=state.q + e, qdot=state.qdot + e / self.c)
            near = self.force(model, there, forward_kinematics(model, there), qddot + e / (self.c * self.c))
            out[:, k] = (here - near) / _NUDGE
        self.state, self._K = kept, K
        return out

    def matrix(self) -> Floats:
        """What it adds to Newton's matrix: mass and stiffness, without what changes slowly. Shape (nr, nr)."""
        return self._K
