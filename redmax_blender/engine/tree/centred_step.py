"""What is centred in a step (`centres.py`), for the routes that are not kernels."""

from __future__ import annotations

import numpy as np

from ..algebra.spatial import Row
from ..jit.decorators import njit
from ..model.records import Model
from ..model.state import State
from .centres import (
    Floats,
    Ints,
    Mask,
    arrive,
    carry_blow,
    carry_rates,
    centre_bias,
    keep_spins,
    take_off_gyroscopic,
)
from .kinematics import Kinematics, forward_kinematics


@njit
def _centre(
    which: Ints, of: Floats, free: Mask, parent: Ints, dof: Ints, q: Row, qdot: Row, E_pj: Floats, V: Floats,
    S: Floats, Sdot: Floats, A: Floats,
) -> None:  # fmt: skip
    centre_bias(which, of, free, parent, dof, q, qdot, E_pj, V, S, Sdot, A)


@njit
def _take_off(which: Ints, of: Floats, free: Mask, V: Floats, h: float, F: Floats) -> None:
    take_off_gyroscopic(which, of, free, V, h, F)


@njit
def _arrive(
    which: Ints, of: Floats, free: Mask, params: Row, chart: Ints, S: Floats, h: float, q: Row, qdot: Row, end: Row,
    moving: Floats,
) -> None:  # fmt: skip
    arrive(which, of, free, params, chart, S, h, q, qdot, end, moving)


@njit
def _blow(
    which: Ints, of: Floats, free: Mask, params: Row, chart: Ints, S: Floats, h: float, q: Row, mean: Row, qdot: Row,
    moving: Floats,
) -> None:  # fmt: skip
    carry_blow(which, of, free, params, chart, S, h, q, mean, qdot, moving)


@njit
def _carry(
    which: Ints, of: Floats, free: Mask, params: Row, chart: Ints, q: Row, moving: Floats, qdot: Row
) -> None:
    carry_rates(which, of, free, params, chart, q, moving, qdot)


@njit
def _keep(which: Ints, free: Mask, qdot: Row, midway: Row) -> None:
    keep_spins(which, free, qdot, midway)


def centred_kinematics(model: Model, state: State, free: Mask) -> Kinematics:
    """What a step takes for S, Ṡ and accelerations: `forward_kinematics` in the coordinates that it moves along."""
    kin, c = forward_kinematics(model, state), model.centres
    if len(c):
        t = model.tree
        _centre(
            c.which, c.of, free, t.parent, t.dof, state.q, state.qdot, kin.E_pj, kin.V, kin.S, kin.Sdot, kin.A
        )
    return kin


class CentredStep:
    """How a step from a state moves what is centred."""

    def __init__(self, model: Model, state: State, kin: Kinematics, free: Mask, h: float) -> None:
        """kin: that of `centred_kinematics`; free: coordinates that are not prescribed, shape (nr,)."""
        c = model.centres
        self.model, self.state, self.kin, self.free, self.h = model, state, kin, free, h
        self.any = len(c) > 0
        self.couples: Floats | None = None
        """Impulses on links that take gyroscopic torques off [N·m·s], shape (nl, 6)."""
        self.moving = np.zeros((len(c), 6))
        if self.any:
            self.couples = np.zeros((model.nl, 6))
            _take_off(c.which, c.of, free, kin.V, h, self.couples)

    def midway(self, qdot: Floats) -> Floats:
        """Velocities for the forces of motion midway through the step; what spins by itself keeps its own."""
        if self.any:
            _keep(self.model.centres.which, self.free, self.state.qdot, qdot)
        return qdot

    def arrive(self, qdot: Floats) -> Floats:
        """Coordinates at the end."""
        q, c = self.state.q + self.h * qdot, self.model.centres
        if self.any:
            _arrive(
                c.which, c.of, self.free, self.model.tree.params, self.state.chart, self.kin.S, self.h,
                self.state.q, qdot, q, self.moving,
            )  # fmt: skip
        return q

    def after_blow(self, mean: Floats, qdot: Floats) -> None:
        """The step has arrived with velocities `mean`, but ends with others."""
        c = self.model.centres
        if self.any and mean is not qdot:
            _blow(
                c.which, c.of, self.free, self.model.tree.params, self.state.chart, self.kin.S, self.h,
                self.state.q, mean, qdot, self.moving,
            )  # fmt: skip

    def rates(self, qdot: Floats, q: Floats) -> Floats:
        """Rates at the end, at q, of the velocities with which the step has arrived last."""
        if not self.any:
            return qdot
        out, c = qdot.copy(), self.model.centres
        _carry(c.which, c.of, self.free, self.model.tree.params, self.state.chart, q, self.moving, out)
        return out
