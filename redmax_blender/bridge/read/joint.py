"""Empties -> connections of a mechanism: our own joints, and Blender's rigid body constraints.

Coordinates are those of the second object against the first along the empty's axes, zero where they start.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SceneError
from ...engine.mechanisms.parts import Axis, Connection, Kind
from ..motion.joint_ways import ANGLES, FREE, KINDS, LENGTHS
from .joint_ends import add_ends, pose_of

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Motor:
    """Drives the connection between two bodies: force = stall · (1 - speed / free speed)."""

    name: str
    a: str | None
    b: str | None
    direction: Floats
    """In the world, about or along which `b` is driven against `a`, shape (3,)."""
    turns: bool
    speed: float
    """Of the motor without load [rad/s, m/s]."""
    stall: float
    """Force of the motor at standstill [N·m, N]."""

    @property
    def damping(self) -> float:
        """Slope of the force over the speed [N·m·s/rad, N·s/m]; a motor of no speed is a brake."""
        return self.stall / (abs(self.speed) or 1.0)

    @property
    def force(self) -> float:
        """Constant part of the force [N·m, N]."""
        return self.damping * self.speed


@dataclass(frozen=True)
class Joints:
    connections: list[Connection]
    motors: list[Motor]


def read_joints(
    empties: Collection[bpy.types.Object],
    bodies: Collection[str],
    depsgraph: bpy.types.Depsgraph,
    unit: float,
    warnings: list[str],
) -> Joints:
    """All joints and motors, their ends checked."""
    found = Joints([], [])
    for obj in empties:
        own = obj.redmax.joint
        settings = own if own.kind != "NONE" else obj.rigid_body_constraint
        kind = own.kind if own.kind != "NONE" else settings.type
        if own.kind == "NONE" and not settings.enabled:
            continue
        a, b = _ends(obj, settings, bodies, warnings)
        pose = pose_of(obj, depsgraph, unit)
        if kind == "MOTOR":
            found.motors.extend(_blenders_motors(obj.name, settings, a, b, pose, unit))
            continue
        connection = Connection(
            name=obj.name,
            kind=KINDS[kind],
            a=a,
            b=b,
            pose=pose,
            axes=_own_axes(own, unit) if settings == own else _blenders_axes(settings, kind, unit),
            cut=own.cut.lower(),
        )
        if settings == own:
            add_ends(connection, own, depsgraph, unit)
        found.connections.append(connection)
        if settings == own and own.use_motor and own.motor_kind == "FALLING":
            found.motors.append(_own_motor(connection, own, a, b, pose))
    return found


def _ends(
    obj: bpy.types.Object, settings: Any, bodies: Collection[str], warnings: list[str]
) -> tuple[str | None, str | None]:
    place = f"Joint '{obj.name}'"
    ends = [settings.object1, settings.object2]
    if ends == [None, None]:
        raise SceneError(place, "it connects no objects", "Choose its first and its second object.")
    if ends[0] == ends[1]:
        raise SceneError(
            place, f"both its ends are '{ends[0].name}'", "Choose two different objects, or one and none."
        )
    for end in ends:
        if end is not None and end.name not in bodies:
            raise SceneError(
                place,
                f"'{end.name}' is not a body of this scene",
                "Make it one (RedMax tab, Body), or choose another object.",
            )
    if None in ends and settings == obj.rigid_body_constraint:
        one = next(end.name for end in ends if end is not None)
        warnings.append(f"{place}: it has one object only, so '{one}' is held on the world")
    a, b = (None if end is None else end.name for end in ends)
    return a, b


def _own_axes(own: Any, unit: float) -> dict[str, Axis]:
    axes = {}
    for directions, what, length in ((LENGTHS, "location", unit), (ANGLES, "rotation", 1.0)):
        limited = getattr(own, f"limit_{what}")
        for i, name in enumerate(directions):
            if own.kind == "GENERIC" and not getattr(own, f"free_{what}")[i]:
                axes[name] = Axis()
                continue
            axes[name] = Axis(
                free=True,
                lower=getattr(own, f"{what}_min")[i] * length if limited[i] else None,
                upper=getattr(own, f"{what}_max")[i] * length if limited[i] else None,
                stiffness=getattr(own, f"{what}_stiffness")[i],
                damping=getattr(own, f"{what}_damping")[i],
            )
    return _of_kind(axes, KINDS[own.kind])


def _blenders_axes(settings: Any, kind: str, unit: float) -> dict[str, Axis]:
    """Limits and springs of a rigid body constraint. As in Bullet, equal limits lock and crossed ones free."""
    axes = {}
    for directions, what, length in ((LENGTHS, "lin", unit), (ANGLES, "ang", 1.0)):
        for name in directions:
            letter = name[-1]
            lower = getattr(settings, f"limit_{what}_{letter}_lower") * length
            upper = getattr(settings, f"limit_{what}_{letter}_upper") * length
            limited = getattr(settings, f"use_limit_{what}_{letter}") and lower <= upper
            spring = letter if what == "lin" else f"ang_{letter}"
            sprung = kind == "GENERIC_SPRING" and getattr(settings, f"use_spring_{spring}")
            axes[name] = Axis(
                free=not (limited and kind.startswith("GENERIC") and upper - lower < 1e-9),
                lower=lower if limited else None,
                upper=upper if limited else None,
                stiffness=getattr(settings, f"spring_stiffness_{spring}") if sprung else 0.0,
                damping=getattr(settings, f"spring_damping_{spring}") if sprung else 0.0,
            )
    return _of_kind(axes, KINDS[kind])


def _of_kind(axes: dict[str, Axis], kind: Kind) -> dict[str, Axis]:
    """Only what the kind has: Blender keeps limits of other kinds, and so do we. A point has no limits."""
    chosen = {name: axis for name, axis in axes.items() if name in FREE[kind]}
    if kind == "point":
        return {name: replace(axis, lower=None, upper=None) for name, axis in chosen.items()}
    return chosen


def _blenders_motors(
    name: str, settings: Any, a: str | None, b: str | None, pose: Floats, unit: float
) -> list[Motor]:
    """Along and about the x axis. Blender's Max Impulse is a force or torque: Bullet limits the motor by it."""
    motors = []
    for what, turns, length in (("lin", False, unit), ("ang", True, 1.0)):
        if getattr(settings, f"use_motor_{what}"):
            speed = getattr(settings, f"motor_{what}_target_velocity") * length
            stall = getattr(settings, f"motor_{what}_max_impulse")
            motors.append(Motor(name, a, b, pose[:3, 0], turns, float(speed), float(stall)))
    return motors


def _own_motor(connection: Connection, own: Any, a: str | None, b: str | None, pose: Floats) -> Motor:
    if connection.kind not in ("hinge", "slider", "piston"):
        raise SceneError(
            f"Joint '{connection.name}'",
            f"a {connection.kind} joint has no axis to drive",
            "Turn off its motor.",
        )
    turns = connection.kind == "hinge"
    direction = pose[:3, 2] if turns else pose[:3, 0]
    return Motor(connection.name, a, b, direction, turns, float(own.motor_speed), float(own.motor_force))
