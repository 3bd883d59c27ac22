"""Animated rigs: whatever can drive a bone, and who controls it over time."""

from collections.abc import Iterable

import bpy
import numpy as np
from blender_fixtures import evaluated_poses, make_armature
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MODES = ("FREE", "GUIDED", "KEYFRAMED")


def arm() -> bpy.types.Object:
    """An arm of three bones that hangs on a chest."""
    return make_armature(
        [
            ("chest", None, (0, 0, 1.0), (0, 0, 1.4)),
            ("upper", "chest", (0.1, 0, 1.3), (0.4, 0, 1.3)),
            ("lower", "upper", (0.4, 0, 1.3), (0.7, -0.05, 1.3)),
            ("hand", "lower", (0.7, -0.05, 1.3), (0.85, -0.05, 1.3)),
        ]
    )


def key_rotation(bone: bpy.types.PoseBone, keys: dict[int, tuple[float, float, float]]) -> None:
    bone.rotation_mode = "XYZ"
    for frame, angles in keys.items():
        bone.rotation_euler = angles
        bone.keyframe_insert("rotation_euler", frame=frame)


def control(obj: bpy.types.Object, bones: Iterable[str], keys: dict[int, str] | str) -> None:
    """Set who controls bones, or key it."""
    for name in bones:
        bone = obj.pose.bones[name]
        if isinstance(keys, str):
            bone.redmax_control = keys
            continue
        for frame, mode in keys.items():
            bone.redmax_control = mode
            bone.keyframe_insert("redmax_control", frame=frame)


def poses_over(obj: bpy.types.Object, frames: Iterable[int]) -> dict[int, dict[str, Floats]]:
    """What the depsgraph shows at each frame."""
    found = {}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found[frame] = evaluated_poses(obj)
    return found


def apart(a: dict[int, dict[str, Floats]], b: dict[int, dict[str, Floats]], bones: Iterable[str]) -> float:
    """Largest difference of the bones' matrices over all frames of `a`."""
    return max(float(np.abs(a[f][name] - b[f][name]).max()) for f in a for name in bones)
