"""Settings by owner and path, as a wedge varies them and as takes remember them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from ..rig.bodies import simulated_objects
from ..rig.rig import physical_armatures

_BONE = re.compile(r'^pose\.bones\["(?:[^"\\]|\\.)*"\]\.')


def inner(owner: bpy.types.ID, path: str) -> tuple[Any, str] | None:
    """What has the setting, and the setting's name; None where it is not there."""
    before, _, name = path.rpartition(".")
    try:
        thing = owner.path_resolve(before) if before else owner
    except ValueError:
        return None
    return (thing, name) if name in thing.bl_rna.properties else None


def get(owner: bpy.types.ID, path: str) -> float | None:
    """The number that a setting has; None where it is not there, or is no single number."""
    found = inner(owner, path)
    if found is None:
        return None
    definition = found[0].bl_rna.properties[found[1]]
    if definition.type not in ("FLOAT", "INT") or definition.is_array or definition.is_readonly:
        return None
    return float(getattr(*found))


def put(owner: bpy.types.ID, path: str, value: float) -> bool:
    """Give a setting a number; False where it is not there."""
    if get(owner, path) is None:
        return False
    found = inner(owner, path)
    assert found is not None
    whole = found[0].bl_rna.properties[found[1]].type == "INT"
    setattr(*found, round(value) if whole else value)
    return True


def alike(
    scene: bpy.types.Scene, owner: bpy.types.ID, path: str, everywhere: bool
) -> list[tuple[bpy.types.ID, str]]:
    """The setting, and with `everywhere` the same one of all physical bones or all bodies of the scene."""
    if not everywhere or not isinstance(owner, bpy.types.Object):
        return [(owner, path)]
    of_bone = _BONE.match(path)
    if of_bone:
        rest = path[of_bone.end() :]
        found = [
            (obj, f"{bone.path_from_id()}.{rest}")
            for obj in physical_armatures(scene)
            for bone in obj.pose.bones
            if bone.redmax.physical
        ]
    else:
        found = [(obj, path) for obj in simulated_objects(scene)]
    return found if (owner, path) in found else [(owner, path), *found]


@contextmanager
def tried(changes: list[tuple[bpy.types.ID, str, float]]) -> Iterator[None]:
    """Settings with other values for a while."""
    before = [(owner, path, get(owner, path)) for owner, path, _ in changes]
    automatic = [
        (owner, owner.redmax.auto_substeps) for owner, _, _ in changes if isinstance(owner, bpy.types.Scene)
    ]
    try:
        for owner, path, value in changes:
            put(owner, path, value)
        yield
    finally:
        for owner, path, was in before:
            if was is not None:
                put(owner, path, was)
        for scene, was_automatic in automatic:  # a number of substeps switches it off
            scene.redmax.auto_substeps = was_automatic
