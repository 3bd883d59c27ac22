"""Constraints and drivers that would override a simulated pose are muted while there is one, and restored after.

Drivers run after we have written a pose, and would write over it. A part notes what was muted line by line: the names
of constraints, and drivers as their channel and index behind tabs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy

from ..bake.channels import CHANNELS
from .parts import Part, channel_path, name_of, parts_of

CHAINS = ("IK", "SPLINE_IK")


def mute(obj: bpy.types.Object, simulated: set[str]) -> list[str]:
    """Mute what poses the simulated parts; remembered in their settings. Returns "part: constraint" of each."""
    muted = []
    for part in parts_of(obj):
        for constraint in part.constraints:
            if not constraint.mute and _poses(part, constraint, simulated):
                constraint.mute = True
                part.redmax.muted = "\n".join([*part.redmax.muted.splitlines(), constraint.name])
                muted.append(f"{part.name}: {constraint.name}")
        if name_of(part) in simulated:
            for driver in _drivers(part):
                if not driver.mute:
                    driver.mute = True
                    line = f"\t{driver.data_path.rpartition('.')[2]}\t{driver.array_index}"
                    part.redmax.muted = "\n".join([*part.redmax.muted.splitlines(), line])
                    muted.append(f"{part.name}: driver of {driver.data_path.rpartition('.')[2]}")
    return muted


def restore(obj: bpy.types.Object) -> None:
    """Unmute what `mute` muted, and forget about it."""
    for part in parts_of(obj):
        _set_mute(part, False)
        if part.redmax.muted:
            part.redmax.muted = ""


def unmute_for_now(part: Part) -> None:
    """Unmute what `mute` muted on a part, and keep the note of it."""
    _set_mute(part, False)


def mute_again(obj: bpy.types.Object) -> None:
    """Mute what is noted: the recording is shown again."""
    for part in parts_of(obj):
        _set_mute(part, True)


@contextmanager
def unmuted(obj: bpy.types.Object) -> Iterator[None]:
    """For a while, all as it was before `mute`."""
    for part in parts_of(obj):
        _set_mute(part, False)
    try:
        yield
    finally:
        for part in parts_of(obj):
            _set_mute(part, True)


def _set_mute(part: Part, value: bool) -> None:
    lines = part.redmax.muted.splitlines()
    for name in lines:
        if name in part.constraints:
            part.constraints[name].mute = value
    if any(line.startswith("\t") for line in lines):
        for driver in _drivers(part):
            if f"\t{driver.data_path.rpartition('.')[2]}\t{driver.array_index}" in lines:
                driver.mute = value


def _drivers(part: Part) -> list[bpy.types.FCurve]:
    """Drivers of the channels that a recording writes."""
    data = part.id_data.animation_data
    if data is None or not data.drivers:
        return []
    paths = {channel_path(part, channel) for channel, _ in CHANNELS}
    return [driver for driver in data.drivers if driver.data_path in paths]


def _poses(part: Part, constraint: bpy.types.Constraint, simulated: set[str]) -> bool:
    """True when the constraint, which is on `part`, moves a simulated part."""
    if name_of(part) in simulated:
        return True
    if constraint.type not in CHAINS:
        return False
    above = part.parent_recursive
    count = constraint.chain_count  # the bone itself is one of them; 0 means all the way up
    chain = above if count == 0 else above[: count - 1]
    return any(link.name in simulated for link in chain)
