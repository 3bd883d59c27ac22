"""One solved stage of BDF and SDIRK backwards.

The stage (`integrators/bdf.py`) solves R(q, (q - q_a)/c, (q - q_b)/c²) = 0. With the derivative y of an objective by q,
what the stage's velocity counts for included, Gᵀ λ = y in the free coordinates gives all others: ψ = λ·R is
differentiated once, in reverse.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..forces.applied import applied_changes, applied_wrenches, has_applied
from ..forces.joint import joint_action
from ..model.control import control_at
from ..model.records import Floats, Model
from ..model.state import State
from ..tree.kinematics import Kinematics, forward_kinematics
from ..tree.linearise import Linearisation
from .bars import ModelBars
from .curves import add_curves
from .forces import add_external, add_guides
from .joint_forces import add_joint_forces, held_motions
from .springs import add_springs, spring_arrays
from .tree import (
    CoordinateBars,
    TreeArrays,
    add_bodies,
    carry,
    coordinate_bars,
    link_bars,
    motion_at,
    sweep,
    tree_arrays,
)


@dataclass(frozen=True)
class Stage:
    """A solved stage: it ends at `state`, c [s] and q_b are as in `integrators/bdf.py`."""

    state: State
    c: float
    q_b: Floats

    @property
    def qddot(self) -> Floats:
        return np.asarray((self.state.q - self.q_b) / self.c**2)


class StageAdjoint:
    """Stages of one model backwards; what they add up by the model's arrays is in `bars`."""

    def __init__(self, model: Model, bars: ModelBars) -> None:
        self.model, self.bars = model, bars
        self.tree: TreeArrays = tree_arrays(model, model.tree.damping, np.zeros_like(model.tree.damping))
        self.springs = spring_arrays(model.springs)
        self.still: Floats = np.zeros(model.nr)

    def back(self, stage: Stage, q_bar: Floats, qdot_bar: Floats) -> tuple[Floats, Floats]:
        """Derivatives by q_a and q_b, from those by the q and qdot that the stage ends with."""
        model, s, c = self.model, stage.state, stage.c
        kin = forward_kinematics(model, s)
        held = model.joints.motion.target[held_motions(model, s.t)]
        free = np.setdiff1d(np.arange(model.nr), held)
        y = q_bar + qdot_bar / c
        lam: Floats = np.zeros(model.nr)
        G = self._matrix(stage, kin)
        lam[free] = np.linalg.solve(G[np.ix_(free, free)].T, y[free])
        out = self.reverse(stage, kin, lam)
        if len(held):
            reached = y - (out.q + out.qdot / c + out.qddot / c**2)
            which = held_motions(model, s.t)
            value = np.zeros(len(model.joints.motion))
            value[which] = reached[model.joints.motion.target[which]]
            add_curves(model.joints.motion, s.t, value, None, self.bars.joints.motion)
        return (out.qdot - qdot_bar) / c, out.qddot / c**2

    def _matrix(self, stage: Stage, kin: Kinematics) -> Floats:
        """dR/dq of the stage, as its Newton iteration has it."""
        model, s, c = self.model, stage.state, stage.c
        pushed = has_applied(model)
        wrenches = applied_wrenches(model, kin, s.t) if pushed else None
        lin = Linearisation(model, s, kin, stage.qddot, wrenches)
        weights = np.array([1.0, 1.0 / c, 1.0 / (c * c)])
        xi, dV, dF = lin.directions(weights)
        if pushed:
            dF -= applied_changes(model, kin, s.t, xi, dV)
        G = lin.columns(weights, dF)
        action = joint_action(model, s, control_at(model, s.t))
        G[np.diag_indices(model.nr)] += action.stiffness + action.damping / c
        return G

    def reverse(self, stage: Stage, kin: Kinematics, lam: Floats) -> CoordinateBars:
        """Derivatives of ψ by coordinates; those by the model's arrays are taken from `bars`, as the sign wants."""
        model, s = self.model, stage.state
        m = motion_at(self.tree, kin, s.chart, s.q, s.qdot, stage.qddot, self.still)
        # -λ: ψ then adds what the objective gains, and the equations of motion come out with the other sign
        m.lam[:] = -lam
        carry(self.tree.links, m.E_pj, m.S, m.lam, m.W)
        links, out = link_bars(model.nl), coordinate_bars(model.nr)
        bars = self.bars
        add_bodies(self.tree, m, links, bars.tree)
        if len(model.springs.rest):
            add_springs(self.springs, m, 0.0, links, bars.springs)
        if model.external is not None and bars.external is not None:
            add_external(model.external, m, s.t, 0.0, links, bars.external)
        if model.guides is not None and bars.guides is not None:
            add_guides(model.guides, m, s.t, 0.0, links, bars.guides)
        sweep(self.tree, m, links, out, bars.tree)
        add_joint_forces(model, m, s.t, 0.0, out, bars.joints)
        return CoordinateBars(-out.q, -out.qdot, -out.qddot, -out.after, out.lam)
