"""Where a cage is in the start pose: as the bones have carried the skin there, by its weights, from its rest shape."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from ...engine.fem.attach import FREE, spread
from ...engine.model.records import Floats, Ints
from .attach import Holder, to_cage
from .cage import PlacedCage
from .rest_shape import group_weights
from .soft_meshes import deforming_armatures

STILL = 1e-6
"""Motion from rest to the start, in cells, that counts as none."""
LEAST = 1e-3
"""Sum of weights below which a vertex counts as having none."""


def start_positions(
    obj: bpy.types.Object,
    placed: PlacedCage,
    holders: Sequence[Holder],
    body: Ints,
    depsgraph: bpy.types.Depsgraph,
    unit: float,
) -> Floats | None:
    """Cage vertices at the start, in the world [m], shape (nv, 3); None where that is their rest.

    Vertices that a body carries go rigidly with it. The others go as the skin's weights say; where it has none, with a
    blend of the bodies around.
    """
    world = placed.world
    held = body >= 0
    start = _blended(world, placed.cage.corner, holders, body)
    motions, weights = _skin(obj, placed, depsgraph, unit)
    total = weights.sum(axis=1)
    skinned = (total > LEAST) & ~held
    share = weights[skinned] / total[skinned, None]
    start[skinned] = np.einsum("vb,bvi->vi", share, _moved(motions, world[skinned]))
    still = float(np.abs(start - world).max()) < STILL * placed.cage.cell
    return None if still else start


def _moved(motions: Floats, points: Floats) -> Floats:
    """Points (n, 3) after each motion (m, 4, 4), shape (m, n, 3)."""
    return np.asarray(np.einsum("mij,nj->mni", motions[:, :3, :3], points) + motions[:, None, :3, 3])


def _blended(world: Floats, corner: Ints, holders: Sequence[Holder], body: Ints) -> Floats:
    """Attached vertices carried, pinned ones at rest, and the others between them."""
    held = body > FREE
    if not np.any(body >= 0):
        return world.copy()
    places = np.concatenate([_moved(np.stack([h.motion for h in holders]), world), world[None]])
    share = np.zeros((len(world), len(holders) + 1))  # the last one is the world
    share[np.flatnonzero(held), body[held]] = 1.0  # WORLD is -1
    share = np.where(held[:, None], share, spread(corner, len(world), held, share))
    share[share.sum(axis=1) < LEAST, -1] = 1.0  # a part that nothing holds
    share /= share.sum(axis=1, keepdims=True)
    return np.asarray(np.einsum("vh,hvi->vi", share, places))


def _skin(
    obj: bpy.types.Object, placed: PlacedCage, depsgraph: bpy.types.Depsgraph, unit: float
) -> tuple[Floats, Floats]:
    """Motions of the bones that deform the mesh, from rest [m], (nb, 4, 4), and the cage's weights, (nv, nb)."""
    metres = np.diag([unit, unit, unit, 1.0])
    motions, groups = [], []
    for armature in deforming_armatures(obj):
        shown = armature.evaluated_get(depsgraph)
        to_world = metres @ np.array(shown.matrix_world, dtype=float)
        for bone in shown.pose.bones:
            if bone.bone.use_deform and bone.name in obj.vertex_groups:
                change = np.array(bone.matrix @ bone.bone.matrix_local.inverted(), dtype=float)
                motions.append(to_world @ change @ np.linalg.inv(to_world))
                groups.append(bone.name)
    if not motions:
        return np.zeros((0, 4, 4)), np.zeros((len(placed.cage.X), 0))
    return np.stack(motions), to_cage(placed, group_weights(obj, *groups))
