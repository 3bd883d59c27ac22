"""Bake: a recording as keyframes in a copy of the object's action, with only the simulated parts' curves replaced.

Outside the recorded range the curves keep the values they had at every whole frame.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import radians

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SceneError
from ..controls.bake_controls import as_track, give_back_controls, solve_controls, warnings_of
from ..controls.graph import has_controls
from ..flesh.soft_meshes import is_soft
from ..mechanism import constraints
from ..mechanism.parts import Part, channel_group, channel_path, part_of, rotation_channel
from ..motion.needed_channels import Given, flat, needed, noise_of
from ..motion.rotations import rotation_near
from ..recording import cache
from ..recording.cache import Recording, Track
from ..rig.make_physical import is_selected
from ..run import own_pose
from .actions import animated_paths, new_curve
from .clean_curves import Errors, angles, kept_frames, lengths, slopes
from .flesh import bake_flesh, delete_flesh_bake
from .keys import Keys, after, before
from .target import Target, check_target, close_target, open_target, remove_target

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class BakeOptions:
    """What the user chooses when baking."""

    into: str = "COPY"
    """"COPY": a copy of the action. "NEW": a new action. "SLOT": a new slot of the action. "NLA": a strip."""
    only_selected_bones: bool = False
    step: int = 1
    """A key every so many frames."""
    clean: bool = False
    """Leave out keys that the bounds do not need."""
    clean_angle: float = radians(0.5)
    """Largest error of a rotation [rad]."""
    clean_length: float = 0.001
    """Largest error of a place [units in the world]; and of a scale."""
    to_controls: bool = True
    """Key the controls of a rig that has some, instead of its simulated bones."""


def bake_object(
    obj: bpy.types.Object,
    scene: bpy.types.Scene,
    options: BakeOptions | None = None,
    warnings: list[str] | None = None,
) -> bpy.types.Action | None:
    """Write the recording that an object shows into a copy of its action, or where `options` say, and let it use that.

    A soft mesh gets shape keys, and an action for those, or a point cache. What to tell the user is added to
    `warnings`.
    """
    if is_soft(obj):
        return bake_flesh(obj, scene)
    options = options or BakeOptions()
    recording, track = check_bake(obj, scene, options)
    if options.to_controls and has_controls(obj, track.bones):
        return bake_to_controls(obj, scene, options, [] if warnings is None else warnings)
    chosen = chosen_parts(obj, track, options.only_selected_bones)
    covered = set(animated_paths(obj))
    target = open_target(obj, options.into)
    samples = range(
        min(scene.frame_start, recording.frame_start), max(scene.frame_end, recording.frame_last) + 1
    )
    scale = float(np.cbrt(abs(np.linalg.det(np.array(obj.matrix_world.to_3x3())))))
    given = Given(target.original, covered, noise_of(track))
    for i, part in chosen.items():
        own_pose.hold(part)
        bake_part(target, part, recording, track, i, samples, options, scale, given)
    if not len(target.bag.fcurves):  # an action without curves has no length
        hold_rotation(target, next(iter(chosen.values())), recording)
    close_target(obj, target, scene, (recording.frame_start, recording.frame_last))
    leave(obj, track, [name for i, name in enumerate(track.bones) if i not in chosen])
    return target.action


def bake_to_controls(
    obj: bpy.types.Object, scene: bpy.types.Scene, options: BakeOptions, warnings: list[str]
) -> bpy.types.Action:
    """The same into curves of the rig's controls; the simulated bones follow these, as before the simulation."""
    recording, track = check_bake(obj, scene, options)
    covered = set(animated_paths(obj))
    leave(obj, track, list(track.bones))
    target = (
        open_target(obj, options.into) if options.into == "NEW" else None
    )  # nothing else moves the rig there
    tracks = solve_controls(obj, recording, track, options.only_selected_bones)
    target = target or open_target(obj, options.into)
    names = tracks.names or [next(bone.name for bone in obj.pose.bones if not bone.redmax.physical)]
    samples = range(
        min(scene.frame_start, recording.frame_start), max(scene.frame_end, recording.frame_last) + 1
    )
    scale = float(np.cbrt(abs(np.linalg.det(np.array(obj.matrix_world.to_3x3())))))
    given = Given(target.original, covered, noise_of(track))
    found = as_track(tracks, tracks.names) if tracks.names else None
    for i, name in enumerate(names):
        own_pose.hold(obj.pose.bones[name])
        if found is not None:
            bake_part(target, obj.pose.bones[name], recording, found, i, samples, options, scale, given)
    if not len(target.bag.fcurves):  # an action without curves has no length
        hold_rotation(target, obj.pose.bones[names[0]], recording)
    close_target(obj, target, scene, (recording.frame_start, recording.frame_last))
    warnings += warnings_of(obj, tracks)
    return target.action


def check_bake(
    obj: bpy.types.Object, scene: bpy.types.Scene, options: BakeOptions
) -> tuple[Recording, Track]:
    """What there is to bake; SceneError, before anything has changed, where it cannot be baked as asked."""
    found = cache.track_of(obj, scene, itself=True)
    place = f"{'Armature' if obj.type == 'ARMATURE' else 'Object'} '{obj.name}'"
    if found is None:
        raise SceneError(place, "there is nothing to bake", "Simulate first.")
    if obj.redmax.is_baked:
        raise SceneError(place, "it is baked", "Delete its bake first.")
    if obj.animation_data is not None and obj.animation_data.use_tweak_mode:
        raise SceneError(place, "one of its NLA strips is being edited", "Leave tweak mode (Tab in the NLA).")
    if options.step < 1:
        raise SceneError("Bake, frame step", f"it is {options.step}", "Give 1 or more.")
    if options.clean and not (options.clean_angle > 0.0 and options.clean_length > 0.0):
        raise SceneError("Bake, clean curves", "a bound is zero or less", "Give a number above zero.")
    check_target(obj, options.into)
    only = options.only_selected_bones and not (options.to_controls and has_controls(obj, found[1].bones))
    if not chosen_parts(obj, found[1], only):
        raise SceneError(
            place, "no simulated bone is selected", "Select some, or turn off Only Selected Bones."
        )
    return found


def chosen_parts(obj: bpy.types.Object, track: Track, only_selected: bool) -> dict[int, Part]:
    """The parts to bake, by their place in the track."""
    parts = {i: part_of(obj, name) for i, name in enumerate(track.bones)}
    return {
        i: part
        for i, part in parts.items()
        if part is not None and (not only_selected or isinstance(part, bpy.types.Object) or is_selected(part))
    }


def leave(obj: bpy.types.Object, track: Track, names: list[str]) -> None:
    """Parts that are simulated and not baked are as they were before the simulation, their constraints too."""
    for part in filter(None, (part_of(obj, name) for name in names)):
        own_pose.give_back(part)
        constraints.unmute_for_now(part)


def delete_bake(obj: bpy.types.Object) -> None:
    """Give the object its action back and remove the baked one; it shows its recording again, if there is one."""
    settings = obj.redmax
    if settings.flesh.baked:
        delete_flesh_bake(obj)
        return
    remove_target(obj)
    give_back_controls(obj)
    scene = obj.users_scene[0] if obj.users_scene else bpy.context.scene
    if cache.track_of(obj, scene) is not None and own_pose.is_on(obj, scene):
        constraints.mute_again(obj)
        settings.shown_frame = scene.frame_current_final  # what the bake showed is not posed by hand
        return
    for part in own_pose.shown_parts(obj):
        own_pose.give_back(part)
        constraints.unmute_for_now(part)
    if not settings.result:
        constraints.restore(obj)


def bake_part(
    target: Target,
    part: Part,
    recording: Recording,
    track: Track,
    index: int,
    samples: range,
    options: BakeOptions,
    scale: float,
    given: Given,
) -> None:
    """Curves for one part: of what moves, and of what would be somewhere else without (`needed_channels`).

    An object's scale is never keyed: it does not change.
    """
    whole = isinstance(part, bpy.types.Object)
    original = target.original
    rotation = rotation_channel(part)
    values = {
        rotation: rotation_values(part, track.quaternion[:, index], recording, original),
        "location": track.location[:, index],
    }
    if not whole:
        values["scale"] = track.scale[:, index]
    if options.clean:
        given = replace(given, bounds={name: bound_of(part, name, options, scale) for name in values})
    for channel, rows in values.items():
        path = channel_path(part, channel)
        written = needed(part, channel, rows, recording, given)
        if not written:
            continue
        made = channel_keys(part, channel, rows, recording.frame_start, options, scale)
        ends = np.unique([0, len(rows) - 1])
        still = flat(rows, channel, given)
        for k in written:
            keys = made[k]
            if still[k]:
                keys = Keys.linear(recording.frame_start + ends, rows[ends, k])
            old = original.get((path, k))
            if old is not None:
                keys = (
                    before(old, recording.frame_start, samples)
                    + keys
                    + after(old, recording.frame_last, samples)
                )
            keys.write(new_curve(target.bag, path, k, channel_group(part)))


def channel_keys(
    part: Part, channel: str, rows: Floats, start: int, options: BakeOptions, scale: float
) -> list[Keys]:
    """Keys of all values of a channel, shape (nf, n), from the frame `start` on; scale: of the object in the world."""
    n = len(rows)
    if (options.step == 1 and not options.clean) or n < 3:
        return [Keys.linear(start + np.arange(n), rows[:, k]) for k in range(rows.shape[1])]
    taken = np.unique(np.append(np.arange(0, n, options.step), n - 1))
    tangents = slopes(rows)[taken]
    if options.clean:
        kept = kept_frames(rows, taken, *bound_of(part, channel, options, scale))
        taken, tangents = kept, slopes(rows)[kept]
    return [Keys.cubic(start + taken, rows[taken, k], tangents[:, k]) for k in range(rows.shape[1])]


def bound_of(part: Part, channel: str, options: BakeOptions, scale: float) -> tuple[float, Errors]:
    """How far a cleaned channel may be off, and the measure of that."""
    # Blender keeps values in single precision: a little of the bound is left for that.
    if channel.startswith("rotation"):
        return 0.99 * options.clean_angle, angles(part.rotation_mode)
    return 0.99 * options.clean_length / (scale if channel == "location" else 1.0), lengths


def hold_rotation(target: Target, part: Part, recording: Recording) -> None:
    """Curves of a rotation that does not change."""
    channel = rotation_channel(part)
    frames = np.unique([recording.frame_start, recording.frame_last])
    for k, value in enumerate(getattr(part, channel)):
        keys = Keys.linear(frames, np.full(len(frames), value))
        keys.write(new_curve(target.bag, channel_path(part, channel), k, channel_group(part)))


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
