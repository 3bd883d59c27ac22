"""Where a cage is in the start pose: as the bones have carried the skin there, by its weights, from its rest shape."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from ...engine.fem.cages.attach import FREE, spread
from ...engine.model.records import Floats, Ints
from .attach import Holder
from .cage import PlacedCage
from .read_skinning import LEAST, cage_shares, skin_bones
from .skinning import world_of

STILL = 1e-6
"""Motion from rest to the start, in cells, that counts as none."""


def start_positions(
    obj: bpy.types.Object,
    placed: PlacedCage,
    holders: Sequence[Holder],
    body: Ints,
    depsgraph: bpy.types.Depsgraph,
    unit: float,
) -> tuple[Floats | None, Floats]:
    """Cage vertices at the start, in the world [m], shape (nv, 3), None where that is their rest; and their shares.

    Vertices that a body carries go rigidly with it. The others go as the skin's weights say; where it has none, with a
    blend of the bodies around. Shares: with which holder, bone of the skin, or none each vertex goes, and how much.
    """
    world = placed.world
    shares = cage_shares(
        obj, placed, body, _between(placed.cage.corner, len(world), len(holders), body), depsgraph
    )
    motions = [holder.motion for holder in holders] + _bone_motions(obj, depsgraph, unit) + [np.eye(4)]
    start = np.einsum("vh,hvi->vi", shares, _moved(np.stack(motions), world))
    still = float(np.abs(start - world).max()) < STILL * placed.cage.cell
    return (None if still else start), shares


def _moved(motions: Floats, points: Floats) -> Floats:
    """Points (n, 3) after each motion (m, 4, 4), shape (m, n, 3)."""
    return np.asarray(np.einsum("mij,nj->mni", motions[:, :3, :3], points) + motions[:, None, :3, 3])


def _between(corner: Ints, nv: int, count: int, body: Ints) -> Floats:
    """Parts of holders, and of the world, (nv, count + 1): attached vertices have one, the others are between them."""
    held = body > FREE
    share = np.zeros((nv, count + 1))  # the last one is the world
    if np.any(body >= 0):
        share[np.flatnonzero(held), body[held]] = 1.0  # WORLD is -1
        share = np.where(held[:, None], share, spread(corner, nv, held, share))
    share[share.sum(axis=1) < LEAST, -1] = 1.0  # a part that nothing holds
    return np.asarray(share / share.sum(axis=1, keepdims=True))


def _bone_motions(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, unit: float) -> list[Floats]:
    """Motions of the bones that deform the mesh, from rest [m], each (4, 4)."""
    found = []
    for armature, bone in skin_bones(obj, depsgraph):
        to_world = world_of(armature, depsgraph, unit)
        change = np.array(bone.matrix @ bone.bone.matrix_local.inverted(), dtype=float)
        found.append(to_world @ change @ np.linalg.inv(to_world))
    return found
