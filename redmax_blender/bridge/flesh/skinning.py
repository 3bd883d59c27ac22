"""What a cage is too coarse for: the difference between the skin as its bones carry it and the cage as they carry it.

Where flesh does nothing but follow its bones, the mesh is exactly where its armature would put it, at any size of the
cage and in any pose; what flesh does beyond that, the cage adds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy
import numpy as np
from numpy.typing import NDArray

from ..recording.cache import Track

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix  # slow to load, and registering must not wait for it

    from .cage import PlacedCage

Floats = NDArray[np.float64]


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


def world_of(armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph, unit: float) -> Floats:
    """Where an armature is in the world [m], with the unit of its own space in it, shape (4, 4)."""
    metres = np.diag([unit, unit, unit, 1.0])
    return np.asarray(metres @ np.array(armature.evaluated_get(depsgraph).matrix_world, dtype=float))


def poses_at(tracks: Mapping[str, Track], frame: int) -> dict[tuple[str, str], Floats]:
    """Poses of all simulated bones at a frame of a recording."""
    return {
        (name, bone): track.pose[min(frame, len(track.pose) - 1), i]
        for name, track in tracks.items()
        for i, bone in enumerate(track.bones)
    }


class Difference:
    """Skin less cage, as the bones carry both, turned with what the flesh does besides."""

    def __init__(self, skinning: Skinning, placed: PlacedCage) -> None:
        from scipy.sparse import csr_matrix

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
