"""Constraints that would override a simulated pose are muted while there is one, and restored after."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy

CHAINS = ("IK", "SPLINE_IK")


def mute(obj: bpy.types.Object, simulated: set[str]) -> list[str]:
    """Mute what poses the simulated bones; remembered in the bones' settings. Returns "bone: constraint" of each."""
    muted = []
    for bone in obj.pose.bones:
        for constraint in bone.constraints:
            if not constraint.mute and _poses(bone, constraint, simulated):
                constraint.mute = True
                bone.redmax.muted = "\n".join([*bone.redmax.muted.splitlines(), constraint.name])
                muted.append(f"{bone.name}: {constraint.name}")
    return muted


def restore(obj: bpy.types.Object) -> None:
    """Unmute what `mute` muted, and forget about it."""
    for bone in obj.pose.bones:
        _set_mute(bone, False)
        if bone.redmax.muted:
            bone.redmax.muted = ""


@contextmanager
def unmuted(obj: bpy.types.Object) -> Iterator[None]:
    """For a while, all as it was before `mute`."""
    for bone in obj.pose.bones:
        _set_mute(bone, False)
    try:
        yield
    finally:
        for bone in obj.pose.bones:
            _set_mute(bone, True)


def _set_mute(bone: bpy.types.PoseBone, value: bool) -> None:
    for name in bone.redmax.muted.splitlines():
        if name in bone.constraints:
            bone.constraints[name].mute = value


def _poses(bone: bpy.types.PoseBone, constraint: bpy.types.Constraint, simulated: set[str]) -> bool:
    """True when the constraint, which is on `bone`, moves a simulated bone."""
    if bone.name in simulated:
        return True
    if constraint.type not in CHAINS:
        return False
    above = bone.parent_recursive
    count = constraint.chain_count  # the bone itself is one of them; 0 means all the way up
    chain = above if count == 0 else above[: count - 1]
    return any(link.name in simulated for link in chain)
