"""Show a recording: write the pose of its frame into the bones, keyframes untouched.

Blender evaluates animation first and calls us after it; when we change a pose then, it evaluates once more without
calling us again, in the viewport as in renders. So what is written here wins over keyed channels, until the next
frame. Outside the recorded range, bones with keys of their own show their keys; the others hold the nearest pose.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import floor

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from . import cache
from .actions import animated_bones
from .cache import Recording, Track
from .channels import write_channels

TOUCHED = 1e-4
"""A bone whose transform differs by more than this, relatively, from what is shown was posed by the user."""

_paused = 0


@contextmanager
def paused() -> Iterator[None]:
    """Frames change without recordings being shown: to read what the scene itself says."""
    global _paused
    _paused += 1
    try:
        yield
    finally:
        _paused -= 1


def show_frame(scene: bpy.types.Scene) -> None:
    """Write the poses of the scene's current frame into all armatures that show a recording."""
    if _paused:
        return
    for obj in scene.objects:
        if obj.type != "ARMATURE" or not obj.redmax.result or obj.redmax.is_baked:
            continue
        found = cache.track_of(obj, scene)
        if found is not None:
            for bone, matrix in shown_poses(obj, *found, scene.frame_current_final):
                bone.matrix_basis = matrix


def shown_poses(
    obj: bpy.types.Object, recording: Recording, track: Track, frame: float
) -> Iterator[tuple[bpy.types.PoseBone, Matrix]]:
    """Bones and the transforms that a recording gives them at a frame, which may lie between two whole ones."""
    position = frame - recording.frame_start
    inside = 0.0 <= position <= recording.frame_count - 1
    keyed = set() if inside else animated_bones(obj)
    for i, name in enumerate(track.bones):
        bone = obj.pose.bones.get(name)  # it may have been renamed or deleted since
        if bone is not None and name not in keyed:
            yield bone, basis_at(track, i, position)


def basis_at(track: Track, bone: int, position: float) -> Matrix:
    """The bone's own transform at a position in frames since the start, held beyond the ends."""
    last = len(track.location) - 1
    position = min(max(position, 0.0), float(last))
    f = floor(position)
    part = position - f
    location, quaternion, scale = track.location[f, bone], track.quaternion[f, bone], track.scale[f, bone]
    if part > 0.0:  # straight lines, like the keys of a bake
        location = location + part * (track.location[f + 1, bone] - location)
        quaternion = quaternion + part * (track.quaternion[f + 1, bone] - quaternion)
        scale = scale + part * (track.scale[f + 1, bone] - scale)
    return Matrix.LocRotScale(
        Vector(location.tolist()), Quaternion(quaternion.tolist()).normalized(), Vector(scale.tolist())
    )


def posed_by_user(obj: bpy.types.Object, scene: bpy.types.Scene) -> set[str]:
    """Simulated bones that are not as the recording shows them now: the user has posed them."""
    found = cache.track_of(obj, scene)
    if found is None:
        return set()
    return {
        bone.name
        for bone, matrix in shown_poses(obj, *found, scene.frame_current_final)
        if not np.allclose(np.array(bone.matrix_basis), np.array(matrix), rtol=TOUCHED, atol=TOUCHED)
    }


def show_start(obj: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Give bones back the channels they had when the simulation started, but not those the user has posed since."""
    found = cache.track_of(obj, scene)
    if found is None:
        return
    _, track = found
    touched = posed_by_user(obj, scene)
    for name, row in zip(track.bones, track.start):
        bone = obj.pose.bones.get(name)
        if bone is not None and name not in touched:
            write_channels(bone, row)
