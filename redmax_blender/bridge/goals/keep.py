"""What a search has found, put where the next simulation reads it: keys before the first frame, and settings."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector
from numpy.typing import NDArray

from ..motion.sample_motion import first_frame
from ..rig.rig import metres_per_unit
from .read_goals import Change, Goals

Floats = NDArray[np.float64]


def keep(context: bpy.types.Context, goals: Goals, values: Sequence[float]) -> list[str]:
    """Key and set what was found; returns the names of the objects that have changed."""
    launched: dict[str, dict[str, Floats]] = {}
    changed: list[str] = []
    for change in goals.changes:
        numbers = np.array(values[change.first : change.first + change.count])
        obj = bpy.data.objects[change.object]
        changed.append(obj.name)
        if change.kind == "FRICTION":
            obj.redmax.surface.friction = float(numbers[0])
        else:
            launched.setdefault(obj.name, {})[change.kind] = change.axes @ numbers
    for name, found in launched.items():
        velocity, spin = _start(goals, name)
        _key_arrival(
            context, goals, bpy.data.objects[name], found.get("VELOCITY", velocity), found.get("SPIN", spin)
        )
    return changed


def _start(goals: Goals, name: str) -> tuple[Floats, Floats]:
    """What the scene has of velocity [m/s] and spin [rad/s], along the world's axes."""
    body = next(body for body in goals.scene.bodies if body.name == name)
    qdot = np.zeros(6) if body.joint.qdot is None else np.broadcast_to(np.array(body.joint.qdot, float), (6,))
    axes = next(c.axes for c in goals.changes if c.object == name and c.kind != "FRICTION")
    return axes @ qdot[:3], axes @ qdot[3:]


def _key_arrival(
    context: bpy.types.Context, goals: Goals, obj: bpy.types.Object, velocity: Floats, spin: Floats
) -> None:
    """Key the object so that it arrives at the first frame with this velocity of its joint's origin and this spin."""
    scene = context.scene
    start = first_frame(scene)
    fps = goals.reading.fps
    read = next(each for each in goals.reading.objects if each.name == obj.name)
    world = Matrix(read.world.tolist())
    unit = metres_per_unit(scene)
    origin = _joint_origin(goals, obj.name)
    place = np.array(world.translation) * unit
    paths = ("location", _rotation_path(obj))
    before = None
    for frame in (-2, -1, 0):
        t = frame / fps
        turn = (
            Quaternion(Vector(spin).normalized(), float(np.linalg.norm(spin)) * t)
            if spin.any()
            else Quaternion()
        )
        R = turn.to_matrix()
        x = origin + velocity * t + np.array(R @ Vector(place - origin))
        matrix = R.to_4x4() @ world
        matrix.translation = Vector(x / unit)
        obj.matrix_world = matrix
        if obj.rotation_mode not in ("QUATERNION", "AXIS_ANGLE"):
            if before is not None:
                obj.rotation_euler.make_compatible(before)
            before = obj.rotation_euler.copy()
        for path in paths:
            obj.keyframe_insert(path, frame=start + frame)


def _joint_origin(goals: Goals, name: str) -> Floats:
    """Origin of a free body's joint frame at the start [m]."""
    body = next(body for body in goals.scene.bodies if body.name == name)
    q = np.zeros(6) if body.joint.q is None else np.broadcast_to(np.array(body.joint.q, float), (6,))
    axes = next(c.axes for c in goals.changes if c.object == name and c.kind != "FRICTION")
    return np.array(body.joint.frame.position) + axes @ q[:3]


def _rotation_path(obj: bpy.types.Object) -> str:
    return {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(
        obj.rotation_mode, "rotation_euler"
    )


__all__ = ["Change", "keep"]
