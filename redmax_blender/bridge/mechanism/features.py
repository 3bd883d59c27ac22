"""Places of parts that a joint can be put at: sockets, vertices, edges and faces, with an axis each."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import bpy
from mathutils import Vector

Pixel = Callable[[Vector], "Vector | None"]
"""Where a place of the world is in the picture [px]; None behind the viewer."""


class Feature(NamedTuple):
    """A place of a part, in the world [Blender units]."""

    part: str
    """The object's name; empty for the world."""
    place: Vector
    axis: Vector
    """Unit vector: of a socket, along an edge, or out of a face or corner."""
    kind: str
    """SOCKET, VERTEX, EDGE, FACE or PLACE."""

    @property
    def faces_outwards(self) -> bool:
        """Whether two of these meet face to face."""
        return self.kind in ("VERTEX", "FACE", "PLACE")


def feature_at(
    obj: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph,
    place: Vector,
    normal: Vector,
    face: int,
    pixel: Pixel,
    reach: float,
) -> Feature:
    """The socket, vertex, edge middle, face middle or edge near a place on an object, in this order; or the place.

    place, normal: in the world; face: its number in the evaluated mesh; reach: how near is near [px].
    """
    cursor = pixel(place)

    def far(at: Vector) -> float:
        shown = pixel(at)
        return float("inf") if shown is None or cursor is None else (shown - cursor).length

    for found in (sockets(obj), *mesh_features(obj, depsgraph, face)):
        near = min(found, key=lambda each: far(each.place), default=None)
        if near is not None and far(near.place) < reach:
            return near
    for a, b in edges_of(obj, depsgraph, face):
        part = max(0.0, min(1.0, (place - a).dot(b - a) / max((b - a).length_squared, 1e-30)))
        at = a + part * (b - a)
        if far(at) < reach:
            return Feature(obj.name, at, (b - a).normalized(), "EDGE")
    return Feature(obj.name, place.copy(), normal.normalized(), "PLACE")


def sockets(obj: bpy.types.Object) -> list[Feature]:
    """Where a part of the kit is made to be connected."""
    matrix = obj.matrix_world
    return [
        Feature(obj.name, matrix @ Vector(s.place), turned(obj, Vector(s.axis)), "SOCKET")
        for s in obj.redmax.sockets
    ]


def turned(obj: bpy.types.Object, normal: Vector) -> Vector:
    """A normal of an object's mesh in the world."""
    return (obj.matrix_world.to_3x3().inverted_safe().transposed() @ normal).normalized()


def mesh_features(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, face: int
) -> tuple[list[Feature], list[Feature], list[Feature]]:
    """Corners, middles of edges and the middle of a face."""
    mesh = obj.evaluated_get(depsgraph).data
    if not 0 <= face < len(mesh.polygons):
        return [], [], []
    polygon, matrix = mesh.polygons[face], obj.matrix_world
    corners = [
        Feature(obj.name, matrix @ mesh.vertices[i].co, turned(obj, mesh.vertices[i].normal.copy()), "VERTEX")
        for i in polygon.vertices
    ]
    edges = [
        Feature(obj.name, 0.5 * (a + b), (b - a).normalized(), "EDGE")
        for a, b in edges_of(obj, depsgraph, face)
    ]
    middle = Feature(obj.name, matrix @ polygon.center, turned(obj, polygon.normal.copy()), "FACE")
    return corners, edges, [middle]


def edges_of(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, face: int) -> list[tuple[Vector, Vector]]:
    """Ends of the edges of a face in the world."""
    mesh = obj.evaluated_get(depsgraph).data
    if not 0 <= face < len(mesh.polygons):
        return []
    places = [obj.matrix_world @ mesh.vertices[i].co for i in mesh.polygons[face].vertices]
    return list(zip(places, [*places[1:], places[0]]))
