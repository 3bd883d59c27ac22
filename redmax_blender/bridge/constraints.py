"""Constraints that would override a simulated pose are muted while there is one, and restored after."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy

from .parts import Part, name_of, parts_of

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
    return muted


def restore(obj: bpy.types.Object) -> None:
    """Unmute what `mute` muted, and forget about it."""
    for part in parts_of(obj):
        _set_mute(part, False)
        if part.redmax.muted:
            part.redmax.muted = ""


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
    for name in part.redmax.muted.splitlines():
        if name in part.constraints:
            part.constraints[name].mute = value


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
