"""Where the skin of each bone is: the part of the meshes that follows it more than any other bone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import bpy
import numpy as np
from numpy.typing import NDArray

from ...read.mesh import skins_of, vertex_positions

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FAINT = 0.05
"""Weights below this, relatively to all of a vertex, say nothing about which bone it belongs to."""


@dataclass
class Piece:
    """One mesh: its vertices in the rest pose, and which bone each follows."""

    points: Floats
    """In the armature's space, shape (n, 3)."""
    triangles: Ints
    """Shape (m, 3)."""
    owner: list[str | None]
    """The bone that each vertex follows most."""


@dataclass
class Patch:
    """The skin of one bone, in the armature's space."""

    points: Floats
    """Shape (n, 3)."""
    weights: Floats
    """Area that each vertex stands for, or one where the mesh has no faces, shape (n,)."""
    triangles: Floats
    """Corners of the faces that belong to it, shape (m, 3, 3)."""


@dataclass
class Skin:
    """All meshes of an armature, as its bones share them."""

    pieces: list[Piece] = field(default_factory=list)
    together: dict[tuple[str, str], float] = field(default_factory=dict)
    """How much of the skin two bones share: the smaller of the two weights, summed over vertices."""
    followed: set[str] = field(default_factory=set)
    """Bones that any vertex or object follows."""

    @property
    def size(self) -> float:
        """Largest side of the box around it; zero without a skin."""
        if not self.pieces:
            return 0.0
        points = np.concatenate([piece.points for piece in self.pieces])
        return float(np.ptp(points, axis=0).max())

    def volume(self) -> float:
        """Of all meshes, as if they were closed, in the armature's units."""
        return float(sum(abs(signed_volume(piece)) for piece in self.pieces))


def read_skin(obj: bpy.types.Object, scene: bpy.types.Scene) -> Skin:
    """Skins that the armature deforms, and objects that are parented to its bones, where they are in the rest pose."""
    skin = Skin()
    to_armature = np.array(obj.matrix_world.inverted_safe())
    bones = {bone.name for bone in obj.data.bones}
    for mesh in skins_of(obj, scene):
        points = _moved(vertex_positions(mesh.data), to_armature @ np.array(mesh.matrix_world))
        names = {group.index: group.name for group in mesh.vertex_groups if group.name in bones}
        owner = [_owner(skin, found) for found in _weights(mesh.data, names)]
        skin.pieces.append(Piece(points, _triangles(mesh.data), owner))
    for rider in scene.objects:
        if rider.parent != obj or rider.parent_type != "BONE" or rider.parent_bone not in bones:
            continue
        if all(o.type == "EMPTY" for o in (rider, *rider.children_recursive)):
            continue  # importers mark the ends of bones with them
        skin.followed.add(rider.parent_bone)
        if rider.type == "MESH" and len(rider.data.vertices):
            bone = obj.pose.bones[rider.parent_bone]
            at_rest = np.array(bone.bone.matrix_local) @ np.linalg.inv(np.array(bone.matrix)) @ to_armature
            points = _moved(vertex_positions(rider.data), at_rest @ np.array(rider.matrix_world))
            skin.pieces.append(Piece(points, _triangles(rider.data), [bone.name] * len(points)))
    return skin


def _moved(points: Floats, matrix: Floats) -> Floats:
    return np.asarray(points @ matrix[:3, :3].T + matrix[:3, 3])


def _weights(mesh: bpy.types.Mesh, names: dict[int, str]) -> Iterator[dict[str, float]]:
    """What each vertex follows, and how much."""
    for vertex in mesh.vertices:
        yield {names[g.group]: g.weight for g in vertex.groups if g.weight > 0.0 and g.group in names}


def _owner(skin: Skin, weights: dict[str, float]) -> str | None:
    """The bone that a vertex follows most, having noted who shares it."""
    skin.followed.update(weights)
    if not weights:
        return None
    total = sum(weights.values())
    strong = [name for name, weight in weights.items() if weight > FAINT * total]
    for i, a in enumerate(strong):
        for b in strong[i + 1 :]:
            key = (a, b) if a < b else (b, a)
            skin.together[key] = skin.together.get(key, 0.0) + min(weights[a], weights[b])
    return max(weights, key=lambda name: weights[name])


def _triangles(mesh: bpy.types.Mesh) -> Ints:
    mesh.calc_loop_triangles()
    flat = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
    mesh.loop_triangles.foreach_get("vertices", flat)
    return flat.reshape(-1, 3).astype(np.int64)


def signed_volume(piece: Piece) -> float:
    """Of a mesh, about the middle of its vertices: an opening in it counts as closed by a cone from there."""
    corners = piece.points[piece.triangles] - piece.points.mean(axis=0)
    cross = np.cross(corners[:, 1], corners[:, 2])
    return float(np.einsum("ij,ij->", corners[:, 0], cross) / 6.0)


def patches(skin: Skin, carrier: dict[str, str]) -> dict[str, Patch]:
    """The skin of each body. carrier: the body that each bone of the armature moves with."""
    points: dict[str, list[Floats]] = {}
    weights: dict[str, list[Floats]] = {}
    triangles: dict[str, list[Floats]] = {}
    for piece in skin.pieces:
        bodies = [carrier.get(name) if name is not None else None for name in piece.owner]
        names = sorted({name for name in bodies if name is not None})
        number = {name: i for i, name in enumerate(names)}
        owner = np.array([number.get(name, -1) if name is not None else -1 for name in bodies])
        area = _vertex_areas(piece)
        corners = owner[piece.triangles]
        # A face belongs to the bone that two of its corners follow, or to that of its first.
        face = np.where(corners[:, 1] == corners[:, 2], corners[:, 1], corners[:, 0])
        for i, name in enumerate(names):
            mine = owner == i
            points.setdefault(name, []).append(piece.points[mine])
            weights.setdefault(name, []).append(area[mine])
            triangles.setdefault(name, []).append(piece.points[piece.triangles[face == i]])
    return {
        name: Patch(*(np.concatenate(rows[name]) for rows in (points, weights, triangles))) for name in points
    }


def _vertex_areas(piece: Piece) -> Floats:
    """A third of the faces around each vertex, shape (n,); ones where there are no faces."""
    area = np.zeros(len(piece.points))
    if len(piece.triangles):
        corners = piece.points[piece.triangles]
        cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        np.add.at(area, piece.triangles, np.linalg.norm(cross, axis=1)[:, None] / 6.0)
    return area if area.any() else np.ones(len(area))
