"""Rigs to test on, and ways to compare what a file holds."""

from collections.abc import Sequence

import bpy
import numpy as np
import pytest
from mathutils import Matrix
from numpy.typing import NDArray

from redmax_blender.bridge.recording import cache

once = pytest.mark.skipif(
    bpy.app.version[:2] != (4, 5),
    reason="what it shows is the engine's: other tests beside it touch the same of Blender",
)
"""For a long test that need not be run under every Blender."""

MODES = ("QUATERNION", "XYZ", "AXIS_ANGLE", "ZYX", "YXZ", "QUATERNION")

Point = tuple[float, float, float]
Bone = tuple[str, str | None, Point, Point]
"""Name, parent, head, tail."""


def make_armature(bones: Sequence[Bone], name: str = "Rig", connect: bool = True) -> bpy.types.Object:
    """An armature object in pose mode, active; bones that begin where their parent ends are connected to it."""
    data = bpy.data.armatures.new(name)
    obj = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    for bone_name, parent, head, tail in bones:
        bone = data.edit_bones.new(bone_name)
        bone.head, bone.tail = head, tail
        if parent is not None:
            bone.parent = data.edit_bones[parent]
            bone.use_connect = connect and bone.parent.tail == bone.head
    bpy.ops.object.mode_set(mode="POSE")
    return obj


def make_chain(count: int = 4, length: float = 0.5, name: str = "Rig") -> bpy.types.Object:
    """A chain of connected bones along x, named bone0 … ; each in another rotation mode."""
    bones: list[Bone] = [
        (f"bone{i}", f"bone{i - 1}" if i else None, (length * i, 0.0, 0.0), (length * (i + 1), 0.0, 0.0))
        for i in range(count)
    ]
    obj = make_armature(bones, name)
    for bone, mode in zip(obj.pose.bones, MODES):
        bone.rotation_mode = mode
    return obj


def place(obj: bpy.types.Object, unit_scale: float = 1.0) -> None:
    """Moved, rotated and uniformly scaled, in a scene with another unit scale."""
    obj.location = (1.5, -2.0, 0.7)
    obj.rotation_euler = (0.4, -0.7, 1.1)
    obj.scale = (1.7, 1.7, 1.7)
    bpy.context.scene.unit_settings.scale_length = unit_scale
    bpy.context.view_layer.update()


def turn_bones(obj: bpy.types.Object, seed: int = 0, amount: float = 0.6) -> None:
    """A random pose."""
    random = np.random.default_rng(seed)
    for bone in obj.pose.bones:
        vector = random.normal(size=3) * amount
        angle = float(np.linalg.norm(vector))
        rotation = Matrix.Rotation(angle, 4, vector / angle)
        bone.matrix_basis = Matrix.Translation(bone.location) @ rotation
    bpy.context.view_layer.update()


def set_range(start: int, end: int, substeps: int = 4) -> None:
    settings = bpy.context.scene.redmax
    settings.frame_start, settings.frame_end, settings.substeps = start, end, substeps


def evaluated_poses(obj: bpy.types.Object) -> dict[str, NDArray[np.float64]]:
    """What the depsgraph shows: armature-space matrix of each bone, shape (4, 4)."""
    shown = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return {bone.name: np.array(bone.matrix) for bone in shown.pose.bones}


def distance_from_cache(obj: bpy.types.Object, frame: int) -> float:
    """Largest difference between the pose shown at a frame and the cached one."""
    scene = bpy.context.scene
    recording, track = cache.track_of(obj, scene)
    scene.frame_set(frame)
    poses = evaluated_poses(obj)
    cached = track.pose[frame - recording.frame_start]
    return max(float(np.max(np.abs(poses[name] - cached[i]))) for i, name in enumerate(track.bones))


def key_bone(obj: bpy.types.Object, bone: str, frames: Sequence[int], seed: int = 1) -> None:
    """Keys on location, the bone's rotation and scale, with random values."""
    random = np.random.default_rng(seed)
    pose_bone = obj.pose.bones[bone]
    channel = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
    rotation = channel.get(pose_bone.rotation_mode, "rotation_euler")
    for frame in frames:
        values = random.normal(size=len(getattr(pose_bone, rotation)))
        if rotation == "rotation_quaternion":
            values = np.array([1.0, *0.5 * values[1:]]) / np.linalg.norm([1.0, *0.5 * values[1:]])
        if rotation == "rotation_axis_angle":
            values = np.array([0.5 * values[0], 0.0, 1.0, 0.0])
        setattr(pose_bone, rotation, values.tolist())
        for path in ("location", rotation, "scale"):
            pose_bone.keyframe_insert(path, frame=frame)


def curve_table(action: bpy.types.Action) -> dict[tuple, list[tuple]]:
    """Everything in an action's curves: (slot, path, index) -> keys with handles and interpolation, modifiers."""
    return {
        (slot, curve.data_path, curve.array_index): [
            *(
                (*p.co, *p.handle_left, *p.handle_right, p.interpolation, p.handle_left_type, p.easing)
                for p in curve.keyframe_points
            ),
            (curve.extrapolation, curve.mute, curve.group.name if curve.group else None),
            *((m.type,) for m in curve.modifiers),
        ]
        for slot, curve in all_curves(action)
    }


def all_curves(action: bpy.types.Action) -> list[tuple[str, bpy.types.FCurve]]:
    if bpy.app.version < (4, 4, 0):
        return [("", curve) for curve in action.fcurves]
    return [
        (bag.slot.identifier, curve)
        for layer in action.layers
        for strip in layer.strips
        for bag in strip.channelbags
        for curve in bag.fcurves
    ]


def snapshot() -> dict[str, object]:
    """What a user would see changed: poses, settings, actions, texts, frame, constraints."""
    scene = bpy.context.scene
    found: dict[str, object] = {
        "frame": (scene.frame_current, scene.frame_subframe),
        "texts": {text.name: text.as_string() for text in bpy.data.texts},
        "actions": {action.name: curve_table(action) for action in bpy.data.actions},
        "objects": sorted(obj.name for obj in bpy.data.objects),
    }
    for obj in bpy.data.objects:
        action = obj.animation_data and obj.animation_data.action
        found[obj.name] = (_values(obj.redmax), action and action.name)
        for bone in obj.pose.bones if obj.pose else ():
            channels = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")
            found[f"{obj.name}/{bone.name}"] = (
                repr([tuple(getattr(bone, channel)) for channel in channels]),
                _values(bone.redmax),
                [(constraint.name, constraint.mute) for constraint in bone.constraints],
            )
    return found


def _values(group: bpy.types.PropertyGroup) -> dict[str, str]:
    # as text: NaN is not equal to itself
    names = [p.identifier for p in group.bl_rna.properties if p.identifier != "rna_type"]
    return {name: repr(_plain(getattr(group, name))) for name in names}


def _plain(value: object) -> object:
    return tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value
