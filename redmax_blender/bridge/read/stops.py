"""What the limits of joints are like where they stop something: friction, its lever, and bounce."""

from __future__ import annotations

import bpy

from ...engine.scene import spec
from .friction import check_numbers, friction_size

STOPS = ("stop_friction", "stop_radius", "stop_restitution")


def add_stops(
    joint: spec.JointSpec, settings: bpy.types.PropertyGroup, place: str, fallback: float, unit: float
) -> None:
    """Friction and bounce of a joint's limits, where it has some; a joint with one coordinate only bounces.

    fallback: friction radius where the user gives none. unit: metres a unit of it and of lengths in the settings.
    """
    check_numbers(settings, place, STOPS)
    limits = joint.limits
    if limits is None:
        return
    limits.restitution = float(settings.stop_restitution)
    coordinates = limits.lower if isinstance(limits.lower, list) else [limits.lower]
    if settings.stop_friction > 0.0 and len(coordinates) > 1:
        limits.friction = float(settings.stop_friction)
        limits.radius = (float(settings.stop_radius) or friction_size(settings, fallback)[0]) * unit
