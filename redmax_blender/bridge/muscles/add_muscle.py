"""Muscles as curves whose points are hooked to bones or objects, and the surfaces that they slide over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ...engine.errors import InputError
from ..mechanism.primitives import Surface, ellipsoid, revolve
from ..rig.rig import metres_per_unit
from .places import shape_of, target_matrix

_FIBRES = 0.5
"""Part of the whole length that is fibres in a muscle that is drawn; the rest is tendon."""


class End(NamedTuple):
    """Something that a point of a muscle hangs on, and where the point is in the world."""

    obj: bpy.types.Object | None
    bone: str
    place: Vector


def curve_through(
    ends: Sequence[End], collection: bpy.types.Collection, name: str, matrix: Matrix | None = None
) -> bpy.types.Object:
    """A curve through the places, hooked to what they hang on; its own transform is `matrix`."""
    if len(ends) < 2:
        raise InputError("Muscle", "it has one end only", "Select two or more bones, or empties on bones.")
    own = Matrix.Identity(4) if matrix is None else matrix
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    line = curve.splines.new("POLY")
    line.points.add(len(ends) - 1)
    obj = bpy.data.objects.new(name, curve)
    collection.objects.link(obj)
    obj.matrix_world = own
    inverse = own.inverted_safe()
    for i, end in enumerate(ends):
        line.points[i].co = (*(inverse @ end.place), 1.0)
        if end.obj is None:
            continue
        hook = obj.modifiers.new(f"Point {i + 1}", "HOOK")
        hook.object = end.obj
        if end.bone:
            hook.subtarget = end.bone
        hook.vertex_indices_set([i])
        hook.matrix_inverse = target_matrix(hook).inverted_safe() @ own
    obj.redmax.muscle.is_muscle = True
    return obj


def ends_of_bones(armature: bpy.types.Object, bones: Sequence[bpy.types.PoseBone]) -> list[End]:
    """On the surface of a limb: a third along the first bone, two thirds along the others, to the side of the bend."""
    ends = []
    for i, bone in enumerate(bones):
        along = 0.35 if i == 0 else (0.5 if i < len(bones) - 1 else 0.3)
        aside = 0.1 * bone.length
        local = Vector((0.0, along * bone.length, aside))
        ends.append(End(armature, bone.name, armature.matrix_world @ (bone.matrix @ local)))
    return ends


def ends_of_objects(objects: Sequence[bpy.types.Object]) -> list[End]:
    """Ends at the origins of objects."""
    return [End(obj, "", obj.matrix_world.translation.copy()) for obj in objects]


def add_muscle(
    ends: Sequence[End], collection: bpy.types.Collection, scene: bpy.types.Scene, name: str = "Muscle"
) -> bpy.types.Object:
    """A muscle with its optimal length from the pose that is shown."""
    obj = curve_through(ends, collection, name)
    try:
        length_from_pose(obj, scene)
    except InputError:
        bpy.data.curves.remove(obj.data)
        raise
    return obj


def length_from_pose(obj: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Let the muscle have its optimal length in the pose that is shown."""
    length = shape_of(obj, scene, np.zeros(0), check=True).length / metres_per_unit(scene)
    if not length > 0.0:
        raise InputError(f"muscle '{obj.name}'", "its length is zero", "Move its points apart.")
    obj.redmax.muscle.optimal_length = _FIBRES * length
    obj.redmax.muscle.tendon_length = (1.0 - _FIBRES) * length


def surface_mesh(kind: str, size: Sequence[float], length: float) -> Surface:
    """What shows a surface, in its own frame."""
    if kind == "CYLINDER":
        return revolve([size[0], size[0]], [-0.5 * length, 0.5 * length], 24)
    if kind == "ELLIPSOID":
        return ellipsoid((size[0], size[1], size[2]))
    if kind == "TORUS":
        return _torus(size[0], size[1])
    if kind == "CAPSULE":
        t = np.linspace(0.0, 0.5 * np.pi, 7)
        low, high = size[0] * np.cos(t[::-1]), size[0] * np.cos(t)
        z = np.concatenate([-size[1] - size[0] * np.sin(t[::-1]), size[0] * np.sin(t)])
        return revolve(np.concatenate([low, high]), z, 24)
    return ellipsoid((size[0],) * 3)


def _torus(ring: float, tube: float, around: int = 32, across: int = 12) -> Surface:
    u, v = np.meshgrid(
        2 * np.pi * np.arange(around) / around, 2 * np.pi * np.arange(across) / across, indexing="ij"
    )
    rho = ring + tube * np.cos(v)
    vertices = np.stack([rho * np.cos(u), rho * np.sin(u), tube * np.sin(v)], axis=-1).reshape(-1, 3)
    index = np.arange(around * across).reshape(around, across)
    right, up = np.roll(index, -1, axis=0), np.roll(index, -1, axis=1)
    faces = np.stack([index, right, np.roll(right, -1, axis=1), up], axis=-1).reshape(-1, 4)
    return Surface(vertices, faces.tolist(), np.ones(len(faces), bool))


def add_surface(
    kind: str,
    size: Sequence[float],
    matrix: Matrix,
    collection: bpy.types.Collection,
    *,
    name: str = "",
    length: float = 0.0,
    carrier: tuple[bpy.types.Object, str] | None = None,
) -> bpy.types.Object:
    """A wire mesh at `matrix` in the world that muscles slide over, on a bone or on an object where one is given."""
    name = name or kind.capitalize()
    shown = surface_mesh(kind, size, length or 6.0 * size[0])
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(shown.vertices.tolist(), [], shown.faces)
    obj = bpy.data.objects.new(name, mesh)
    collection.objects.link(obj)
    obj.display_type, obj.hide_render = "WIRE", True
    if carrier is not None:
        obj.parent = carrier[0]
        if carrier[1]:
            obj.parent_type, obj.parent_bone = "BONE", carrier[1]
            bone = carrier[0].pose.bones[carrier[1]]
            # A child of a bone sits at its tail.
            tail = carrier[0].matrix_world @ bone.matrix @ Matrix.Translation((0.0, bone.length, 0.0))
            obj.matrix_basis = tail.inverted_safe() @ matrix
        else:
            obj.matrix_basis = carrier[0].matrix_world.inverted_safe() @ matrix
    else:
        obj.matrix_world = matrix
    obj.redmax.wrap.kind, obj.redmax.wrap.size, obj.redmax.wrap.length = kind, size, length
    return obj


def let_slide(muscle: bpy.types.Object, surface: bpy.types.Object) -> None:
    """Let a muscle slide over a surface too."""
    settings = muscle.redmax.muscle
    if settings.surfaces is None:
        settings.surfaces = bpy.data.collections.new(f"{muscle.name} Surfaces")
    if surface.name not in settings.surfaces.objects:
        settings.surfaces.objects.link(surface)
