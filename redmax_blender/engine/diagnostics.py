"""What a state means: its energies, and the generalized forces that act in the joints."""

from __future__ import annotations

import numpy as np

from .control import control_at
from .flesh import flesh_energies
from .forces.applied import applied_wrenches
from .forces.drag import drag_wrenches
from .forces.joint import joint_force, joint_spring_energy, motion_modes
from .forces.springs import measure_springs, spring_energy
from .integrators.euler import StepReport
from .kinematics import Kinematics, body_poses, body_twists
from .model import PRESCRIBED, Floats, Model
from .recursive import hybrid_dynamics
from .state import State

ENERGIES = ("kinetic", "gravity", "springs")
"""The parts of the energy, in the order in which they are recorded. All but the first are potential."""


def energies(model: Model, state: State, kin: Kinematics) -> Floats:
    """Kinetic energy, potential in gravity (zero at the world's origin) and in springs [J], shape (3,).

    Each has its share of flesh in it, whose elasticity counts among the springs.
    Torques, dampers and prescribed motions do work; they have no energy here.
    """
    twists = body_twists(model.bodies, kin.V)
    kinetic = 0.5 * float(np.sum(model.bodies.inertia * twists * twists))
    centres = body_poses(model.bodies, kin)[:, 9:]
    gravity = -float(model.bodies.inertia[:, 3] @ (centres @ model.gravity))
    springs = joint_spring_energy(model, state)
    if len(model.springs.rest):
        springs += spring_energy(model.springs, measure_springs(model.springs, kin))
    total = np.array([kinetic, gravity, springs])
    return (
        total if model.flesh is None else total + flesh_energies(model.flesh, model.gravity, state.x, state.v)
    )


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
        _, tau = hybrid_dynamics(model, state, tau, qddot, free, wrenches)
    return tau


def step_forces(model: Model, state: State, report: StepReport) -> Floats:
    """The same over the step that led to a state, from what the step itself found for prescribed coordinates.

    Unlike `joint_forces` it knows what constraints push back.
    """
    tau = joint_force(model, state, control_at(model, state.t))
    return tau if report.motor is None else tau + report.motor
