"""Show a recording: write the pose of its frame into bones and objects, keyframes untouched.

Blender evaluates animation first and calls us after it; when we change a pose then, it evaluates once more without
calling us again, in the viewport as in renders. So what is written here wins over keyed channels, until the next
frame. Outside the recorded range, bones with keys of their own show their keys; the others hold the nearest pose.

What the channels said before is the user's, and is kept in the file (`own_pose`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from math import floor

import bpy
import numpy as np
from mathutils import Quaternion, Vector

from ..bake.actions import animated_bones, animated_paths
from ..bake.channels import read_channels
from ..mechanism import constraints, rigid_body_world
from ..mechanism.parts import WHOLE, Part, Transform, channels_of, name_of, part_of, parts_of, show
from ..run import own_pose
from . import cache
from .cache import Recording, Track

TOUCHED = 1e-4
"""A bone whose transform differs by more than this, relatively, from what is shown was posed by the user."""

SAME_FRAME = 1e-3
"""Frames that differ by less than this are one: Blender keeps them in single precision."""

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


def show_frame(scene: bpy.types.Scene, spare: bool = False) -> None:
    """Write the poses of the scene's current frame into all objects that show a recording.

    spare: leave alone what the user has posed without keys since the frame was shown.
    """
    if _paused:
        return
    for obj in scene.objects:
        found = cache.track_of(obj, scene) if own_pose.is_on(obj, scene) else None
        if found is not None and not rigid_body_world.moves(scene, obj):
            show_object(obj, scene, *found, spare)


def show_object(
    obj: bpy.types.Object, scene: bpy.types.Scene, recording: Recording, track: Track, spare: bool
) -> None:
    """Write the poses of the scene's current frame into an object; its own pose is kept (`own_pose`)."""
    settings, frame = obj.redmax, scene.frame_current_final
    moved = abs(settings.shown_frame - frame) > SAME_FRAME
    posed: set[str] = set()
    at_start = abs(settings.shown_frame - (recording.frame_start - recording.preroll)) < SAME_FRAME
    if moved and at_start:  # posed by hand at the first frame: the next simulation starts there
        keyed = keyed_parts(obj)
        for name in posed_by_user(obj, scene) - keyed:
            part = part_of(obj, name)
            if part is not None:
                own_pose.hold_row(part, read_channels([part])[0])
    elif spare and not moved:
        posed = posed_by_user(obj, scene) - keyed_parts(obj)
    begins = False
    for part, transform in shown_poses(obj, recording, track, frame):
        if name_of(part) not in posed:
            begins |= own_pose.hold(part)
            show(part, transform)
    if not 0.0 <= frame - recording.frame_start <= recording.frame_count - 1:
        show_keys(obj)
    if begins:
        constraints.mute_again(obj)
    if moved:
        settings.shown_frame = frame


def show_keys(obj: bpy.types.Object) -> None:
    """Outside the recorded range: parts with keys have their own values in the channels that nothing animates."""
    paths = set(animated_paths(obj))
    for name in keyed_parts(obj):
        part = part_of(obj, name)
        if part is not None and part.redmax.is_shown:
            own_pose.write_own(part, paths)


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
    """Parts that should show the recording and are not as it has them: the user has posed them."""
    found = cache.track_of(obj, scene)
    if found is None:
        return set()
    return {
        name_of(part)
        for part, transform in shown_poses(obj, *found, obj.redmax.shown_frame)
        if part.redmax.is_shown
        and not np.allclose(
            np.array(channels_of(part).matrix), np.array(transform.matrix), rtol=TOUCHED, atol=TOUCHED
        )
    }


def show_start(obj: bpy.types.Object, scene: bpy.types.Scene, but: Collection[str] = frozenset()) -> None:
    """Give parts their own pose back, but leave those as they are that the user has posed since.

    but: names of parts that go on showing the recording.
    """
    posed = posed_by_user(obj, scene)
    for part in own_pose.shown_parts(obj):
        name = name_of(part)
        if name in but:
            continue
        if name in posed:
            own_pose.release(part)
        else:
            own_pose.give_back(part)


def cease(obj: bpy.types.Object, scene: bpy.types.Scene) -> bool:
    """Let an object have its own pose and constraints; False where it shows no recording.

    Keyed parts are as their keys have them once the frame is set again.
    """
    if not own_pose.shown_parts(obj):
        return False
    show_start(obj, scene)
    for part in parts_of(obj):
        constraints.unmute_for_now(part)
    return True


def cease_missing(scene: bpy.types.Scene) -> None:
    """Objects whose recording is gone are as they were before the simulation."""
    gone = [obj for obj in scene.objects if not obj.redmax.is_baked and cache.track_of(obj, scene) is None]
    if any([cease(obj, scene) for obj in gone]):
        evaluate_again(scene)


def switch(scene: bpy.types.Scene) -> None:
    """Show recordings, or the user's own poses, as Show Simulation says."""
    off = [obj for obj in scene.objects if not obj.redmax.is_baked and not own_pose.is_on(obj, scene)]
    if any([cease(obj, scene) for obj in off]):
        evaluate_again(scene)
    show_frame(scene)


def evaluate_again(scene: bpy.types.Scene) -> None:
    """Keyed parts are as their keys have them."""
    with paused():
        scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
