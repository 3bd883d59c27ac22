"""The ghost: where the bones that show a simulation would be without it, whatever animates them."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from ..bridge.bake.actions import animated_paths
from ..bridge.recording import cache

Floats = NDArray[np.float64]


def ghost_lines(obj: bpy.types.Object, scene: bpy.types.Scene) -> Floats:
    """A line a simulated bone, from head to tail in the animated pose, in the world, shape (nb, 2, 3).

    The poses are those that the depsgraph gave when the simulation read them: action, NLA strips, drivers and
    constraints. Nothing where nothing animates the bones.
    """
    found = cache.track_of(obj, scene)
    if found is None:
        return np.zeros((0, 2, 3))
    recording, track = found
    if len(track.animated) < 2 and not any(animated_paths(obj)):
        return np.zeros((0, 2, 3))
    ends = bone_ends(
        obj, track.bones, pose_at(track.animated, scene.frame_current_final - recording.frame_start)
    )
    world = np.array(obj.matrix_world)
    return ends @ world[:3, :3].T + world[:3, 3]


def pose_at(poses: Floats, position: float) -> Floats:
    """Poses at a position in frames since the first, which may lie between two; held beyond the ends."""
    position = min(max(position, 0.0), len(poses) - 1.0)
    before = int(position)
    after = min(before + 1, len(poses) - 1)
    return poses[before] + (position - before) * (poses[after] - poses[before])


def bone_ends(obj: bpy.types.Object, names: tuple[str, ...], poses: Floats) -> Floats:
    """Head and tail of bones in the armature's space, of those that are still there."""
    there = [(pose, obj.data.bones[name]) for name, pose in zip(names, poses) if name in obj.data.bones]
    return np.array(
        [[pose[:, 3], pose[:, 3] + bone.length * pose[:, 1]] for pose, bone in there], dtype=float
    ).reshape(-1, 2, 3)
