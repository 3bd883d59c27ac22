"""Which vertices of a cage move with which body: those in the core of a bone, by weight, or as the user edited it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree
from numpy.typing import NDArray

from ...engine.fem.cages.attach import FREE, WORLD, attach_by_weight, transfer_to_cage
from ...engine.fem.cages.embed import Embedding
from ...engine.model.records import Floats, Ints
from ..read.settings import read_settings
from ..rig.bodies import is_body
from ..rig.limbs.capsule import capsule_of
from ..rig.rig import physical_bones
from .cage import PlacedCage
from .rest_shape import group_weights
from .soft_meshes import carriers, deforming_armatures, only_bone

FEWEST = 4
"""Cage vertices that a bone carries at least, so that flesh turns with it; fewer would only pull."""
EVEN = 1e-6
"""Distances that differ by less than this, in cells, are equal: a cage is full of equal ones."""
PINNED = 0.5
"""Weight in the pin group from which on a vertex stays where it is."""
PREFIX = "RedMax "
"""Begins the names of vertex groups that say what is attached to a bone, and nothing else."""


@dataclass(frozen=True)
class Holder:
    """A body that may carry flesh, as it is where the flesh is at rest."""

    body: str
    """Its name in the engine."""
    label: str
    """As a user knows it; a bone's is its name."""
    motion: Floats
    """World motion from where the flesh is at rest to the start [m], shape (4, 4)."""
    head: Floats | None = None
    """One end of the axis of a bone's capsule, in the world [m], shape (3,)."""
    tail: Floats | None = None
    radius: float = 0.0
    """[m]"""
    shape: bpy.types.Object | None = None
    """A body that is no bone."""


def read_holders(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, unit: float) -> list[Holder]:
    """All bodies that may carry the flesh: the physical bones of its armatures, or a body that is its parent."""
    found: list[Holder] = []
    for carrier in carriers(obj):
        if carrier.type == "ARMATURE":
            found += _bones(obj, carrier, depsgraph, unit)
            continue
        while carrier is not None and not is_body(carrier):
            carrier = carrier.parent
        if carrier is not None:
            found.append(Holder(carrier.name, carrier.name, np.eye(4), shape=carrier))
    return found


def _bones(
    obj: bpy.types.Object, armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph, unit: float
) -> list[Holder]:
    """Bones where the flesh is at rest: in their rest pose when the armature deforms the mesh, else in their pose."""
    shown = armature.evaluated_get(depsgraph)
    world = np.array(shown.matrix_world, dtype=float)
    metres = np.diag([unit, unit, unit, 1.0])
    deformed = armature in deforming_armatures(obj)
    wanted = only_bone(obj)
    found = []
    for bone in physical_bones(armature):
        if wanted and bone.name != wanted:
            continue
        settings = read_settings(bone, armature)
        pose = np.array(shown.pose.bones[bone.name].matrix, dtype=float)
        rest = np.array(bone.bone.matrix_local, dtype=float) if deformed else pose
        motion = metres @ world @ pose @ np.linalg.inv(world @ rest) @ np.linalg.inv(metres)
        head, tail = (metres @ world @ rest @ np.append(end, 1.0) for end in capsule_of(bone).ends)
        scale = float(np.cbrt(abs(np.linalg.det((world @ rest)[:3, :3])))) * unit
        found.append(
            Holder(
                f"{armature.name}/{bone.name}", bone.name, motion, head[:3], tail[:3], settings.radius * scale
            )
        )
    return found


def automatic(
    obj: bpy.types.Object,
    placed: PlacedCage,
    holders: Sequence[Holder],
    depsgraph: bpy.types.Depsgraph,
    unit: float,
) -> Ints:
    """By the rules, for every cage vertex the number of the holder that carries it, WORLD where pinned, or FREE."""
    by_weight = obj.redmax.flesh.attach_from == "WEIGHTS"
    body = _by_weight(obj, placed, holders) if by_weight else _by_core(obj, placed, holders, depsgraph, unit)
    return _pin(obj, placed, holders, body)


def _pin(obj: bpy.types.Object, placed: PlacedCage, holders: Sequence[Holder], body: Ints) -> Ints:
    """Vertices of the pin group stay with the bone that their skin follows most; where there is none, in the world."""
    group = obj.redmax.flesh.pin_group
    if not group:
        return body
    pinned = to_cage(placed, group_weights(obj, group))[:, 0] >= PINNED
    follows = np.full(len(body), WORLD)
    if holders and deforming_armatures(obj):
        carried = to_cage(placed, group_weights(obj, *(h.label for h in holders)))
        skinned = carried.max(axis=1) > 0.0
        follows[skinned] = np.argmax(carried, axis=1)[skinned]
    body[pinned] = follows[pinned]
    return body


def to_cage(placed: PlacedCage, values: Floats) -> Floats:
    """Numbers painted on the mesh, shape (ns, k), on the vertices of its cage, shape (nv, k)."""
    cage = placed.cage
    weight = placed.weights(placed.local)
    inside = Embedding(cage.corner[cage.tet], weight, cage.tet, np.zeros(len(weight)))
    return transfer_to_cage(inside, cage.corner, len(cage.X), values)


def _by_weight(obj: bpy.types.Object, placed: PlacedCage, holders: Sequence[Holder]) -> Ints:
    if not holders:
        return np.full(len(placed.cage.X), FREE)
    painted = group_weights(obj, *(attachment_group(obj, holder) for holder in holders))
    found = attach_by_weight(to_cage(placed, painted), float(obj.redmax.flesh.threshold))
    return found.of_vertices(len(placed.cage.X))


def attachment_group(obj: bpy.types.Object, holder: Holder) -> str:
    """The vertex group that says where a bone carries the mesh: one of ours, or the bone's own."""
    ours = PREFIX + holder.label
    return ours if ours in obj.vertex_groups else holder.label


def _by_core(
    obj: bpy.types.Object,
    placed: PlacedCage,
    holders: Sequence[Holder],
    depsgraph: bpy.types.Depsgraph,
    unit: float,
) -> Ints:
    """Vertices inside the cores; each holder gets the nearest ones where these are too few."""
    X = placed.world
    body: Ints = np.full(len(X), FREE, np.int64)
    if not holders:
        return body
    core = float(obj.redmax.flesh.core)
    depth = np.stack([_depth(holder, X, core, depsgraph, unit) for holder in holders], axis=1)
    depth = np.round(depth / (EVEN * placed.cage.cell)) * (EVEN * placed.cage.cell)
    deepest = np.argmax(depth, axis=1)
    inside = depth[np.arange(len(X)), deepest] >= 0.0
    body[inside] = deepest[inside]
    for i, holder in enumerate(holders):
        reach = (1.0 - core) * holder.radius + placed.cage.cell
        for level in np.unique(depth[:, i])[::-1]:  # all that are equally near, so that symmetry stays
            if enough(X[body == i], placed.cage.cell) or level < -reach:
                break
            body[(depth[:, i] == level) & (body == FREE)] = i
    return body


def enough(points: Floats, cell: float) -> bool:
    """Whether points (n, 3) hold a body's flesh: some, and not on one line."""
    if len(points) < FEWEST:
        return False
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return bool(spread[1] > 0.25 * cell)


def _depth(
    holder: Holder, X: Floats, core: float, depsgraph: bpy.types.Depsgraph, unit: float
) -> NDArray[np.float64]:
    """How deep points (nv, 3) are inside the part of a body that carries flesh [m], negative outside."""
    if holder.head is None or holder.tail is None:
        return _depth_in_mesh(holder, X, depsgraph, unit)
    axis = holder.tail - holder.head
    along = np.clip((X - holder.head) @ axis / max(float(axis @ axis), 1e-300), 0.0, 1.0)
    return core * holder.radius - np.linalg.norm(X - holder.head - along[:, None] * axis, axis=1)


def _depth_in_mesh(
    holder: Holder, X: Floats, depsgraph: bpy.types.Depsgraph, unit: float
) -> NDArray[np.float64]:
    assert holder.shape is not None
    shown = holder.shape.evaluated_get(depsgraph)
    tree = BVHTree.FromObject(holder.shape, depsgraph)
    to_local, to_world = shown.matrix_world.inverted(), shown.matrix_world
    depth = np.full(len(X), -np.inf)
    for i, point in enumerate(X):
        local = to_local @ Vector(point / unit)
        nearest, normal, _, _ = tree.find_nearest(local)
        if nearest is not None:
            distance = (to_world @ local - to_world @ nearest).length * unit
            depth[i] = distance if (local - nearest).dot(normal) < 0.0 else -distance
    return depth
