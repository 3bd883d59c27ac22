"""Show a recording: write the pose of its frame into bones and objects, keyframes untouched.

Blender evaluates animation first and calls us after it; when we change a pose then, it evaluates once more without
calling us again, in the viewport as in renders. So what is written here wins over keyed channels, until the next
frame. Outside the recorded range, bones with keys of their own show their keys; the others hold the nearest pose.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from math import floor

import bpy
import numpy as np
from mathutils import Quaternion, Vector

from . import cache, rigid_body_world
from .actions import animated_bones, animated_paths
from .cache import Recording, Track
from .channels import write_channels
from .parts import WHOLE, Part, Transform, channels_of, name_of, part_of, show

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


def show_frame(scene: bpy.types.Scene, only_keyed: bool = False) -> None:
    """Write the poses of the scene's current frame into all objects that show a recording.

    only_keyed: leave alone what has no keys, which may have been posed by hand since.
    """
    if _paused:
        return
    for obj in scene.objects:
        if not obj.redmax.result or obj.redmax.is_baked or rigid_body_world.moves(scene, obj):
            continue
        found = cache.track_of(obj, scene)
        if found is not None:
            keyed = keyed_parts(obj) if only_keyed else set()
            for part, transform in shown_poses(obj, *found, scene.frame_current_final):
                if not only_keyed or name_of(part) in keyed:
                    show(part, transform)


def shown_poses(
    obj: bpy.types.Object, recording: Recording, track: Track, frame: float
) -> Iterator[tuple[Part, Transform]]:
    """Parts and the transforms that a recording gives them at a frame, which may lie between two whole ones."""
    position = frame - recording.frame_start
    inside = 0.0 <= position <= recording.frame_count - 1
    keyed = set() if inside else keyed_parts(obj)
    for i, name in enumerate(track.bones):
        part = part_of(obj, name)
        if part is not None and name not in keyed:
            yield part, transform_at(track, i, position)


def keyed_parts(obj: bpy.types.Object) -> set[str]:
    """Names of the parts that have F-curves of their own."""
    if obj.type == "ARMATURE":
        return animated_bones(obj)
    return (
        {WHOLE} if any(path.startswith(("location", "rotation")) for path in animated_paths(obj)) else set()
    )


def transform_at(track: Track, bone: int, position: float) -> Transform:
    """The part's own transform at a position in frames since the start, held beyond the ends."""
    last = len(track.location) - 1
    position = min(max(position, 0.0), float(last))
    f = floor(position)
    part = position - f
    location, quaternion, scale = track.location[f, bone], track.quaternion[f, bone], track.scale[f, bone]
    if part > 0.0:  # straight lines, like the keys of a bake
        location = location + part * (track.location[f + 1, bone] - location)
        quaternion = quaternion + part * (track.quaternion[f + 1, bone] - quaternion)
        scale = scale + part * (track.scale[f + 1, bone] - scale)
    return Transform(
        Vector(location.tolist()), Quaternion(quaternion.tolist()).normalized(), Vector(scale.tolist())
    )


def posed_by_user(obj: bpy.types.Object, scene: bpy.types.Scene) -> set[str]:
    """Simulated parts that are not as the recording shows them now: the user has posed them."""
    found = cache.track_of(obj, scene)
    if found is None:
        return set()
    return {
        name_of(part)
        for part, transform in shown_poses(obj, *found, scene.frame_current_final)
        if not np.allclose(
            np.array(channels_of(part).matrix), np.array(transform.matrix), rtol=TOUCHED, atol=TOUCHED
        )
    }


def show_start(obj: bpy.types.Object, scene: bpy.types.Scene, but: Collection[str] = frozenset()) -> None:
    """Give parts back the channels they had when the simulation started, but not those the user has posed since.

    but: names of parts that are left as they are.
    """
    found = cache.track_of(obj, scene)
    if found is None:
        return
    _, track = found
    touched = posed_by_user(obj, scene) | set(but)
    for name, row in zip(track.bones, track.start):
        part = part_of(obj, name)
        if part is not None and name not in touched:
            write_channels(part, row)
