"""A soft mesh's motion as shape keys: absolute ones on one Evaluation Time curve, or relative ones.

Absolute keys are a quarter of Blender's unit of time apart a frame: that and every whole frame's Evaluation Time are
exact in single precision, so that a frame shows its key and nothing of its neighbours'. Relative keys rise and fall in
straight lines from one to the next, on top of the keys that the mesh has already.
"""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from ..flesh.rest_shape import key_positions, rest_shape
from ..recording.cache import Recording
from ..recording.point_cache import Positions
from .actions import assign, ensure_bag, new_curve, own_copy, slot_identifier, slot_of
from .keys import Keys

SPACING = 25.0
"""Evaluation Time of a frame."""
APART = 500
"""Frames between keys of the Evaluation Time curve: so far a straight line is exact at whole frames."""
GROUP = "RedMax"


class Made(NamedTuple):
    """What a bake made."""

    names: list[str]
    """Of the shape keys, the basis included when there was none."""
    active: int
    """Index of the shape key that was active."""
    alone: bool
    """Whether only the active one was shown."""
    action: bpy.types.Action


def bake(
    obj: bpy.types.Object,
    scene: bpy.types.Scene,
    recording: Recording,
    positions: Positions,
    relative: bool,
    step: int,
) -> Made:
    """Add shape keys that show positions (nf, ns, 3) in the object's space, one every `step` frames, and the last."""
    rows = _rows(len(positions), step)
    offsets = _offsets(obj, scene, recording, positions, rows) if relative else positions[rows]
    active, alone = obj.active_shape_key_index, obj.show_only_shape_key
    keys = obj.data.shape_keys
    names = []
    if keys is None:
        basis = obj.shape_key_add(name="Basis", from_mix=False)
        basis.value = 0.0
        basis.interpolation = "KEY_LINEAR"
        keys = obj.data.shape_keys
        keys.use_relative = relative
        names.append(basis.name)
    _remember(obj, keys)
    action = own_copy(keys, f"{obj.name} RedMax Shape")
    for row, shape in zip(rows, offsets):
        if not relative:
            keys.eval_time = SPACING * (row + 1)  # where the new key goes
        block = obj.shape_key_add(name=f"RedMax {recording.frame_start + row}", from_mix=False)
        block.value = 0.0
        block.interpolation = "KEY_LINEAR"
        block.data.foreach_set("co", np.ascontiguousarray(shape, np.float32).ravel())
        names.append(block.name)
    bag = ensure_bag(action, slot_of(keys))
    if relative:
        _value_curves(bag, names[-len(rows) :], recording.frame_start + np.array(rows))
    else:
        _time_curve(bag, recording.frame_start, len(positions))
    obj.active_shape_key_index, obj.show_only_shape_key = active, False
    return Made(names, active, alone, action)


def _rows(count: int, step: int) -> list[int]:
    return sorted({*range(0, count, step), count - 1})


def _offsets(
    obj: bpy.types.Object, scene: bpy.types.Scene, recording: Recording, positions: Positions, rows: list[int]
) -> list[NDArray[np.float64]]:
    """Key positions that, with what the mesh's own keys add at these frames, give the recorded positions."""
    keys = obj.data.shape_keys
    if keys is None or not any(block != keys.reference_key for block in keys.key_blocks):
        return [np.asarray(positions[row], float) for row in rows]
    basis = key_positions(keys.reference_key)
    if keys.animation_data is None:
        mixed = rest_shape(obj, bpy.context.evaluated_depsgraph_get())
        return [basis + positions[row] - mixed for row in rows]
    current, subframe = scene.frame_current, scene.frame_subframe
    found = []
    for row in rows:
        scene.frame_set(recording.frame_start + row)
        found.append(basis + positions[row] - rest_shape(obj, bpy.context.evaluated_depsgraph_get()))
    scene.frame_set(current, subframe=subframe)
    return found


def _time_curve(bag: object, start: int, count: int) -> None:
    rows = np.array(_rows(count, APART))
    Keys.linear(start + rows, SPACING * (rows + 1)).write(new_curve(bag, "eval_time", 0, GROUP))


def _value_curves(bag: object, names: list[str], frames: NDArray[np.int64]) -> None:
    """Each key at 1 at its frame, at 0 at its neighbours', held before the first and after the last."""
    for i, name in enumerate(names):
        near = [k for k in (i - 1, i, i + 1) if 0 <= k < len(names)]
        values = np.array([1.0 if k == i else 0.0 for k in near])
        path = f'key_blocks["{bpy.utils.escape_identifier(name)}"].value'
        Keys.linear(frames[near], values).write(new_curve(bag, path, 0, GROUP))


def _remember(obj: bpy.types.Object, keys: bpy.types.Key) -> None:
    settings, data = obj.redmax, keys.animation_data
    settings.had_animation_data = data is not None
    settings.original_action = None if data is None else data.action
    settings.original_slot = slot_identifier(keys)


def remove(obj: bpy.types.Object, names: list[str], active: int, alone: bool) -> None:
    """Remove the keys and the action of a bake; the mesh's own keys have the action back that they had."""
    settings, keys = obj.redmax, obj.data.shape_keys
    action = settings.baked_action
    if keys is not None:
        data = keys.animation_data
        if data is not None and data.action == action:  # the user may have gone on to another action
            if settings.had_animation_data:
                assign(keys, settings.original_action, settings.original_slot)
            else:
                keys.animation_data_clear()
        ours = set(names)
        if all(block.name in ours for block in keys.key_blocks):
            obj.shape_key_clear()
        else:
            for block in [b for b in keys.key_blocks if b.name in ours and b != keys.reference_key]:
                obj.shape_key_remove(block)
            obj.active_shape_key_index = active
    obj.show_only_shape_key = alone
    settings.baked_action = settings.original_action = None
    settings.original_slot = ""
    settings.had_animation_data = False
    if action is not None and action.users == 0:
        bpy.data.actions.remove(action)
