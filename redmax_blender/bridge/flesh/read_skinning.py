"""Who carries the vertices of a soft mesh and of its cage, and how much, from groups, armatures and attachments."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
from scipy.sparse import csr_matrix

from ...engine.model.records import Floats, Ints
from ..rig.rig import is_physical
from .attach import Holder, to_cage
from .cage import PlacedCage
from .rest_shape import group_weights
from .skinning import Carrier, Skinning, world_of
from .soft_meshes import deforming_armatures

LEAST = 1e-3
"""Sum of weights below which a cage vertex counts as having none."""
NO_WEIGHT = 1e-4
"""Likewise of a mesh's vertex, as in Blender."""


def read_skinning(
    obj: bpy.types.Object,
    placed: PlacedCage,
    holders: Sequence[Holder],
    shares: Floats,
    depsgraph: bpy.types.Depsgraph,
    unit: float,
) -> Skinning | None:
    """None where no simulated armature deforms the mesh, or something else carries its flesh.

    shares: parts of the cage's vertices that go with each holder, with each deforming bone in the order of
    `skin_bones`, and that stay, as `cage_shares` says, shape (nv, holders + bones + 1).
    """
    armatures = deforming_armatures(obj)
    if not armatures or not all(is_physical(armature) for armature in armatures):
        return None
    if any(holder.shape is not None for holder in holders):
        return None
    bones = skin_bones(obj, depsgraph)
    names = [(armature.name, bone.name) for armature, bone in bones]
    for holder in holders:
        name = tuple(holder.body.split("/", 1))
        if name not in names:
            names.append((name[0], name[1]))
    column = {name: i for i, name in enumerate(names)}
    into = np.zeros((shares.shape[1], len(names) + 1))
    for i, holder in enumerate(holders):
        armature, bone_name = holder.body.split("/", 1)
        into[i, column[armature, bone_name]] = 1.0
    for i, (armature, bone) in enumerate(bones):
        into[len(holders) + i, column[armature.name, bone.name]] = 1.0
    into[-1, -1] = 1.0
    weights = group_weights(obj, *(bone.name for _, bone in bones))
    total = weights.sum(axis=1)
    some = total > NO_WEIGHT
    skin = np.zeros((len(weights), len(names) + 1))
    skin[some, : len(bones)] = weights[some] / total[some, None]
    by_name = {armature.name: armature for armature in armatures}
    worlds = {name: world_of(armature, depsgraph, unit) for name, armature in by_name.items()}
    if any(armature not in worlds for armature, _ in names):
        return None
    carriers = tuple(_carrier(by_name[a], b, worlds[a], depsgraph) for a, b in names)
    return Skinning(carriers, csr_matrix(skin), csr_matrix(shares @ into), worlds, unit)


def skin_bones(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> list[tuple[bpy.types.Object, bpy.types.PoseBone]]:
    """The armatures' bones that deform the mesh, as the depsgraph shows them."""
    found = []
    for armature in deforming_armatures(obj):
        for bone in armature.evaluated_get(depsgraph).pose.bones:
            if bone.bone.use_deform and bone.name in obj.vertex_groups:
                found.append((armature, bone))
    return found


def _carrier(armature: bpy.types.Object, name: str, world: Floats, depsgraph: bpy.types.Depsgraph) -> Carrier:
    shown = armature.evaluated_get(depsgraph).pose.bones
    bone = armature.pose.bones[name]
    above = next((b.name for b in (bone, *bone.parent_recursive) if b.redmax.physical), "")
    return Carrier(
        armature.name,
        name,
        np.linalg.inv(world @ np.array(bone.bone.matrix_local, dtype=float)),
        world @ np.array(shown[name].matrix, dtype=float),
        above,
        np.array(shown[above].matrix, dtype=float) if above else np.eye(4),
    )


def cage_shares(
    obj: bpy.types.Object,
    placed: PlacedCage,
    body: Ints,
    between: Floats,
    depsgraph: bpy.types.Depsgraph,
) -> Floats:
    """Parts of cage vertices that go with holders, with the bones of the skin, and that stay; rows add up to 1.

    body: who holds each vertex rigidly, if any. between: parts of holders and of the world, (nv, holders + 1), for
    those that no skin says anything about.
    """
    bones = skin_bones(obj, depsgraph)
    count = between.shape[1] - 1
    shares = np.zeros((len(between), count + len(bones) + 1))
    shares[:, :count], shares[:, -1] = between[:, :count], between[:, -1]
    if bones:
        weights = to_cage(placed, group_weights(obj, *(bone.name for _, bone in bones)))
        total = weights.sum(axis=1)
        skinned = (total > LEAST) & ~(body >= 0)
        shares[skinned] = 0.0
        shares[skinned, count:-1] = weights[skinned] / total[skinned, None]
    return shares
