"""The shape of a mesh before any modifier: its vertices with the mix of its shape keys, and its triangles."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from ..read.mesh import vertex_positions

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def triangles_of(mesh: bpy.types.Mesh) -> Ints:
    """Vertices of the mesh's triangles, shape (nt, 3)."""
    mesh.calc_loop_triangles()
    flat = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
    mesh.loop_triangles.foreach_get("vertices", flat)
    return flat.reshape(-1, 3).astype(np.int64)


def rest_shape(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Floats:
    """Vertices as the shape keys mix them in the depsgraph, in the object's space, shape (ns, 3).

    Absolute keys count as their basis: what they show is animation, not the shape of the flesh.
    """
    mesh = obj.data
    keys = mesh.shape_keys
    if keys is None:
        return vertex_positions(mesh)
    base = key_positions(keys.reference_key)
    if not keys.use_relative:
        return base
    shown = keys.evaluated_get(depsgraph)
    mixed = base.copy()
    for block in keys.key_blocks:
        value = shown.key_blocks[block.name].value
        if block == keys.reference_key or block.mute or value == 0.0:
            continue
        offset = value * (key_positions(block) - key_positions(block.relative_key))
        if block.vertex_group:
            offset *= group_weights(obj, block.vertex_group)
        mixed += offset
    return mixed


def key_positions(block: bpy.types.ShapeKey) -> Floats:
    """Vertices of a shape key, shape (ns, 3)."""
    flat = np.empty(3 * len(block.data), dtype=np.float32)
    block.data.foreach_get("co", flat)
    return flat.reshape(-1, 3).astype(float)


def group_weights(obj: bpy.types.Object, *names: str) -> Floats:
    """Weight of every vertex in vertex groups, zero where it is not in them or they do not exist, shape (ns, k)."""
    weights = np.zeros((len(obj.data.vertices), len(names)))
    columns: dict[int, list[int]] = {}
    for column, name in enumerate(names):
        if name in obj.vertex_groups:
            columns.setdefault(obj.vertex_groups[name].index, []).append(column)
    if columns:
        found = [
            (vertex.index, column, element.weight)
            for vertex in obj.data.vertices
            for element in vertex.groups
            for column in columns.get(element.group, ())
        ]
        if found:
            rows, at, values = zip(*found)
            weights[rows, at] = values
    return weights
