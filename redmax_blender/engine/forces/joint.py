"""What acts in the joints' own coordinates: applied torques, springs towards a rest position, and dampers."""

from __future__ import annotations

import numpy as np

from ..model import Control, Floats, Model, State


def joint_force(model: Model, state: State, control: Control) -> Floats:
    """Generalized force [N·m, N], shape (nr,). Its stiffness and damping are the diagonals of the model's joints."""
    joints = model.joints
    return control.tau - joints.stiffness * (state.q - joints.rest) - joints.damping * state.qdot


def joint_spring_energy(model: Model, state: State) -> float:
    """[J]"""
    stretch = state.q - model.joints.rest
    return 0.5 * float(np.sum(model.joints.stiffness * stretch * stretch))
