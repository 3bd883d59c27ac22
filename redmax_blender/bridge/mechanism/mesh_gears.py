"""Gears, belts and racks: the ratio at which two joints move together, from their places and the sizes of wheels."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Vector
from numpy.typing import NDArray

from ...engine.errors import SceneError

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Wheel:
    """A joint whose part turns or slides, as its coordinate counts."""

    joint: bpy.types.Object
    place: Floats
    """In the world [Blender units], shape (3,)."""
    axis: Floats
    """About or along which its part moves for a growing coordinate, shape (3,)."""
    slides: bool
    radius: float
    """Of the teeth, from the sockets of its parts [Blender units]; 0 where they have none."""


def mesh_gears(
    leader: bpy.types.Object,
    follower: bpy.types.Object,
    kind: str,
    *,
    radii: tuple[float, float] = (0.0, 0.0),
) -> float:
    """Let one joint move with another as their teeth (GEAR, RACK) or the belt around them (BELT) makes them; the ratio.

    radii: of the leader's and the follower's wheel [Blender units]; 0 for what the parts say, or where these say
    nothing, for what fits between the two axes.
    """
    wheels = wheel_of(leader), wheel_of(follower)
    ratio = ratio_of(*wheels, kind, radii)
    follower.redmax.coupling.joint, follower.redmax.coupling.ratio = leader, ratio
    return ratio


def wheel_of(joint: bpy.types.Object) -> Wheel:
    own = joint.redmax.joint
    slides = own.kind == "SLIDER"
    if own.kind not in ("HINGE", "SLIDER", "PISTON", "SCREW"):
        raise SceneError(
            f"Joint '{joint.name}'",
            f"its kind is {own.kind.lower()}",
            "Select hinges, sliders, pistons or screws.",
        )
    matrix = joint.matrix_world
    axis = matrix.to_3x3().normalized().col[2 if own.kind == "HINGE" else 0]
    radius, sign = 0.0, 1.0
    for part, way in ((own.object2, 1.0), (own.object1, -1.0)):
        found = _teeth(part, matrix.translation)
        if found > 0.0:
            radius, sign = found, way
            break
    return Wheel(joint, np.array(matrix.translation), sign * np.array(axis), slides, radius)


def ratio_of(leader: Wheel, follower: Wheel, kind: str, radii: tuple[float, float]) -> float:
    """How far the follower's coordinate moves for each angle, or length, of the leader's."""
    if kind == "RACK":
        return _rack(leader, follower, radii)
    for wheel in (leader, follower):
        if wheel.slides:
            raise SceneError(
                f"Joint '{wheel.joint.name}'",
                "it slides, and has no wheel",
                "Choose Rack for the two joints.",
            )
    alike = float(leader.axis @ follower.axis)
    between = np.linalg.norm(follower.place - leader.place)
    a, b = _radii(leader, follower, radii, float(between))
    if kind == "BELT":
        sign = 1.0
        if abs(alike) < 0.5:
            raise SceneError(
                f"Joints '{leader.joint.name}' and '{follower.joint.name}'",
                "a belt does not run around axes that stand across each other",
                "Turn one of them, or choose Gear.",
            )
    else:
        sign = -1.0  # teeth on the outside of both turn them against each other
    return sign * a / b * (1.0 if alike >= 0.0 else -1.0)


def _rack(leader: Wheel, follower: Wheel, radii: tuple[float, float]) -> float:
    """Where teeth meet, the rack moves as the rim of the wheel does."""
    if leader.slides == follower.slides:
        raise SceneError(
            f"Joints '{leader.joint.name}' and '{follower.joint.name}'",
            "a rack is a slider and its wheel a hinge, and here both are alike",
            "Select a hinge and a slider.",
        )
    wheel, rack = (follower, leader) if leader.slides else (leader, follower)
    towards = rack.place - wheel.place
    for axis in (wheel.axis, rack.axis):
        towards = towards - (towards @ axis) * axis
    apart = float(np.linalg.norm(towards))
    given = radii[1] if leader.slides else radii[0]
    radius = given or wheel.radius or apart
    if radius < 1e-9:
        raise SceneError(
            f"Joint '{wheel.joint.name}'",
            "nothing says how large its wheel is",
            "Give a radius, or place the rack beside the wheel.",
        )
    across = towards / apart if apart > 1e-9 else np.cross(wheel.axis, rack.axis)
    speed = float(np.cross(wheel.axis, across) @ rack.axis)
    if abs(speed) < 0.5:
        raise SceneError(
            f"Joint '{rack.joint.name}'",
            "the rim of the wheel does not move along it where they meet",
            "Let the slider's X axis run across the wheel's axis.",
        )
    length = radius * np.sign(speed)
    return float(1.0 / length if leader.slides else length)


def _radii(leader: Wheel, follower: Wheel, radii: tuple[float, float], between: float) -> tuple[float, float]:
    """Given, or those of the parts' teeth, or what is left between the axes."""
    a, b = radii[0] or leader.radius, radii[1] or follower.radius
    if a > 0.0 and not b > 0.0:
        b = between - a
    elif b > 0.0 and not a > 0.0:
        a = between - b
    for wheel, radius in ((leader, a), (follower, b)):
        if not radius > 0.0:
            raise SceneError(
                f"Joint '{wheel.joint.name}'",
                "nothing says how large its wheel is",
                "Give its radius, or connect a part of the kit with teeth.",
            )
    return float(a), float(b)


def _teeth(part: bpy.types.Object | None, place: Vector) -> float:
    """Radius at which teeth or belts run around the socket of a part that is nearest to a joint [Blender units]."""
    if part is None:
        return 0.0
    around = [
        ((part.matrix_world @ Vector(socket.place) - place).length, socket.radius)
        for socket in part.redmax.sockets
    ]
    if not around:
        return 0.0
    scale = float(np.cbrt(abs(part.matrix_world.to_3x3().determinant())))
    distance, radius = min(around)
    return float(radius * scale) if distance * 2.0 < max(radius * scale, 1e-9) else 0.0
