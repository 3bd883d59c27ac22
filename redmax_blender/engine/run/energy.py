"""The mechanical energy of a state, and whether anything could add to it."""

from __future__ import annotations

import numpy as np

from ..fem.flesh import flesh_energies
from ..forces.joint import joint_spring_energy
from ..forces.springs import measure_springs, spring_energy
from ..model.records import Floats, Model
from ..model.state import State
from ..muscles.energy import muscle_energies
from ..tree.kinematics import Kinematics, body_poses, body_twists

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
    if model.muscles is not None:
        own, weight, stretch = muscle_energies(model, state, kin)
        kinetic, gravity, springs = kinetic + own, gravity + weight, springs + stretch
    total = np.array([kinetic, gravity, springs])
    return (
        total if model.flesh is None else total + flesh_energies(model.flesh, model.gravity, state.x, state.v)
    )


def is_passive(model: Model) -> bool:
    """Whether nothing can do work on a scene but gravity: what it has of energy then never grows."""
    joints, contact, friction = model.joints, model.contact, model.friction
    return (
        model.external is None
        and model.fields is None
        and (model.muscles is None or not model.muscles.pulls)
        and model.guides is None
        and model.ropes is None
        and (model.flesh is None or model.flesh.strands is None)
        and not len(joints.torque)
        and not len(joints.motion)
        and joints.profile is None
        and not len(model.springs.rest)
        and not len(model.constraints.rows.type)
        and (contact is None or not len(contact.motion))
        and (friction is None or not len(friction.motors.torque))
    )
