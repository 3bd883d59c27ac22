"""Who controls many bones at once, keyed or not."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ..bake.actions import bone_path, curves_of
from .make_physical import is_selected

MODE_LABELS = {"FREE": "Free", "GUIDED": "Guided", "KEYFRAMED": "Keyframed"}


def bones_in_scope(obj: bpy.types.Object, scope: str, collection: str = "") -> list[bpy.types.PoseBone]:
    """The physical bones of an armature that are meant: ALL, SELECTED, or those of a bone COLLECTION."""
    physical = [bone for bone in obj.pose.bones if bone.redmax.physical]
    if scope == "SELECTED":
        return [bone for bone in physical if is_selected(bone)]
    if scope == "COLLECTION":
        return [bone for bone in physical if any(c.name == collection for c in collections_of(bone))]
    return physical


def collections_of(bone: bpy.types.PoseBone) -> Iterable[bpy.types.BoneCollection]:
    """The bone collections that a bone is in, and those above them."""
    for found in bone.bone.collections:
        above = found
        while above is not None:
            yield above
            above = above.parent


def set_control(
    bones: Iterable[bpy.types.PoseBone], mode: str, frame: float | None = None, start: float | None = None
) -> int:
    """Let bones be controlled by `mode`, from a frame on where one is given: then it is keyed. Returns how many.

    A first key would hold before its frame as well: the mode from before is keyed at the frame `start`, or one frame
    earlier.
    """
    count = 0
    for bone in bones:
        before = bone.redmax_control
        if frame is not None and before != mode and not is_keyed(bone):
            first = frame - 1 if start is None or start >= frame else start
            bone.keyframe_insert("redmax_control", frame=first, group=bone.name)
        bone.redmax_control = mode
        if frame is not None:
            bone.keyframe_insert("redmax_control", frame=frame, group=bone.name)
        count += 1
    return count


def set_influence(bone: bpy.types.PoseBone, influence: float, frame: float) -> None:
    """Key how much a point of a bone follows its target; it stays so until the next key."""
    bone.redmax_influence = influence
    bone.keyframe_insert("redmax_influence", frame=frame, group=bone.name)
    path = bone_path(bone.name, "redmax_influence")
    for curve in curves_of(bone.id_data):
        if curve.data_path == path:
            for point in curve.keyframe_points:
                if point.co.x == frame:
                    point.interpolation = "CONSTANT"


def is_keyed(bone: bpy.types.PoseBone) -> bool:
    """Whether the control of a bone has keys: without another one, a change is lost at the next frame."""
    path = bone_path(bone.name, "redmax_control")
    return any(curve.data_path == path for curve in curves_of(bone.id_data))


def has_keyed_control(obj: bpy.types.Object) -> bool:
    """Whether keys say who controls a bone of an armature."""
    return any(curve.data_path.endswith(".redmax_control") for curve in curves_of(obj))
