"""Settings and animation of data-blocks as plain values that can be hashed, for `fingerprint.py`.

What animation moves differs from frame to frame: of it the curves, strips and drivers count, not the value that the
current frame shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import bpy
import numpy as np

from ..bake.actions import HAS_SLOTS, curves_in
from ..bake.keys import Keys

SHOWN_ONLY = {
    "rna_type", "active", "show_expanded", "show_on_cage", "show_in_editmode", "is_active", "is_valid", "is_name_valid",
    "is_simple_expression", "is_fallback_used", "is_override_data", "error_location", "error_rotation", "enabled",
    "execution_time", "persistent_uid", "use_pin_to_last", "select", "select_left_handle", "select_right_handle",
    "is_bound", "is_cached", "is_external", "name", "color", "color_mode", "lock", "hide",
}  # fmt: skip
"""Properties that say how Blender shows something, or what it found out about it."""
CHANNEL = re.compile(
    r"(?:^|\.)(?:delta_)?(?:location|rotation_\w+|scale|matrix\w*)(?:\[\d\]|\.[wxyz])?$|frame_\w+$"
)
"""Paths that a driver may read: transforms, which count with their object, and the current frame."""


_known: dict[str, list[tuple[str, str]]] = {}


def animated_in(owner: bpy.types.ID | None) -> set[str]:
    """Data paths of a data-block that its action, its NLA strips or drivers move."""
    data = getattr(owner, "animation_data", None)
    if data is None:
        return set()
    paths = {curve.data_path for curve in (*_own_curves(data), *data.drivers)}
    for strip in _strips(data):
        if strip.action is not None:
            paths |= {curve.data_path for curve in _strip_curves(strip)}
    return paths


def animation(data: bpy.types.AnimData | None, unmuted: set[tuple[str, int]] = frozenset()) -> Iterator[Any]:
    """What an action, NLA strips and drivers do; `unmuted`: drivers that count as switched on."""
    if data is None:
        return
    yield from curves(_own_curves(data))
    if data.action is not None and data.use_nla:
        yield data.action_blend_type, data.action_influence, data.action_extrapolation
    for driver in data.drivers:
        on = not driver.mute or (driver.data_path, driver.array_index) in unmuted
        yield driver.data_path, driver.array_index, on
        yield from _curve(driver)
        yield tuple(values(driver.driver))
        for variable in driver.driver.variables:
            yield variable.name, tuple(values(variable))
            yield from ((*values(target), _read_by(target)) for target in variable.targets)
    for track in data.nla_tracks if data.use_nla else ():
        yield track.mute, track.is_solo
    for strip in _strips(data):
        timed = {name for name in ("influence", "strip_time") if getattr(strip, f"use_animated_{_of(name)}")}
        yield tuple(values(strip, SHOWN_ONLY | timed))
        yield from curves(strip.fcurves)
        yield from (tuple(values(modifier)) for modifier in strip.modifiers)
        if strip.action is not None:
            yield from curves(_strip_curves(strip))


def curves(found: Iterable[bpy.types.FCurve]) -> Iterator[Any]:
    for curve in found:
        yield curve.data_path, curve.array_index, curve.mute
        yield from _curve(curve)


def driven_by(data: bpy.types.AnimData | None) -> Iterator[bpy.types.ID]:
    """Data-blocks that drivers read."""
    for driver in data.drivers if data is not None else ():
        for variable in driver.driver.variables:
            yield from (target.id for target in variable.targets if target.id is not None)


def values(
    thing: Any, left_out: set[str] = frozenset(SHOWN_ONLY), animated: set[str] = frozenset(), path: str = ""
) -> Iterator[Any]:
    """Names and values of properties; those of groups among them too.

    animated: data paths that are left out as well; `path` is that of `thing` itself.
    """
    for name, kind in _names(thing.bl_rna):
        if name in left_out or (animated and f"{path}.{name}" in animated):
            continue
        value = getattr(thing, name)
        if kind == "POINTER":
            if isinstance(value, bpy.types.PropertyGroup):
                yield from values(value, left_out, animated, f"{path}.{name}")
            elif isinstance(value, bpy.types.ID):
                yield name, value.name
        elif isinstance(value, (str, int, float, bool)):
            yield name, value
        elif isinstance(value, set):
            yield name, sorted(value)
        elif hasattr(value, "__len__"):
            rows = [tuple(v) if hasattr(v, "__len__") and not isinstance(v, str) else v for v in value]
            yield name, repr(rows)


def custom_values(owner: Any, animated: set[str], path: str = "") -> Iterator[Any]:
    """Custom properties, which drivers read."""
    for name, value in owner.items():
        if name.startswith(("redmax", "_", "cycles")):
            continue
        value = value.to_list() if hasattr(value, "to_list") else value
        own = f'{path}["{bpy.utils.escape_identifier(name)}"]'
        if isinstance(value, (str, int, float, bool, list)) and own not in animated:
            yield name, value


def numbers(items: Any, name: str, width: int, kind: type = np.float32) -> bytes:
    """One property of all items of a collection."""
    found = np.empty(width * len(items), kind)
    items.foreach_get(name, found)
    return found.tobytes()


def _names(rna: bpy.types.Struct) -> list[tuple[str, str]]:
    """Names and types of the properties that are no collections; asking Blender takes longer than the values."""
    if rna.identifier not in _known:
        _known[rna.identifier] = [(p.identifier, p.type) for p in rna.properties if p.type != "COLLECTION"]
    return _known[rna.identifier]


def _of(name: str) -> str:
    return {"strip_time": "time"}.get(name, name)


def _own_curves(data: bpy.types.AnimData) -> list[bpy.types.FCurve]:
    return [] if data.action is None else curves_in(data.action, data.action_slot if HAS_SLOTS else None)


def _strip_curves(strip: bpy.types.NlaStrip) -> list[bpy.types.FCurve]:
    return curves_in(strip.action, strip.action_slot if HAS_SLOTS else None)


def _strips(data: bpy.types.AnimData) -> Iterator[bpy.types.NlaStrip]:
    """All strips, those inside meta strips too."""
    found = [strip for track in data.nla_tracks for strip in track.strips] if data.use_nla else []
    for strip in found:
        yield strip
        found.extend(strip.strips)


def _curve(curve: bpy.types.FCurve) -> Iterator[Any]:
    """Shape of a curve."""
    yield curve.extrapolation
    yield from (keys.tobytes() for keys in Keys.read(curve).fields.values())
    for modifier in curve.modifiers:
        yield modifier.type, tuple(values(modifier))
        for point in getattr(modifier, "control_points", ()):
            yield point.frame, point.min, point.max


def _read_by(target: bpy.types.DriverTarget) -> Any:
    """The value that a driver reads from a path, unless that is animated itself or counts with its object."""
    path = target.data_path
    if target.id is None or not path or CHANNEL.search(path) or path in animated_in(target.id):
        return None
    try:
        value = target.id.path_resolve(path)
    except ValueError:
        return None
    return value if isinstance(value, (str, int, float, bool)) else None
