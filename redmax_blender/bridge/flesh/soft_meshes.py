"""Which mesh objects are flesh, and what carries each. Light enough for panels and polls."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np

from ..read.present import present

MODIFIER = "RedMax Flesh"
"""Name of the modifier that shows a recording (`show.py`)."""
PARENT = "parent"
"""Stands for the parent among what is switched off."""


def is_soft(obj: bpy.types.Object | None) -> bool:
    """True for a mesh object that is an elastic body."""
    return obj is not None and obj.type == "MESH" and obj.redmax.flesh.soft


def soft_meshes(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The scene's flesh, in order of name."""
    return sorted((obj for obj in present(scene) if is_soft(obj)), key=lambda obj: obj.name)


def deforming_armatures(obj: bpy.types.Object) -> list[bpy.types.Object]:
    """Armatures that deform the mesh, by modifier or by parenting; switched off or not."""
    found = [m.object for m in obj.modifiers if m.type == "ARMATURE" and m.object is not None]
    if obj.parent is not None and obj.parent.type == "ARMATURE" and deforms_by_parent(obj):
        found.append(obj.parent)
    return list(dict.fromkeys(found))


def deforms_by_parent(obj: bpy.types.Object) -> bool:
    """Whether its parent deforms the mesh, Blender's older way; also while that is switched off (`deformers`)."""
    return obj.parent_type == "ARMATURE" or PARENT in json.loads(obj.redmax.flesh.paused or "{}")


def carriers(obj: bpy.types.Object) -> list[bpy.types.Object]:
    """What the flesh may be attached to: what the user chose, the armatures that deform it, or its parent."""
    chosen = obj.redmax.flesh.carrier
    if chosen is not None:
        return [chosen]
    armatures = deforming_armatures(obj)
    if armatures or obj.parent is None:
        return armatures
    return [obj.parent]


def only_bone(obj: bpy.types.Object) -> str:
    """The one bone that carries the flesh because it is parented to it; empty when any bone may."""
    on_bone = obj.parent is not None and obj.parent_type == "BONE" and not deforming_armatures(obj)
    return str(obj.parent_bone) if on_bone and carriers(obj) == [obj.parent] else ""


def flesh_content(obj: bpy.types.Object) -> Iterator[Any]:
    """What a simulation of the flesh depends on besides its shape and settings: groups, deformers, tetrahedra."""
    yield [armature.name for armature in deforming_armatures(obj)]
    for name in (
        "redmax_tets",
        "redmax_fill",
        "redmax_start",
    ):  # a mesh with tetrahedra of its own (`own_tets`)
        yield np.array(obj.data.get(name, ())).tobytes()
    cage = obj.redmax.flesh.cage
    for mesh in filter(None, (obj, cage)):
        yield [group.name for group in mesh.vertex_groups]
        yield [(e.group, e.weight) for vertex in mesh.data.vertices for e in vertex.groups]


def shape_keys(obj: bpy.types.Object) -> Iterator[Any]:
    """Shape keys of a mesh, without those that a bake has added."""
    keys = obj.data.shape_keys
    for block in keys.key_blocks if keys is not None and not obj.redmax.flesh.baked else ():
        shape = np.empty(3 * len(block.data), np.float32)
        block.data.foreach_get("co", shape)
        yield block.name, block.mute, block.relative_key.name, block.vertex_group
        yield shape.tobytes()
        if keys.animation_data is None:
            yield block.value
