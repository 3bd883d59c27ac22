"""Bake: a recording as keyframes in a copy of the object's action, with only the simulated parts' curves replaced.

Outside the recorded range the curves keep the values they had at every whole frame.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..engine.errors import SceneError
from . import cache, constraints
from .actions import assign, curves_of, ensure_bag, new_curve, own_copy, slot_identifier, slot_of
from .cache import Recording, Track
from .keys import Keys, after, before
from .parts import Part, channel_group, channel_path, part_of, rotation_channel
from .rotations import rotation_near

Floats = NDArray[np.float64]

STILL = 1e-7
"""Locations and scales that never differ by more than this from their defaults need no curve."""


def bake_object(obj: bpy.types.Object, scene: bpy.types.Scene) -> bpy.types.Action:
    """Write the recording that an object shows into a copy of its action, which it uses from now on."""
    found = cache.track_of(obj, scene)
    place = f"{'Armature' if obj.type == 'ARMATURE' else 'Object'} '{obj.name}'"
    if found is None:
        raise SceneError(place, "there is nothing to bake", "Simulate first.")
    if obj.redmax.is_baked:
        raise SceneError(place, "it is baked", "Delete its bake first.")
    if obj.animation_data is not None and obj.animation_data.use_tweak_mode:
        raise SceneError(place, "one of its NLA strips is being edited", "Leave tweak mode (Tab in the NLA).")
    recording, track = found
    remember(obj)
    original = {(curve.data_path, curve.array_index): curve for curve in curves_of(obj)}
    action = own_copy(obj, f"{obj.name} RedMax")
    bag = ensure_bag(action, slot_of(obj))
    samples = range(
        min(scene.frame_start, recording.frame_start), max(scene.frame_end, recording.frame_last) + 1
    )
    for i, name in enumerate(track.bones):
        part = part_of(obj, name)
        if part is not None:
            bake_part(bag, part, recording, track, i, original, samples)
    obj.redmax.baked_action = action
    obj.redmax.is_baked = True
    return action


def remember(obj: bpy.types.Object) -> None:
    """Note what Delete Bake has to restore."""
    settings, data = obj.redmax, obj.animation_data
    settings.had_animation_data = data is not None
    settings.original_action = None if data is None else data.action
    settings.original_slot = slot_identifier(obj)


def delete_bake(obj: bpy.types.Object) -> None:
    """Give the object its action back and remove the baked one; it shows its recording again, if there is one."""
    settings = obj.redmax
    baked = settings.baked_action
    data = obj.animation_data
    if data is not None and data.action == baked:  # the user may have gone on to another action
        if settings.had_animation_data:
            assign(obj, settings.original_action, settings.original_slot)
        else:
            obj.animation_data_clear()
    settings.baked_action = None
    settings.original_action = None
    settings.original_slot = ""
    settings.had_animation_data = False
    settings.is_baked = False
    if baked is not None and baked.users == 0:
        bpy.data.actions.remove(baked)
    if not settings.result:
        constraints.restore(obj)


def bake_part(
    bag: Any,
    part: Part,
    recording: Recording,
    track: Track,
    index: int,
    original: dict[tuple[str, int], bpy.types.FCurve],
    samples: range,
) -> None:
    """Curves for one part: its rotation; location and scale where it has them or needs them.

    An object always has its location keyed, and its scale never: it does not change.
    """
    whole = isinstance(part, bpy.types.Object)
    values = {
        rotation_channel(part): rotation_values(part, track.quaternion[:, index], recording, original),
        "location": track.location[:, index],
    }
    if not whole:
        values["scale"] = track.scale[:, index]
    for channel, rows in values.items():
        path = channel_path(part, channel)
        keyed = any((path, k) in original for k in range(rows.shape[1]))
        default = 1.0 if channel == "scale" else 0.0
        needed = whole or channel.startswith("rotation") or keyed
        if not needed and np.max(np.abs(rows - default)) < STILL:
            continue
        for k in range(rows.shape[1]):
            keys = Keys.linear(np.arange(recording.frame_start, recording.frame_last + 1), rows[:, k])
            old = original.get((path, k))
            if old is not None:
                keys = (
                    before(old, recording.frame_start, samples)
                    + keys
                    + after(old, recording.frame_last, samples)
                )
            keys.write(new_curve(bag, path, k, channel_group(part)))


def rotation_values(
    part: Part,
    quaternions: Floats,
    recording: Recording,
    original: dict[tuple[str, int], bpy.types.FCurve],
) -> Floats:
    """Values of the rotation channel, each near the one before, the first near the original curve.

    Their shape is (nf, 3) or (nf, 4).
    """
    channel = rotation_channel(part)
    path = channel_path(part, channel)
    first = list(getattr(part, channel))
    for k in range(len(first)):
        if (path, k) in original:
            first[k] = original[path, k].evaluate(recording.frame_start)
    rows, last = [], first
    for quaternion in quaternions.tolist():
        last = rotation_near(part.rotation_mode, quaternion, last)
        rows.append(last)
    return np.array(rows)
