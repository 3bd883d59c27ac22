"""A joint between places of two parts, which need not be together."""

from __future__ import annotations

import bpy
from mathutils import Matrix, Vector

from ...engine.errors import SceneError
from ..rig.bodies import is_body
from .add_joint import add_joint
from .features import Feature

ALONG_X = ("SLIDER", "PISTON", "CURVE")
"""Joints whose axis is X; of others it is Z."""
TOGETHER = 1e-6
"""How far two places may be apart, in Blender units, to be one."""


def connect(
    kind: str, first: Feature, second: Feature, collection: bpy.types.Collection, *, size: float = 0.25
) -> bpy.types.Object:
    """An empty that connects two parts, at a place of the first one, and where that is another place a second empty at
    the place of the second one. Parts that are no bodies yet become active ones."""
    if first.part == second.part:
        raise SceneError("Connect", "both places are on the same part", "Pick a place on another part.")
    parts = [bpy.data.objects.get(feature.part) for feature in (first, second)]
    for part in parts:
        if part is not None and not is_body(part):
            part.redmax.body.role = "ACTIVE"
    axis = -second.axis if first.faces_outwards and second.faces_outwards else second.axis
    if "EDGE" in (first.kind, second.kind) and axis.dot(first.axis) < 0.0:
        axis = -axis
    pose = frame(kind, first.place, first.axis)
    there = frame(kind, second.place, axis, pose)
    obj = add_joint(kind, parts[0], parts[1], pose, collection, size=size)
    apart = (first.place - second.place).length > TOGETHER or _turn(pose, there) > TOGETHER
    if apart:
        obj.redmax.joint.other = _end(obj, parts[1], there, collection, size)
    return obj


def frame(kind: str, place: Vector, axis: Vector, like: Matrix | None = None) -> Matrix:
    """Axes at a place with a joint's own axis along a direction, turned about it as another frame or the world is."""
    own, side = (0, 2) if kind in ALONG_X else (2, 0)
    columns = [Vector(), Vector(), Vector()]
    columns[own] = axis.normalized()
    for wanted in (like.col[side].to_3d() if like is not None else Vector(), *Matrix.Identity(3)):
        across = wanted - wanted.dot(columns[own]) * columns[own]
        if across.length > 0.3:
            break
    columns[side] = across.normalized()
    columns[1] = columns[2].cross(columns[0])
    matrix = Matrix(columns).transposed().to_4x4()
    matrix.translation = place
    return matrix


def _end(
    joint: bpy.types.Object,
    part: bpy.types.Object | None,
    pose: Matrix,
    collection: bpy.types.Collection,
    size: float,
) -> bpy.types.Object:
    end = bpy.data.objects.new(f"{joint.name} end", None)
    end.empty_display_type, end.empty_display_size = "CIRCLE", 0.6 * size
    collection.objects.link(end)
    if part is not None:
        end.parent, end.matrix_parent_inverse = part, part.matrix_world.inverted_safe()
    end.matrix_basis = pose
    return end


def _turn(a: Matrix, b: Matrix) -> float:
    return float(a.to_quaternion().rotation_difference(b.to_quaternion()).angle)
