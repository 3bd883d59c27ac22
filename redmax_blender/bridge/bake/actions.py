"""Actions: the one file that knows how actions, slots and channel bags differ between versions of Blender.

Up to 4.3 an action holds F-curves for whoever uses it. From 4.4 it holds slots, and layers of strips with one channel
bag a slot; a user of the action names its slot. From 5.0 `Action.fcurves` is gone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import bpy

HAS_SLOTS = bpy.app.version >= (4, 4, 0)
_BONE = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]\.')


def bag_of(action: bpy.types.Action, slot: Any) -> Any:
    """What holds the `fcurves` and `groups` of one user of an action, or None when there is none yet."""
    if not HAS_SLOTS:
        return action
    if slot is None:
        return None
    bags = (strip.channelbag(slot) for layer in action.layers for strip in layer.strips)
    return next((bag for bag in bags if bag is not None), None)


def ensure_bag(action: bpy.types.Action, slot: Any) -> Any:
    """What holds the `fcurves` and `groups` of one user of an action, made when there is none."""
    if not HAS_SLOTS:
        return action
    layer = action.layers[0] if action.layers else action.layers.new("Layer")
    strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True)


def curves_of(obj: bpy.types.Object) -> list[bpy.types.FCurve]:
    """The F-curves of the action that the object uses now."""
    data = obj.animation_data
    if data is None or data.action is None:
        return []
    return curves_in(data.action, slot_of(obj))


def curves_in(action: bpy.types.Action, slot: Any) -> list[bpy.types.FCurve]:
    """The F-curves of one user of an action."""
    bag = bag_of(action, slot)
    return [] if bag is None else list(bag.fcurves)


def slot_of(obj: bpy.types.Object) -> Any:
    """The slot the object uses of its action; None before 4.4 or when it uses none."""
    return obj.animation_data.action_slot if HAS_SLOTS and obj.animation_data is not None else None


def slot_identifier(obj: bpy.types.Object) -> str:
    """What `assign` needs to find the slot again, also in a copy of the action."""
    slot = slot_of(obj)
    return "" if slot is None else str(slot.identifier)


def assign(obj: bpy.types.Object, action: bpy.types.Action | None, slot: str = "") -> None:
    """Let the object use an action and, where there are slots, its slot of this identifier (none when empty)."""
    data = obj.animation_data or obj.animation_data_create()
    data.action = action
    if HAS_SLOTS and action is not None:
        data.action_slot = next((s for s in action.slots if s.identifier == slot), None)


def own_copy(obj: bpy.types.Object, name: str) -> bpy.types.Action:
    """Give the object a copy of its action, or a new one; all slots and channels as they were."""
    data = obj.animation_data
    if data is None or data.action is None:
        action = bpy.data.actions.new(name)
    else:
        action = data.action.copy()
        action.name = name
    action.use_fake_user = False
    slot = slot_identifier(obj)
    if HAS_SLOTS and not any(s.identifier == slot for s in action.slots):
        slot = action.slots.new(id_type=obj.id_type, name=obj.name).identifier
    assign(obj, action, slot)
    return action


def new_curve(bag: Any, path: str, index: int, group: str) -> bpy.types.FCurve:
    """An empty F-curve in a named group, replacing one that is there."""
    old = bag.fcurves.find(path, index=index)
    if old is not None:
        bag.fcurves.remove(old)
    curve = bag.fcurves.new(path, index=index)
    curve.group = bag.groups.get(group) or bag.groups.new(group)
    return curve


def animated_paths(obj: bpy.types.Object) -> Iterator[str]:
    """Data paths of all F-curves that animate the object, from its action and from its NLA strips."""
    data = obj.animation_data
    if data is None:
        return
    for curve in curves_of(obj):
        yield curve.data_path
    if not data.use_nla:
        return
    for track in data.nla_tracks:
        for strip in track.strips:
            if strip.action is not None and not (track.mute or strip.mute):
                slot = strip.action_slot if HAS_SLOTS else None
                yield from (curve.data_path for curve in curves_in(strip.action, slot))


def animated_bones(obj: bpy.types.Object) -> set[str]:
    """Names of the bones that have F-curves of their own."""
    return bones_in(animated_paths(obj))


def bones_in(paths: Iterable[str]) -> set[str]:
    """Bone names in data paths such as pose.bones["Hand.L"].location."""
    found = (_BONE.match(path) for path in paths)
    return {bpy.utils.unescape_identifier(match[1]) for match in found if match}


def bone_path(bone: str, channel: str) -> str:
    return f'pose.bones["{bpy.utils.escape_identifier(bone)}"].{channel}'
