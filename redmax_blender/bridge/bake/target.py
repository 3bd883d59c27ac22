"""Where a bake goes: a copy of the action, a new action, a slot of the action, or a strip of the NLA; and back."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import bpy

from ...engine.errors import SceneError
from ..run.fingerprint_values import curves
from .actions import HAS_SLOTS, assign, curves_in, curves_of, ensure_bag, own_copy, slot_identifier, slot_of

INTO = ("COPY", "NEW", "SLOT", "NLA")
Curves = dict[tuple[str, int], bpy.types.FCurve]


@dataclass(frozen=True)
class Target:
    """An open place for curves."""

    action: bpy.types.Action
    bag: Any
    original: Curves
    """Curves whose values outside the recorded range the new ones keep."""


def check_target(obj: bpy.types.Object, into: str) -> None:
    """SceneError where a bake cannot go there, before anything has changed."""
    if into == "SLOT" and not HAS_SLOTS:
        raise SceneError(
            "Bake", "actions have slots from Blender 4.4 on", "Bake into a copy, a new action or the NLA."
        )
    if into == "SLOT" and obj.animation_data is not None and obj.animation_data.action is not None:
        action = obj.animation_data.action
        if action.library is not None:
            raise SceneError(
                f"Action '{action.name}'", "it is linked from a library", "Bake into a copy instead."
            )


def open_target(obj: bpy.types.Object, into: str) -> Target:
    """Make the place, and note on the object what Delete Bake has to restore."""
    settings, data = obj.redmax, obj.animation_data
    settings.had_animation_data = data is not None
    settings.original_action = None if data is None else data.action
    settings.original_slot = slot_identifier(obj)
    settings.baked_into = into
    original = {(curve.data_path, curve.array_index): curve for curve in curves_of(obj)}
    name = f"{obj.name} RedMax"
    if into == "SLOT" and settings.original_action is not None:
        return _slot(obj, original, name)
    if into in ("NEW", "SLOT", "NLA"):
        assign(obj, None)
    action = own_copy(obj, name)
    return Target(action, ensure_bag(action, slot_of(obj)), original if into == "COPY" else {})


def _slot(obj: bpy.types.Object, original: Curves, name: str) -> Target:
    """A slot of the same action, with the object's other curves as they are."""
    action = obj.redmax.original_action
    own = slot_of(obj)
    if own is None:
        slot = action.slots.new(id_type="OBJECT", name=name)
    else:
        slot = own.duplicate()
        slot.name_display = name
    assign(obj, action, slot.identifier)
    return Target(action, ensure_bag(action, slot), original)


def close_target(
    obj: bpy.types.Object, target: Target, scene: bpy.types.Scene, span: tuple[int, int]
) -> None:
    """Called when the curves are there; span: first and last recorded frame."""
    settings = obj.redmax
    settings.baked_action = target.action
    settings.baked_slot = slot_identifier(obj)
    settings.baked_digest = digest_of(target.action, settings.baked_slot)
    settings.is_baked = True
    if settings.baked_into != "NLA":
        return
    data = obj.animation_data
    baked, slot = data.action, slot_of(obj)
    data.action = None
    settings.baked_nla = data.use_nla
    data.use_nla = True
    tracks = []
    if settings.original_action is not None:  # it would override all strips
        tracks.append(_push_down(obj, settings.original_action, settings.original_slot, scene))
    track = data.nla_tracks.new()
    track.name = target.action.name
    strip = track.strips.new(target.action.name, span[0], baked)
    if HAS_SLOTS:
        strip.action_slot = slot
    # Outside the recorded range it is as it was; where nothing says how, Blender would leave what it showed last.
    strip.extrapolation = "NOTHING" if len(data.nla_tracks) > 1 else "HOLD"
    strip.blend_type = "REPLACE"
    tracks.append(track.name)
    settings.baked_tracks = "\n".join(tracks)


def _push_down(obj: bpy.types.Object, action: bpy.types.Action, slot: str, scene: bpy.types.Scene) -> str:
    """The object's own action as a strip over everything that it may be asked for; returns its track's name."""
    data = obj.animation_data
    track = data.nla_tracks.new()
    track.name = action.name
    first, last = (int(frame) for frame in action.frame_range)
    first, last = min(first, scene.frame_start), max(last + 1, scene.frame_end)
    strip = track.strips.new(action.name, first, action)
    if HAS_SLOTS:
        strip.action_slot = next((s for s in action.slots if s.identifier == slot), None)
    strip.action_frame_start, strip.action_frame_end = first, last
    strip.frame_start, strip.frame_end = first, last
    strip.extrapolation = "HOLD"
    strip.blend_type = data.action_blend_type
    return str(track.name)


@contextmanager
def without_target(obj: bpy.types.Object) -> Iterator[None]:
    """For a while, the object is animated as before `open_target`."""
    settings, data = obj.redmax, obj.animation_data
    if not settings.is_baked or data is None:
        yield
        return
    action, slot, use_nla = data.action, slot_identifier(obj), data.use_nla
    own = action == settings.baked_action or settings.baked_into == "NLA"
    tracks = [data.nla_tracks[name] for name in settings.baked_tracks.splitlines() if name in data.nla_tracks]
    muted = [track.mute for track in tracks]
    settings.is_baked = False
    for track in tracks:
        track.mute = True
    if settings.baked_into == "NLA":
        data.use_nla = settings.baked_nla
    if own:
        assign(obj, settings.original_action, settings.original_slot)
    try:
        yield
    finally:
        settings.is_baked = True
        for track, mute in zip(tracks, muted):
            track.mute = mute
        data.use_nla = use_nla
        if own:
            assign(obj, action, slot)


def set_aside(obj: bpy.types.Object) -> str:
    """Everything as it was before `open_target`; a bake that was edited stays in the file. Its name, if it was."""
    settings = obj.redmax
    action = settings.baked_action
    if action is None or digest_of(action, settings.baked_slot) == settings.baked_digest:
        remove_target(obj)
        return ""
    action.use_fake_user = True
    if settings.baked_into == "SLOT":
        settings.baked_into = "COPY"  # its slot stays with the action
    remove_target(obj)
    return str(action.name)


def digest_of(action: bpy.types.Action, slot: str) -> str:
    """The same for the same curves."""
    own = next((s for s in action.slots if s.identifier == slot), None) if HAS_SLOTS else None
    digest = hashlib.blake2b(digest_size=12)
    for value in curves(curves_in(action, own)):
        digest.update(value if isinstance(value, bytes) else repr(value).encode())
    return digest.hexdigest()


def remove_target(obj: bpy.types.Object) -> None:
    """Everything as it was before `open_target`, but for what the user has changed since."""
    settings, data = obj.redmax, obj.animation_data
    baked = settings.baked_action
    if settings.baked_into == "NLA" and data is not None:
        for name in settings.baked_tracks.splitlines():
            if name in data.nla_tracks:
                data.nla_tracks.remove(data.nla_tracks[name])
        data.use_nla = settings.baked_nla
        _give_back(obj, data.action is None)
    elif data is not None:
        _give_back(obj, data.action == baked)
    if settings.baked_into == "SLOT" and baked is not None and baked == settings.original_action:
        slot = next((s for s in baked.slots if s.identifier == settings.baked_slot), None)
        if slot is not None:
            baked.slots.remove(slot)
        baked = None
    _forget(settings)
    if baked is not None and baked.users == 0:
        bpy.data.actions.remove(baked)


def _give_back(obj: bpy.types.Object, unchanged: bool) -> None:
    """The action from before, unless the user has gone on to another one."""
    settings = obj.redmax
    if not unchanged:
        return
    if settings.had_animation_data:
        assign(obj, settings.original_action, settings.original_slot)
    else:
        obj.animation_data_clear()


def _forget(settings: bpy.types.PropertyGroup) -> None:
    settings.baked_action = None
    settings.original_action = None
    for name in ("original_slot", "baked_slot", "baked_digest", "baked_tracks", "baked_into"):
        setattr(settings, name, "")
    settings.had_animation_data = False
    settings.baked_nla = False
    settings.is_baked = False
