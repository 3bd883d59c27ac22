"""Soft meshes that bring their own tetrahedra, as scene files have them, instead of a cage around them.

The mesh has a vertex for each of theirs, inner ones too, and keeps the tetrahedra as custom properties. Vertex groups
with names of bodies say what carries them.
"""

from __future__ import annotations

from collections.abc import Collection

import bpy
import numpy as np

from ...engine.errors import SceneError
from ...engine.fem.cages.attach import FREE, WORLD
from ...engine.fem.cages.outline import border, edges
from ...engine.fem.cages.quality import quality
from ...engine.model.records import Floats, Ints
from ...engine.scene import spec
from .attach import PINNED, PREFIX, Holder
from .cage import TETS, PlacedCage
from .cage_worker import BuiltCage
from .rest_shape import group_weights

FILL, START = "redmax_fill", "redmax_start"
"""Custom properties of the mesh besides its tetrahedra: how much of each is solid, and where vertices start, in the
object's space."""
PIN, STIFF = "Pinned", "Stiffness"
KINDS = {"corotated": "COROTATED", "neo-hookean": "NEO_HOOKEAN"}


def add_flesh(flesh: spec.FleshSpec, folder: bpy.types.Collection, units: float) -> bpy.types.Object:
    """An object for flesh of a scene, with `units` Blender units a metre."""
    check_flesh(flesh)
    mesh = bpy.data.meshes.new(flesh.name)
    corner = np.array(flesh.tets, np.int64)
    vertices = np.array(flesh.vertices, float) * units
    mesh.from_pydata(vertices.tolist(), [], border(corner).tolist())
    mesh[TETS] = corner.reshape(-1).tolist()
    if flesh.fill is not None:
        mesh[FILL] = [float(part) for part in flesh.fill]
    if flesh.start is not None:
        mesh[START] = (np.array(flesh.start, float) * units).reshape(-1).tolist()
    obj = bpy.data.objects.new(flesh.name, mesh)
    folder.objects.link(obj)
    for attachment in flesh.attachments:
        obj.vertex_groups.new(name=PREFIX + attachment.body).add(attachment.vertices, 1.0, "REPLACE")
    if flesh.pinned:
        obj.vertex_groups.new(name=PIN).add(flesh.pinned, 1.0, "REPLACE")
    _fill_material(obj, flesh)
    return obj


def check_flesh(flesh: spec.FleshSpec) -> None:
    """SceneError for what no mesh object means."""
    for what, there in (
        ("velocities", flesh.velocities is not None),
        ("floor", flesh.floor is not None),
        ("attachments by springs", any(each.stiffness is not None for each in flesh.attachments)),
    ):
        if there:
            raise SceneError(
                f"flesh '{flesh.name}', {what}",
                "there is no object that means it",
                "Leave it out of the file, or run the file on the command line instead.",
            )


def _fill_material(obj: bpy.types.Object, flesh: spec.FleshSpec) -> None:
    settings, material = obj.redmax.flesh, flesh.material
    settings.soft, settings.material = True, KINDS[material.kind]
    settings.young, settings.poisson, settings.density = material.young, material.poisson, material.density
    settings.damping, settings.drag = material.stiffness_damping, material.mass_damping
    if flesh.mass is not None:
        settings.mass_from, settings.mass = "MASS", flesh.mass
    if flesh.stiffness is None:
        return
    most, least = max(flesh.stiffness), min(flesh.stiffness)
    settings.young = material.young * most
    if most > least:
        settings.softest, settings.stiffness_group = least / most, STIFF
        group = obj.vertex_groups.new(name=STIFF)
        for vertex, value in enumerate(flesh.stiffness):
            group.add([vertex], (value - least) / (most - least), "REPLACE")


def own_cage(obj: bpy.types.Object, points: Floats) -> BuiltCage:
    """The tetrahedra of a mesh whose vertices are at these points [m], shape (nv, 3)."""
    corner = np.array(obj.data[TETS], np.int64).reshape(-1, 4)
    used = np.unique(corner)
    if len(used) != len(points) or used[-1] != len(points) - 1:
        raise SceneError(
            f"Object '{obj.name}'",
            "its mesh has other vertices than the tetrahedra that came with it",
            f"Undo the change, or delete its custom property '{TETS}' to have a cage made around it.",
        )
    own = np.zeros(len(points), np.int64)
    own[corner.T] = np.arange(len(corner))  # any of those that it is a corner of
    pairs = edges(corner)
    shape = quality(points, corner)
    return BuiltCage(
        X=points,
        corner=corner,
        fill=np.array(obj.data[FILL], float) if FILL in obj.data else np.ones(len(corner)),
        part=_parts(pairs, len(points)),
        cell=float(np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1).mean()),
        tet=own,
        weight=(corner[own] == np.arange(len(points))[:, None]).astype(float),
        least_angle=shape.least_angle,
        greatest_angle=shape.greatest_angle,
    )


def _parts(pairs: Ints, count: int) -> Ints:
    """Number of the connected part of each vertex."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    graph = coo_matrix((np.ones(len(pairs)), pairs.T), shape=(count, count))
    return np.asarray(connected_components(graph, directed=False)[1], np.int64)


def own_holders(obj: bpy.types.Object, bodies: Collection[str]) -> tuple[list[Holder], Ints]:
    """What its vertex groups say: bodies that carry it, and the number of each vertex's holder, WORLD or FREE."""
    names = [group.name.removeprefix(PREFIX) for group in obj.vertex_groups if group.name.startswith(PREFIX)]
    holders = [Holder(name, name, np.eye(4)) for name in names if name in bodies]
    weights = group_weights(obj, *(PREFIX + holder.body for holder in holders), PIN)
    strongest = np.argmax(weights, axis=1)
    number = np.array([*range(len(holders)), WORLD])[strongest]
    return holders, np.where(weights.max(axis=1) >= PINNED, number, FREE)


def own_start(obj: bpy.types.Object, placed: PlacedCage) -> Floats | None:
    """Where its vertices are at the start, in the world [m], shape (nv, 3); None where that is their rest."""
    if START not in obj.data:
        return None
    local = np.array(obj.data[START], float).reshape(-1, 3)
    if local.shape != placed.cage.X.shape:
        return None
    return np.asarray(local @ placed.stretch.T @ placed.frame[:3, :3].T + placed.frame[:3, 3])
