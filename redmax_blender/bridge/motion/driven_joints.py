"""Motors of our own that keep a speed, or follow keys: motors with a limit, and prescribed coordinates."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SceneError
from ...engine.mechanisms.mechanism import Assembly
from ...engine.mechanisms.parts import Connection
from ...engine.scene import spec
from ..rig.rig import metres_per_unit
from .sample_motion import curve, visit

Floats = NDArray[np.float64]

COORDINATES = {"HINGE": 1, "SLIDER": 1, "PISTON": 2, "SCREW": 2, "CURVE": 1}
"""How many coordinates the joints have that a motor can drive; it drives the first. Beads have three more."""


def driven(empties: Iterable[bpy.types.Object], connections: Sequence[Connection]) -> list[bpy.types.Object]:
    """Joints with such a motor. They need coordinates: none of them may be the one that closes a loop."""
    found = []
    for obj in empties:
        own = obj.redmax.joint
        if own.kind == "NONE" or not own.use_motor or own.motor_kind == "FALLING":
            continue
        place = f"Joint '{obj.name}'"
        if own.kind not in COORDINATES:
            raise SceneError(place, f"a {own.kind.lower()} joint has no axis to drive", "Turn off its motor.")
        if own.motor_kind == "LIMITED":
            for name, value in (("Speed", own.motor_speed), ("Force", own.motor_force)):
                if not np.isfinite(value):
                    raise SceneError(f"{place}, {name}", f"it is {value}", "Give a finite number.")
        connection = next(c for c in connections if c.name == obj.name)
        if connection.cut == "always":
            raise SceneError(
                place,
                "a motor drives it, and it is set to be cut always",
                "Let another joint of the loop be cut.",
            )
        connection.cut = "never"
        found.append(obj)
    return found


def drive_exactly(
    context: bpy.types.Context,
    joints: Collection[bpy.types.Object],
    connections: Sequence[Connection],
    made: Assembly,
    keep: Iterable[bpy.types.Object],
) -> None:
    """Give the joints their motors or motions; what the user set by hand on `keep` stays."""
    by_name = {body.joint.name: body.joint for body in made.bodies if body.joint.name is not None}
    units = {connection.name: connection.unit for connection in connections}
    paths = _paths(context, [obj for obj in joints if obj.redmax.joint.motor_kind == "KEYED"], keep)
    fps = context.scene.render.fps / context.scene.render.fps_base
    for obj in joints:
        own, joint = obj.redmax.joint, by_name[obj.name]
        sign = -1.0 if obj.name in made.reversed_ else 1.0
        loose = own.kind == "CURVE" and own.path_turn == "FREE"
        others = [None] * (COORDINATES[own.kind] - 1 + 3 * loose)
        length = units[obj.name]
        if obj.name in paths:
            start = joint.q[0] if isinstance(joint.q, list) else 0.0
            values = start + sign * (paths[obj.name] - paths[obj.name][0]) / length
            joint.motion = [curve(values, fps), *others]
        else:
            speed = spec.Constant(sign * float(own.motor_speed) / length)
            joint.motors = [spec.Motor(speed, float(own.motor_force) * length), *others]


def _paths(
    context: bpy.types.Context, keyed: Collection[bpy.types.Object], keep: Iterable[bpy.types.Object]
) -> dict[str, Floats]:
    """Angle [rad] or distance [m] of each keyed joint at the frames of a run, shape (nf,)."""
    if not keyed:
        return {}
    unit = metres_per_unit(context.scene)
    rows: dict[str, list[float]] = {obj.name: [] for obj in keyed}
    for _, depsgraph in visit(context, keep):
        for obj in keyed:
            own = obj.evaluated_get(depsgraph).redmax.joint
            value = own.motor_angle if own.kind == "HINGE" else own.motor_distance * unit
            if not np.isfinite(value):
                raise SceneError(f"Joint '{obj.name}', motor", f"its key is {value}", "Key a finite number.")
            rows[obj.name].append(float(value))
    return {name: np.array(values) for name, values in rows.items()}
