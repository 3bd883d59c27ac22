"""The cage of a soft mesh: made from the mesh at rest, and kept until the mesh or the size changes.

It lives in the object's own axes, scaled to metres, so that it stays the same wherever the object goes.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SceneError
from ..motion.rotations import nearest_rotation
from .cage_worker import BuiltCage, build_cage, build_cage_apart
from .rest_shape import rest_shape, triangles_of

Floats = NDArray[np.float64]

KEPT = 32
"""Cages that stay in memory."""

TETS = "redmax_tets"
"""Custom property of a mesh that brings its own tetrahedra."""
_memory: OrderedDict[str, BuiltCage] = OrderedDict()


@dataclass(frozen=True)
class PlacedCage:
    """A cage and where it is in the world."""

    cage: BuiltCage
    local: Floats
    """The mesh's vertices at rest in the object's space, shape (ns, 3)."""
    stretch: Floats
    """From the object's space to the cage's [m], shape (3, 3): its scale, without its rotation."""
    frame: Floats
    """World pose of the cage's space [m], shape (4, 4)."""

    @property
    def world(self) -> Floats:
        """Cage vertices in the world [m], shape (nv, 3)."""
        return np.asarray(self.cage.X @ self.frame[:3, :3].T + self.frame[:3, 3])

    @property
    def text(self) -> str:
        """Its size and quality, for the panel."""
        c = self.cage
        angles = f"{c.least_angle:.0f}° to {c.greatest_angle:.0f}°"
        return f"{len(c.X)} vertices, {len(c.corner)} tetrahedra, angles {angles}"

    def weights(self, local: Floats) -> Floats:
        """Barycentric weights of the mesh's vertices, each in its tetrahedron, shape (ns, 4).

        local: where they are at rest, in the object's space (ns, 3): as in `local`, or moved by shape keys since.
        """
        corners = self.cage.X[self.cage.corner[self.cage.tet]]
        edges = (corners[:, 1:] - corners[:, :1]).transpose(0, 2, 1)
        offset = local @ self.stretch.T - corners[:, 0]
        rest = np.linalg.solve(edges, offset[:, :, None])[:, :, 0]
        return np.concatenate([1.0 - rest.sum(axis=1, keepdims=True), rest], axis=1)


def read_cage(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, unit: float) -> PlacedCage:
    """The cage of a soft mesh where the depsgraph shows the object; `unit` metres a Blender unit."""
    place = f"Object '{obj.name}'"
    if obj.mode == "EDIT":
        obj.update_from_editmode()  # else the mesh is the one from before
    matrix = np.array(obj.evaluated_get(depsgraph).matrix_world, dtype=float)
    if not np.isfinite(matrix).all():
        raise SceneError(
            place, "its transform is not a finite number", "Clear its location, rotation and scale."
        )
    linear = matrix[:3, :3]
    if abs(np.linalg.det(linear)) < 1e-18:
        raise SceneError(place, "its scale is zero", "Give it a scale above zero along all axes.")
    frame = np.eye(4)
    frame[:3, :3] = nearest_rotation(linear if np.linalg.det(linear) > 0.0 else -linear)
    frame[:3, 3] = matrix[:3, 3] * unit
    stretch = frame[:3, :3].T @ linear * unit
    local = rest_shape(obj, depsgraph)
    if TETS in obj.data:
        from .own_tets import own_cage

        return PlacedCage(own_cage(obj, local @ stretch.T), local, stretch, frame)
    return PlacedCage(_cage(obj, local, _even(stretch), unit, place), local, stretch, frame)


def _even(stretch: Floats) -> Floats:
    """Without the rounding that moving and turning an object leaves in its matrix."""
    decimals = 6 - int(np.round(np.log10(np.abs(stretch).max())))
    return np.round(stretch, decimals) + 0.0


def _cage(obj: bpy.types.Object, local: Floats, stretch: Floats, unit: float, place: str) -> BuiltCage:
    settings = obj.redmax.flesh
    by_count = settings.cage_size == "COUNT"
    cell = None if by_count else float(settings.cage_cell) * unit
    count = int(settings.cage_count) if by_count else None
    triangles = triangles_of(obj.data)
    said = repr((stretch.tolist(), cell, count)).encode()
    key = hashlib.blake2b(local.tobytes() + triangles.tobytes() + said).hexdigest()
    if key not in _memory:
        points = local @ stretch.T
        if bpy.app.background:
            _memory[key] = build_cage(points, triangles, cell, count, place)
        else:
            _memory[key] = build_cage_apart(points, triangles, cell, count, place)
        while len(_memory) > KEPT:
            _memory.popitem(last=False)
    _memory.move_to_end(key)
    return _memory[key]
