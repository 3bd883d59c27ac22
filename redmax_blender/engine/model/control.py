"""Inputs at one time: applied torques and prescribed motions."""

from __future__ import annotations

import numpy as np

from .curves import evaluate
from .records import Floats, Model
from .state import Control

_NONE: Floats = np.zeros((0, 3))


def control_at(model: Model, t: float) -> Control:
    """The scene's curves at time t [s]."""
    joints = model.joints
    tau: Floats = np.zeros(model.nr)
    if len(joints.torque):
        # More than one curve may drive a coordinate, hence not `tau[target] +=`.
        np.add.at(tau, joints.torque.target, evaluate(joints.torque, t)[:, 0])
    return Control(t, tau, evaluate(joints.motion, t) if len(joints.motion) else _NONE)
