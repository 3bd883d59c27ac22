"""Mechanical energy of muscles: of their mass, and of those that are plain springs.

What stretched tendons and fibres hold is not counted: fibres do work and lose it.
"""

from __future__ import annotations

import numpy as np

from ..model.records import Model
from ..model.state import State
from ..tree.kinematics import Kinematics
from .motion import follow_muscles


def muscle_energies(model: Model, state: State, kin: Kinematics) -> tuple[float, float, float]:
    """Kinetic energy, potential in gravity and in springs [J]."""
    muscles = model.muscles
    assert muscles is not None
    if not muscles.has_mass and not len(muscles.plain.muscle):
        return 0.0, 0.0, 0.0
    f = follow_muscles(model, state, kin)
    m = muscles.paths.masses["mass"]
    v = f.jacobian @ state.qdot
    stretch = np.maximum(f.length[muscles.plain.muscle] - muscles.plain.rest, 0.0)
    return (
        0.5 * float(m @ np.sum(v * v, axis=1)),
        -float(m @ (f.points @ model.gravity)),
        0.5 * float(muscles.plain.stiffness @ (stretch * stretch)),
    )
