"""The springy floor under a soft mesh, as the engine takes it."""

from __future__ import annotations

from math import ceil

import bpy
import numpy as np

from ...engine.scene import spec
from ..flesh.cage import PlacedCage

MOST = 2000
"""Vertices of the mesh that feel the floor; of more, every second or third …"""
TOUCHING = 0.06
"""Part of them that is thought to carry the weight at rest."""
GRAVITY = 9.81
"""[m/s²]; without gravity a floor has the same stiffness."""
DAMPING = 0.02
"""Damping along the normal over stiffness [s]."""


def read_floor(obj: bpy.types.Object, placed: PlacedCage, unit: float) -> spec.SpringFloor | None:
    """The floor that a soft mesh asks for; None where it asks for none. `unit` metres a Blender unit."""
    settings = obj.redmax.flesh
    if not settings.floor:
        return None
    cage = placed.cage
    local = placed.local @ placed.stretch.T
    points = local[:: ceil(len(local) / MOST)] @ placed.frame[:3, :3].T + placed.frame[:3, 3]
    if settings.mass_from == "MASS":
        mass = float(settings.mass)
    else:
        corners = cage.X[cage.corner]
        volume = np.abs(np.linalg.det(corners[:, 1:] - corners[:, :1])) / 6.0
        mass = float(settings.density) * float(volume @ cage.fill)
    stiffness = GRAVITY * mass / (float(settings.floor_depth) * unit * TOUCHING * len(points))
    return spec.SpringFloor(
        stiffness=stiffness,
        damping=DAMPING * stiffness,
        drag=float(settings.floor_grip) * stiffness,
        height=float(settings.floor_height) * unit,
        points=[tuple(row) for row in points.tolist()],
    )
