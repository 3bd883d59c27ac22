"""Meshes that an armature deforms, and where their vertices are."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray


def skins_of(armature: bpy.types.Object, scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Mesh objects that the armature deforms, by modifier or by parenting."""
    return [obj for obj in scene.objects if obj.type == "MESH" and _deforms(armature, obj)]


def _deforms(armature: bpy.types.Object, mesh: bpy.types.Object) -> bool:
    by_modifier = any(m.type == "ARMATURE" and m.object == armature for m in mesh.modifiers)
    return by_modifier or (mesh.parent == armature and mesh.parent_type == "ARMATURE")


def vertex_positions(mesh: bpy.types.Mesh) -> NDArray[np.float64]:
    """Vertex coordinates, shape (n, 3)."""
    flat = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3).astype(float)
