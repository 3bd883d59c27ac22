"""The generalized forces that act in the joints, from a state or from a step."""

from __future__ import annotations

import numpy as np

from ..forces.applied import applied_wrenches
from ..forces.drag import drag_wrenches
from ..forces.joint import joint_force, motion_modes
from ..integrators.euler import StepReport
from ..model.control import control_at
from ..model.records import PRESCRIBED, Floats, Model
from ..model.state import State
from ..muscles.accelerate import hybrid_with_muscles
from ..tree.kinematics import Kinematics


def joint_forces(model: Model, state: State, kin: Kinematics) -> Floats:
    """Total generalized force in each coordinate [N·m, N], shape (nr,).

    In a free coordinate it is the applied torque, the spring and the damper. In a prescribed one it is what it
    takes to keep the motion: what a motor has to supply together with the spring and the damper there.
    """
    control = control_at(model, state.t)
    tau = joint_force(model, state, control)
    target = model.joints.motion.target
    if len(target):
        qddot = np.zeros(model.nr)
        qddot[target] = control.motion[:, 2]
        wrenches = applied_wrenches(model, kin, state.t)
        if model.tree.damping.any():
            wrenches += drag_wrenches(model, kin.V)
        free = np.ones(model.nr, bool)
        free[target[motion_modes(model, state.t) == PRESCRIBED]] = False
        _, tau = hybrid_with_muscles(model, state, tau, qddot, free, wrenches)
    return tau


def step_forces(model: Model, state: State, report: StepReport) -> Floats:
    """The same over the step that led to a state, from what the step itself found for prescribed coordinates.

    Unlike `joint_forces` it knows what constraints push back.
    """
    tau = joint_force(model, state, control_at(model, state.t))
    return tau if report.motor is None else tau + report.motor
