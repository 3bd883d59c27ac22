"""What a recording moves: pose bones of an armature, or an object as a whole. Both have the same channels.

In a track an object is a bone without a name.
"""

from __future__ import annotations

from typing import NamedTuple

import bpy
from mathutils import Matrix, Quaternion, Vector

from ..bake.actions import bone_path
from ..motion.rotations import rotation_near

Part = bpy.types.PoseBone | bpy.types.Object

WHOLE = ""
"""Name of an object as a whole, in a track."""


class Transform(NamedTuple):
    """Values of a part's channels, without the object's delta transforms."""

    location: Vector
    rotation: Quaternion
    scale: Vector

    @property
    def matrix(self) -> Matrix:
        return Matrix.LocRotScale(self.location, self.rotation, self.scale)


def part_of(obj: bpy.types.Object, name: str) -> Part | None:
    """The part of this name in a track; None when it was renamed or deleted since."""
    if name == WHOLE:
        return obj
    return obj.pose.bones.get(name) if obj.pose is not None else None


def parts_of(obj: bpy.types.Object) -> list[Part]:
    """Everything of an object that a recording may move."""
    return list(obj.pose.bones) if obj.type == "ARMATURE" else [obj]


def name_of(part: Part) -> str:
    """The part's name in a track."""
    return WHOLE if isinstance(part, bpy.types.Object) else part.name


def channels_of(part: Part) -> Transform:
    """What the part's channels say now."""
    return Transform(part.location.copy(), rotation_of(part), part.scale.copy())


def rotation_of(part: Part) -> Quaternion:
    """The rotation that the part's channels say now, in its rotation mode."""
    if part.rotation_mode == "QUATERNION":
        return part.rotation_quaternion.normalized()
    if part.rotation_mode == "AXIS_ANGLE":
        angle, *axis = part.rotation_axis_angle
        return Quaternion(axis, angle)
    return part.rotation_euler.to_quaternion()


def show(part: Part, transform: Transform) -> None:
    """Write a transform into the part's channels. An object keeps its scale, which may be a mirror."""
    part.location = transform.location
    channel = rotation_channel(part)
    near = list(getattr(part, channel))
    setattr(part, channel, rotation_near(part.rotation_mode, list(transform.rotation), near))
    if isinstance(part, bpy.types.PoseBone):
        part.scale = transform.scale


def rotation_channel(part: Part) -> str:
    """The channel that the part's rotation mode uses."""
    mode = part.rotation_mode
    return {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(
        mode, "rotation_euler"
    )


def channel_path(part: Part, channel: str) -> str:
    """Data path of a channel, from the object."""
    if isinstance(part, bpy.types.Object):
        return channel
    return bone_path(part.name, channel)


def channel_group(part: Part) -> str:
    """Name of the group that Blender keeps the part's curves in."""
    return "Object Transforms" if isinstance(part, bpy.types.Object) else part.name
