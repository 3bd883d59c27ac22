"""The ghost: where the keyframes alone would put the bones that show a simulation."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Euler, Matrix, Quaternion, Vector
from numpy.typing import NDArray

from ..bridge.actions import curves_of
from ..bridge.parts import rotation_channel
from ..bridge.rig import parents_first

Floats = NDArray[np.float64]


def keyframed_channels(obj: bpy.types.Object, frame: float) -> dict[str, float]:
    """Values of the object's F-curves at a frame, by data path and index as in `path[index]`."""
    return {f"{curve.data_path}[{curve.array_index}]": curve.evaluate(frame) for curve in curves_of(obj)}


def keyframed_basis(bone: bpy.types.PoseBone, values: dict[str, float]) -> Matrix:
    """The bone's own transform, from its keys; channels without keys are at rest."""
    path = f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"]'

    def channel(name: str, default: list[float]) -> list[float]:
        return [values.get(f"{path}.{name}[{k}]", rest) for k, rest in enumerate(default)]

    rotation = rotation_channel(bone)
    if rotation == "rotation_quaternion":
        turn = Quaternion(channel(rotation, [1.0, 0.0, 0.0, 0.0])).normalized()
    elif rotation == "rotation_axis_angle":
        angle, *axis = channel(rotation, [0.0, 0.0, 1.0, 0.0])
        turn = Quaternion(axis, angle)
    else:
        turn = Euler(channel(rotation, [0.0] * 3), bone.rotation_mode).to_quaternion()
    return Matrix.LocRotScale(
        Vector(channel("location", [0.0] * 3)), turn, Vector(channel("scale", [1.0] * 3))
    )


def ghost_pose(obj: bpy.types.Object, frame: float) -> dict[str, Matrix]:
    """Matrix of every bone in the armature's space, as its keys and those of its parents give it.

    Constraints, drivers and NLA strips are not seen here.
    """
    values = keyframed_channels(obj, frame)
    poses: dict[str, Matrix] = {}
    for bone in parents_first(obj):
        basis, rest = keyframed_basis(bone, values), bone.bone
        if bone.parent is None:
            poses[bone.name] = rest.convert_local_to_pose(basis, rest.matrix_local)
        else:
            poses[bone.name] = rest.convert_local_to_pose(
                basis,
                rest.matrix_local,
                parent_matrix=poses[bone.parent.name],
                parent_matrix_local=bone.parent.bone.matrix_local,
            )
    return poses


def ghost_lines(obj: bpy.types.Object, frame: float) -> Floats:
    """A line a physical bone, from head to tail in the keyframed pose, in the world; nothing without keys."""
    if not curves_of(obj):
        return np.zeros((0, 2, 3))
    poses = ghost_pose(obj, frame)
    segments = [
        [obj.matrix_world @ poses[b.name] @ Vector((0.0, along, 0.0)) for along in (0.0, b.bone.length)]
        for b in obj.pose.bones
        if b.redmax.physical
    ]
    return np.array([[tuple(end) for end in segment] for segment in segments], dtype=float).reshape(-1, 2, 3)
