"""How thick the limbs are: distances of skin vertices from the bones that deform them."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

STRONG = 0.5
"""Vertices with at least this weight belong to a bone."""
ENOUGH = 8
"""Fewer vertices than this say nothing about a limb's thickness."""


def skins_of(armature: bpy.types.Object, scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Mesh objects that the armature deforms, by modifier or by parenting."""
    return [obj for obj in scene.objects if obj.type == "MESH" and _deforms(armature, obj)]


def _deforms(armature: bpy.types.Object, mesh: bpy.types.Object) -> bool:
    by_modifier = any(m.type == "ARMATURE" and m.object == armature for m in mesh.modifiers)
    return by_modifier or (mesh.parent == armature and mesh.parent_type == "ARMATURE")


def skin_points(
    armature: bpy.types.Object, scene: bpy.types.Scene, bones: set[str]
) -> dict[str, NDArray[np.float64]]:
    """Undeformed positions of each bone's strongly weighted vertices, in the armature's space, shape (n, 3)."""
    points: dict[str, list[NDArray[np.float64]]] = {}
    for skin in skins_of(armature, scene):
        to_armature = np.array(armature.matrix_world.inverted_safe() @ skin.matrix_world)
        positions = vertex_positions(skin.data) @ to_armature[:3, :3].T + to_armature[:3, 3]
        for name, members in strong_vertices(skin, bones).items():
            points.setdefault(name, []).append(positions[members])
    return {name: np.concatenate(parts) for name, parts in points.items()}


def vertex_positions(mesh: bpy.types.Mesh) -> NDArray[np.float64]:
    """Vertex coordinates, shape (n, 3)."""
    flat = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3).astype(float)


def strong_vertices(skin: bpy.types.Object, bones: set[str]) -> dict[str, list[int]]:
    """Bone name → indices of the vertices that follow it mainly."""
    names = {group.index: group.name for group in skin.vertex_groups if group.name in bones}
    members: dict[str, list[int]] = {}
    for vertex in skin.data.vertices:
        for element in vertex.groups:
            if element.weight >= STRONG and element.group in names:
                members.setdefault(names[element.group], []).append(vertex.index)
    return members


def limb_radius(
    points: NDArray[np.float64], head: NDArray[np.float64], tail: NDArray[np.float64]
) -> float | None:
    """Median distance of the points beside the bone from its axis; None when too few are beside it.

    Points beyond the bone's ends (a hand that follows the forearm's bone) say nothing about its thickness.
    """
    axis = tail - head
    length = float(np.linalg.norm(axis))
    if length == 0.0:
        return None
    axis /= length
    along = (points - head) @ axis
    beside = points[(along >= 0.0) & (along <= length)]
    if len(beside) < ENOUGH:
        return None
    offsets = beside - head
    offsets -= np.outer(offsets @ axis, axis)
    return float(np.median(np.linalg.norm(offsets, axis=1)))
