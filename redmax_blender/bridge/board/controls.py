"""Switches and sliders, and the settings that they move."""

from __future__ import annotations

import re
from typing import Any

import bpy

from ...board_properties import ARROWS, DIGITS, LETTERS
from ...engine.errors import SceneError

NUMBERS = ("FLOAT", "INT", "BOOLEAN")
_ENTRY = re.compile(r"^(.*)\[(\d+)\]$")
STEP = 0.1
"""By which a key moves a slider."""


def _found(owner: bpy.types.ID | None, path: str) -> tuple[Any, str, int | None] | None:
    """What has a setting, the setting's name, and which entry of it; None where there is no such number."""
    entry = _ENTRY.match(path)
    path, index = (entry[1], int(entry[2])) if entry else (path, None)
    before, _, name = path.rpartition(".")
    try:
        thing = owner.path_resolve(before) if owner is not None and before else owner
    except ValueError:
        return None
    prop = None if thing is None else thing.bl_rna.properties.get(name)
    if prop is None or prop.type not in NUMBERS or prop.is_readonly or prop.is_array != (index is not None):
        return None
    return None if index is not None and index >= prop.array_length else (thing, name, index)


def setting(owner: bpy.types.ID | None, path: str) -> float | None:
    """The number that a setting has, 0 or 1 for a tick; None where there is no such setting."""
    found = _found(owner, path)
    if found is None:
        return None
    thing, name, index = found
    value = getattr(thing, name)
    return float(value if index is None else value[index])


def put(owner: bpy.types.ID | None, path: str, value: float) -> None:
    """Give a setting a number; nothing where there is no such setting."""
    found = _found(owner, path)
    if found is None:
        return
    thing, name, index = found
    kind = thing.bl_rna.properties[name].type
    number = value > 0.5 if kind == "BOOLEAN" else round(value) if kind == "INT" else value
    if index is None:
        setattr(thing, name, number)
    else:
        getattr(thing, name)[index] = number


def meant(control: Any, at: float) -> float:
    """The value of the setting where the control stands at a place from 0 to 1."""
    at = float(at > 0.5) if control.kind == "SWITCH" else at
    return float(control.first + at * (control.last - control.first))


def apply(control: Any) -> None:
    """Let the setting be where the control stands."""
    put(control.owner, control.path, meant(control, control.value))


def add_control(scene: bpy.types.Scene, owner: bpy.types.ID, path: str, name: str) -> Any:
    """A control for a setting: a switch for a tick, a slider from nothing to twice what it is for a number."""
    now = setting(owner, path)
    if now is None:
        raise SceneError(
            f"'{name}'", "it is not a number or a tick", "Take one entry of it, such as damping[2]."
        )
    board = scene.redmax.board
    for control in board:
        if control.owner == owner and control.path == path:
            return control
    control = board.add()
    control.name, control.owner, control.path = f"{owner.name} {name}", owner, path
    thing, prop, _ = _found(owner, path)  # type: ignore[misc]
    if thing.bl_rna.properties[prop].type == "BOOLEAN":
        control.kind, control.value = "SWITCH", now
    else:
        control.first, control.last = 0.0, 2.0 * now or 1.0
        control.value = 0.5 if now else 0.0
    return control


def press(scene: bpy.types.Scene, event: str, back: bool = False) -> bool:
    """Do what a key of the keyboard does; whether it does anything."""
    pressed = [control for control in scene.redmax.board if control.key and key_of(control.key) == event]
    for control in pressed:
        if control.kind == "SWITCH":
            control.value = 0.0 if control.value > 0.5 else 1.0
        else:
            control.value = min(max(control.value + (-STEP if back else STEP), 0.0), 1.0)
    return bool(pressed)


def key_of(text: str) -> str:
    """Blender's name of a key that the user typed in; empty for none."""
    text = text.strip().upper()
    if len(text) == 1 and text.isdigit():
        return DIGITS[int(text)]
    return text if (len(text) == 1 and text in LETTERS) or text in (*DIGITS, *ARROWS) else ""
