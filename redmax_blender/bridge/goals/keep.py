"""What a search has found, put where the next simulation reads it: keys before the first frame, and settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector
from numpy.typing import NDArray

from ..bake.actions import bone_path, curves_of
from ..bake.keys import Keys
from ..motion.sample_motion import first_frame
from ..read.applied import PUSH, TORQUE
from ..rig.rig import metres_per_unit
from .read_goals import Change, Goals

Floats = NDArray[np.float64]

LAUNCHES = ("VELOCITY", "SPIN", "PLACE")
"""Changes of how a free object starts."""


def keep(context: bpy.types.Context, goals: Goals, values: Sequence[float]) -> list[str]:
    """Key and set what was found; returns the names of the objects that have changed."""
    launched: dict[str, dict[str, Floats]] = {}
    found: Floats = np.array(values)
    for change in goals.changes:
        numbers, obj = change.of(found), bpy.data.objects[change.object]
        match change.kind:
            case "FRICTION":
                obj.redmax.surface.friction = float(numbers[0])
            case "TORQUE":
                _key_torques(obj, change, numbers)
            case "SPEEDS":
                _set_speeds(obj.pose.bones[change.bones[0]], numbers)
            case "PUSH":
                _key_push(obj, change, numbers, goals.reading.frame_start)
            case "EXCITATION":
                _key(obj, "redmax.muscle.excitation", 0, change.frames, numbers, obj.redmax.muscle)
            case "STIFFNESS" | "DAMPING" | "MASS":
                _scale(obj, change, float(numbers[0]))
            case _:
                launched.setdefault(obj.name, {})[change.kind] = change.axes @ numbers
    for name, own in launched.items():
        velocity, spin, origin = _start(goals, name)
        obj = bpy.data.objects[name]
        moved = np.zeros(3)
        if "PLACE" in own:
            moved = _frame_origin(goals, name) + own["PLACE"] - origin
        _key_arrival(context, goals, obj, own.get("VELOCITY", velocity), own.get("SPIN", spin), moved)
    return [change.object for change in goals.changes]


def _key_torques(obj: bpy.types.Object, change: Change, numbers: Floats) -> None:
    (bone,) = change.bones
    path = bone_path(bone, TORQUE)
    for k, row in enumerate(numbers.reshape(-1, len(change.frames))):
        _key(obj, path, k, change.frames, row, obj.pose.bones[bone])


def _key_push(obj: bpy.types.Object, change: Change, numbers: Floats, start: int) -> None:
    """Nothing, then the push for its frames, then nothing; other pushes that were keyed stay."""
    owner, path = obj, PUSH
    if change.bones:
        owner, path = obj.pose.bones[change.bones[0]], bone_path(change.bones[0], PUSH)
    first, last = change.frames
    frames = range(min(start, first) - 1, last + 1)
    old = {c.array_index: c for c in curves_of(obj) if c.data_path == path}
    for k in range(3):
        had = [0.0 if k not in old else float(old[k].evaluate(frame)) for frame in frames]
        row = np.where([first <= frame < last for frame in frames], numbers[k], had)
        _key(obj, path, k, tuple(frames), row, owner)


def _key(
    obj: bpy.types.Object, path: str, index: int, frames: Sequence[int], values: Floats, owner: Any
) -> None:
    """Keys with straight lines between them, in place of those between the first and the last of them."""
    name = path.rsplit(".", 1)[-1]
    group = owner.name if isinstance(owner, bpy.types.PoseBone) else ""
    curve = _curve_of(obj, path, index)
    if curve is None:  # this also makes an action where there is none
        at = index if owner.bl_rna.properties[name].is_array else -1
        owner.keyframe_insert(name, index=at, frame=frames[0], group=group)
        curve = _curve_of(obj, path, index)
    assert curve is not None
    kept = Keys.read(curve)
    before, after = kept[kept.frames < frames[0]], kept[kept.frames > frames[-1]]
    for point in reversed(list(curve.keyframe_points)):
        curve.keyframe_points.remove(point, fast=True)
    (before + Keys.linear(np.array(frames), values) + after).write(curve)


def _curve_of(obj: bpy.types.Object, path: str, index: int) -> bpy.types.FCurve | None:
    return next((c for c in curves_of(obj) if c.data_path == path and c.array_index == index), None)


def _set_speeds(bone: bpy.types.PoseBone, numbers: Floats) -> None:
    control = bone.redmax.control
    control.use_start_speeds = True
    for k, speed in enumerate(numbers):
        control.start_speeds[k] = speed


def _scale(obj: bpy.types.Object, change: Change, factor: float) -> None:
    """Multiply a setting of bones, or the mass of an object."""
    for settings in [obj.pose.bones[bone].redmax for bone in change.bones] or [obj.redmax.body]:
        name = change.kind.lower()
        if name == "mass" and settings.mass_from == "DENSITY":
            name = "density"
        setattr(settings, name, getattr(settings, name) * factor)


def _start(goals: Goals, name: str) -> tuple[Floats, Floats, Floats]:
    """What the scene has of velocity [m/s] and spin [rad/s], along the world's axes, and the joint's origin [m]."""
    joint = next(body for body in goals.scene.bodies if body.name == name).joint
    axes = _axes(goals, name)
    qdot = np.zeros(6) if joint.qdot is None else np.broadcast_to(np.array(joint.qdot, float), (6,))
    return axes @ qdot[:3], axes @ qdot[3:], _joint_origin(goals, name)


def _axes(goals: Goals, name: str) -> Floats:
    return next(c.axes for c in goals.changes if c.object == name and c.kind in LAUNCHES)


def _key_arrival(
    context: bpy.types.Context,
    goals: Goals,
    obj: bpy.types.Object,
    velocity: Floats,
    spin: Floats,
    moved: Floats,
) -> None:
    """Key the object so that it arrives at the first frame with this velocity of its joint's origin and this spin,
    moved from where it starts now [m]."""
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
        x = origin + moved + velocity * t + np.array(R @ Vector(place - origin))
        matrix = R.to_4x4() @ world
        matrix.translation = Vector(x / unit)
        obj.matrix_world = matrix
        if obj.rotation_mode not in ("QUATERNION", "AXIS_ANGLE"):
            if before is not None:
                obj.rotation_euler.make_compatible(before)
            before = obj.rotation_euler.copy()
        for path in paths:
            obj.keyframe_insert(path, frame=start + frame)


def _frame_origin(goals: Goals, name: str) -> Floats:
    """Origin of the frame in which a free body's coordinates are [m]."""
    body = next(body for body in goals.scene.bodies if body.name == name)
    return np.array(body.joint.frame.position, float)


def _joint_origin(goals: Goals, name: str) -> Floats:
    """Origin of a free body's joint frame at the start [m]."""
    body = next(body for body in goals.scene.bodies if body.name == name)
    q = np.zeros(6) if body.joint.q is None else np.broadcast_to(np.array(body.joint.q, float), (6,))
    return np.asarray(_frame_origin(goals, name) + _axes(goals, name) @ q[:3])


def _rotation_path(obj: bpy.types.Object) -> str:
    return {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(
        obj.rotation_mode, "rotation_euler"
    )


__all__ = ["Change", "keep"]
