"""A skin that is grown around the bones of a rig, with the weights that a rigger would paint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...bridge.mechanism.build_scene import fill_mesh
from ...bridge.mechanism.primitives import Surface, ellipsoid, merge, revolve

Floats = NDArray[np.float64]

RINGS = 12
"""Rings of vertices on the round end of a limb."""
FAINT = 0.02
"""Weights below this are left out."""


@dataclass(frozen=True)
class Limb:
    """A round part of a body along a bone, thicker at one end than at the other."""

    bone: str
    begin: Floats
    """Middle of its end spheres [m], shape (3,)."""
    end: Floats
    radius: tuple[float, float]
    """At the beginning and at the end [m]."""


def grow_skin(
    scene: bpy.types.Scene, name: str, limbs: Sequence[Limb], voxel: float, smooth: int, unit: float
) -> bpy.types.Object:
    """A mesh object around limbs at rest, grown together by Blender's voxel remesher.

    voxel: size of its cells [m]. smooth: how often it is smoothed. unit: metres a Blender unit.
    """
    raw = bpy.data.meshes.new(name)
    fill_mesh(raw, merge([_around(limb) for limb in limbs]).moved(np.eye(3) / unit, np.zeros(3)))
    skin = bpy.data.objects.new(name, raw)
    scene.collection.objects.link(skin)
    grown = skin.modifiers.new("Remesh", "REMESH")
    grown.mode, grown.voxel_size, grown.use_smooth_shade = "VOXEL", voxel / unit, True
    relax = skin.modifiers.new("Smooth", "SMOOTH")
    relax.factor, relax.iterations = 0.5, smooth
    bpy.context.view_layer.update()
    shown = skin.evaluated_get(bpy.context.evaluated_depsgraph_get())
    skin.data = bpy.data.meshes.new_from_object(shown)
    skin.data.name = name
    skin.modifiers.clear()
    bpy.data.meshes.remove(raw)
    return skin


def _around(limb: Limb) -> Surface:
    """Two spheres and the cone that touches both."""
    axis = limb.end - limb.begin
    length = float(np.linalg.norm(axis))
    a, b = limb.radius
    if length <= abs(b - a) + 1e-9:  # one sphere is within the other
        return ellipsoid((max(a, b),) * 3).moved(np.eye(3), limb.begin if a > b else limb.end)
    tilt = float(np.arcsin((a - b) / length))
    first, last = np.linspace(-0.5 * np.pi, tilt, RINGS), np.linspace(tilt, 0.5 * np.pi, RINGS)
    radius = np.concatenate([a * np.cos(first), b * np.cos(last)])
    z = np.concatenate([a * np.sin(first), length + b * np.sin(last)])
    return revolve(radius, z).moved(_from_z(axis / length), limb.begin)


def _from_z(d: Floats) -> Floats:
    """A rotation that takes z to the direction d."""
    across = np.cross(d, (1.0, 0.0, 0.0) if abs(d[0]) < 0.7 else (0.0, 1.0, 0.0))
    across /= np.linalg.norm(across)
    return np.stack([across, np.cross(d, across), d], axis=1)


def weigh(skin: bpy.types.Object, limbs: Sequence[Limb], unit: float, *, by_thickness: bool = False) -> None:
    """Ordinary skin weights: by distance to what the skin was grown around, mostly to the nearest of it.

    by_thickness: a distance counts as a fraction of the limb's own radius.
    """
    points = np.array([vertex.co for vertex in skin.data.vertices]) * unit
    a = np.array([limb.begin for limb in limbs])
    axis = np.array([limb.end for limb in limbs]) - a
    square = np.maximum(np.einsum("bc,bc->b", axis, axis), 1e-12)
    along = np.clip(np.einsum("vbc,bc->vb", points[:, None] - a, axis) / square, 0.0, 1.0)
    distance = np.linalg.norm(points[:, None] - (a + along[:, :, None] * axis), axis=2)
    if by_thickness:
        ends = np.array([limb.radius for limb in limbs])
        distance /= ends[:, 0] + along * (ends[:, 1] - ends[:, 0])
    weight = np.maximum(distance, 1e-4) ** -6.0
    weight /= weight.sum(axis=1, keepdims=True)
    names = [limb.bone for limb in limbs]
    for name in dict.fromkeys(names):
        group = skin.vertex_groups.new(name=name)
        total = weight[:, [n == name for n in names]].sum(axis=1)
        for vertex in np.flatnonzero(total > FAINT).tolist():
            group.add([vertex], float(total[vertex]), "REPLACE")
