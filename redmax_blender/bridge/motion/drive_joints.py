"""Motors: a constant force and a damper in the coordinate of the joint that they drive."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...engine.errors import SceneError
from ...engine.mechanisms.mechanism import Assembly
from ...engine.mechanisms.parts import Connection, names_in_order
from ...engine.scene import spec
from ..read.joint import Motor
from .joint_ways import ANGLES, FREE, LENGTHS

ALIGNED = 0.999
"""Cosine of the angle between the axes of a motor and its joint from which they count as one."""


def keep_in_tree(motors: Sequence[Motor], connections: Sequence[Connection]) -> None:
    """A driven joint needs coordinates: it may not be the one that closes a loop."""
    for motor in motors:
        connection, _ = _driven(motor, connections)
        if connection.cut == "always":
            raise SceneError(
                f"Motor '{motor.name}'",
                f"its joint '{connection.name}' is set to be cut always",
                "Let another joint of the loop be cut.",
            )
        connection.cut = "never"


def drive(motors: Sequence[Motor], connections: Sequence[Connection], made: Assembly) -> None:
    """Add each motor's force and slope to its joint."""
    by_joint = {body.joint.name: body.joint for body in made.bodies if body.joint.name is not None}
    for motor in motors:
        connection, direction = _driven(motor, connections)
        joint = by_joint[connection.name]
        free = names_in_order(connection, connection.name in made.reversed_)
        at = free.index(direction)
        sign = _alignment(motor, connection, direction)
        if (motor.a, motor.b) != (connection.a, connection.b):
            sign = -sign
        if connection.name in made.reversed_:
            sign = -sign
        damping = _listed(joint.damping, len(free))
        damping[at] += motor.damping
        joint.damping = damping
        torque = list(joint.torque) or [None] * len(free)
        before = torque[at]
        force = motor.force * float(np.sign(sign))
        torque[at] = spec.Constant(force + (before.value if isinstance(before, spec.Constant) else 0.0))
        joint.torque = torque


def _driven(motor: Motor, connections: Sequence[Connection]) -> tuple[Connection, str]:
    """The connection of the same two bodies that moves along the motor's axis, and its direction."""
    for connection in connections:
        if {connection.a, connection.b} != {motor.a, motor.b}:
            continue
        if motor.turns and all(n in FREE[connection.kind] and _is_free(connection, n) for n in ANGLES):
            continue  # the coordinates of a ball are not angles about its axes
        for name in ANGLES if motor.turns else LENGTHS:
            if (
                name in FREE[connection.kind]
                and _is_free(connection, name)
                and abs(_alignment(motor, connection, name)) > ALIGNED
            ):
                return connection, name
    ends = " and ".join("the world" if end is None else f"'{end}'" for end in (motor.a, motor.b))
    raise SceneError(
        f"Motor '{motor.name}'",
        f"no joint between {ends} {'turns about' if motor.turns else 'slides along'} its X axis",
        "Add a hinge, slider or piston between the same objects, its axis along the motor's X.",
    )


def _is_free(connection: Connection, name: str) -> bool:
    return connection.kind != "generic" or connection.axes[name].free


def _alignment(motor: Motor, connection: Connection, name: str) -> float:
    axis = connection.pose[:3, "xyz".index(name[-1])]
    return float(axis @ motor.direction)


def _listed(value: list[float] | float, count: int) -> list[float]:
    return list(value) if isinstance(value, list) else [value] * count
