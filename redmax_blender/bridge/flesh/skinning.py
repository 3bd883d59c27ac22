"""What a cage is too coarse for: the difference between the skin as its bones carry it and the cage as they carry it.

Where flesh does nothing but follow its bones, the mesh is exactly where its armature would put it, at any size of the
cage and in any pose; what flesh does beyond that, the cage adds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from scipy.sparse import csr_matrix

from ...engine.model.records import Floats, Ints
from ..recording.cache import Track
from ..rig.rig import is_physical
from .attach import Holder, to_cage
from .cage import PlacedCage
from .rest_shape import group_weights
from .soft_meshes import deforming_armatures

LEAST = 1e-3
"""Sum of weights below which a cage vertex counts as having none."""
NO_WEIGHT = 1e-4
"""Likewise of a mesh's vertex, as in Blender."""


@dataclass(frozen=True)
class Carrier:
    """A bone that carries skin."""

    armature: str
    bone: str
    rest: Floats
    """From the world [m] into the bone, both at rest, shape (4, 4)."""
    start: Floats
    """Its pose in the world at the start [m], shape (4, 4)."""
    above: str
    """The simulated bone that it moves with: itself, or the nearest one above; empty for none."""
    above_start: Floats
    """That one's pose in the armature's space at the start, shape (4, 4)."""


@dataclass(frozen=True)
class Skinning:
    """Who carries the vertices of a mesh and of its cage, and how much."""

    carriers: tuple[Carrier, ...]
    skin: csr_matrix
    """Parts of a mesh's vertices that move with each carrier, shape (ns, nb + 1); none where no weight says which."""
    cage: csr_matrix
    """Likewise of the cage's vertices, and in the last column what stays, shape (nv, nb + 1)."""
    worlds: Mapping[str, Floats]
    """Where each armature is at the start [m], shape (4, 4)."""
    unit: float
    """Metres a Blender unit."""

    @property
    def armatures(self) -> list[str]:
        return list(self.worlds)

    def motions(self, poses: Mapping[tuple[str, str], Floats], worlds: Mapping[str, Floats]) -> Floats:
        """Motion of each carrier from rest, and none for what stays, rows of 3 by 4, shape (nb + 1, 12).

        poses: of simulated bones in their armature's space, by names of armature and bone, shape (4, 4). worlds: where
        armatures are [m], for those that move.
        """
        rows = np.empty((len(self.carriers) + 1, 12))
        rows[-1] = np.eye(4)[:3].ravel()
        for i, carrier in enumerate(self.carriers):
            now = poses.get((carrier.armature, carrier.above))
            world = worlds.get(carrier.armature, self.worlds[carrier.armature])
            if now is None:
                local = np.linalg.inv(self.worlds[carrier.armature]) @ carrier.start
            else:
                before = np.linalg.inv(self.worlds[carrier.armature]) @ carrier.start
                local = now @ np.linalg.inv(carrier.above_start) @ before
            rows[i] = (world @ local @ carrier.rest)[:3].ravel()
        return rows


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


def world_of(armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph, unit: float) -> Floats:
    """Where an armature is in the world [m], with the unit of its own space in it, shape (4, 4)."""
    metres = np.diag([unit, unit, unit, 1.0])
    return np.asarray(metres @ np.array(armature.evaluated_get(depsgraph).matrix_world, dtype=float))


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


def poses_at(tracks: Mapping[str, Track], frame: int) -> dict[tuple[str, str], Floats]:
    """Poses of all simulated bones at a frame of a recording."""
    return {
        (name, bone): track.pose[min(frame, len(track.pose) - 1), i]
        for name, track in tracks.items()
        for i, bone in enumerate(track.bones)
    }


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


class Difference:
    """Skin less cage, as the bones carry both, turned with what the flesh does besides."""

    def __init__(self, skinning: Skinning, placed: PlacedCage) -> None:
        self.skinning, self.placed = skinning, placed
        cage = placed.cage
        self.corner = cage.corner
        self.at = cage.corner[cage.tet]
        rest = placed.world
        edges = (rest[self.corner[:, 1:]] - rest[self.corner[:, :1]]).transpose(0, 2, 1)
        volume = np.abs(np.linalg.det(edges))
        self.inverse = np.linalg.inv(edges)
        self.known = np.asarray(skinning.skin.sum(axis=1)) > 0.5
        nt = len(self.corner)
        rows, columns = self.corner.ravel(), np.repeat(np.arange(nt), 4)
        around = csr_matrix((np.repeat(volume, 4), (rows, columns)), shape=(len(rest), nt))
        whole = np.asarray(around.sum(axis=1)).ravel()
        self.mean = csr_matrix((1.0 / whole, (np.arange(len(rest)), np.arange(len(rest))))) @ around

    def add(self, world: Floats, local: Floats, weight: Floats, x: Floats, motions: Floats) -> Floats:
        """Positions of the mesh in the world [m], with what the cage alone has not.

        world: by the cage alone; local: the mesh at rest in its object's space; weight: of the cage's corners; shapes
        (ns, 3), (ns, 3), (ns, 4). x: the cage in the world [m], shape (nv, 3). motions: `Skinning.motions`.
        """
        placed = self.placed
        rest = local @ placed.stretch.T @ placed.frame[:3, :3].T + placed.frame[:3, 3]
        skin = moved(self.skinning.skin, motions, rest)
        cage = moved(self.skinning.cage, motions, placed.world)
        apart = np.where(self.known, skin - np.einsum("sk,skc->sc", weight, cage[self.at]), 0.0)
        turns = self.rotations(x) @ self.rotations(cage).transpose(0, 2, 1)
        turn = np.einsum("sk,skij->sij", weight_inside(weight), turns[self.at])
        return world + np.einsum("sij,sj->si", turn, apart)

    def rotations(self, x: Floats) -> Floats:
        """How the cage is turned around each of its vertices, from rest, shape (nv, 3, 3)."""
        edges = (x[self.corner[:, 1:]] - x[self.corner[:, :1]]).transpose(0, 2, 1)
        stretch = (edges @ self.inverse).reshape(-1, 9)
        U, _, V = np.linalg.svd((self.mean @ stretch).reshape(-1, 3, 3))
        mirrored = np.linalg.det(U @ V) < 0.0
        U[mirrored, :, 2] *= -1.0
        return np.asarray(U @ V)


def moved(shares: csr_matrix, motions: Floats, points: Floats) -> Floats:
    """Points (n, 3) with the mix of motions (m, 12) that their shares (n, m) give."""
    blend = np.asarray(shares @ motions).reshape(-1, 3, 4)
    return np.asarray(np.einsum("nij,nj->ni", blend[:, :, :3], points) + blend[:, :, 3])


def weight_inside(weight: Floats) -> Floats:
    """Weights without negative ones, as for a point of the tetrahedron itself, shape (ns, 4)."""
    inside = np.clip(weight, 0.0, None)
    return np.asarray(inside / inside.sum(axis=1, keepdims=True))
