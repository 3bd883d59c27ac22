"""What is under the cursor: a body of the simulation, and the place where it is taken hold of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import bpy
from bpy_extras import view3d_utils
from mathutils import Vector
from mathutils.geometry import intersect_line_line, intersect_point_line

from ..read.scene import Reading

NEAR = 30.0
"""Distance from a bone [px] at which it can still be picked."""


class Picked(NamedTuple):
    body: str
    """Its name in the engine."""
    place: Vector
    """In the world [Blender units]."""


class View(NamedTuple):
    """A 3D view, as the cursor sees it."""

    region: bpy.types.Region
    space: bpy.types.RegionView3D

    def ray(self, cursor: Vector) -> tuple[Vector, Vector]:
        """Origin and unit direction of the line of sight through a place of the region [px]."""
        return (
            view3d_utils.region_2d_to_origin_3d(self.region, self.space, cursor),
            view3d_utils.region_2d_to_vector_3d(self.region, self.space, cursor),
        )

    def pixel(self, place: Vector) -> Vector | None:
        """Where a place of the world is in the region [px]; None behind the viewer."""
        return view3d_utils.location_3d_to_region_2d(self.region, self.space, place)

    def beside(self, cursor: Vector, place: Vector) -> Vector:
        """The place under the cursor in the plane of the view that another place is in."""
        return view3d_utils.region_2d_to_location_3d(self.region, self.space, cursor, place)


def pick(context: bpy.types.Context, reading: Reading, view: View, cursor: Vector) -> Picked | None:
    """The surface of a body or of a character's skin under the cursor, or the bone that is nearest to it."""
    origin, direction = view.ray(cursor)
    depsgraph = context.evaluated_depsgraph_get()
    hit, place, _, _, obj, _ = context.scene.ray_cast(depsgraph, origin, direction)
    if hit:
        if any(thing.name == obj.name for thing in reading.objects):
            return Picked(obj.name, place)
        found = nearest_bone(context, reading, place, carriers(obj))
        if found is not None:
            return Picked(found, place)
    return bone_near(context, reading, view, cursor)


def carriers(obj: bpy.types.Object) -> set[str]:
    """Names of the objects that an object hangs on or is deformed by."""
    found = {
        modifier.object.name for modifier in obj.modifiers if modifier.type == "ARMATURE" and modifier.object
    }
    above = obj.parent
    while above is not None:
        found.add(above.name)
        above = above.parent
    return found


def nearest_bone(context: bpy.types.Context, reading: Reading, place: Vector, rigs: set[str]) -> str | None:
    """The bone of these rigs whose line from head to tail is nearest to a place of the world."""
    lines = [(body, head, tail) for name, body, head, tail in bones(context, reading) if name in rigs]
    return min(lines, key=lambda line: (on_line(place, *line[1:]) - place).length)[0] if lines else None


def bone_near(context: bpy.types.Context, reading: Reading, view: View, cursor: Vector) -> Picked | None:
    """The bone that is nearest to the cursor in the picture, held where it is nearest to the line of sight."""
    best, picked = NEAR, None
    origin, direction = view.ray(cursor)
    for _, body, head, tail in bones(context, reading):
        a, b = view.pixel(head), view.pixel(tail)
        if a is None or b is None:
            continue
        apart = (on_line(cursor.to_3d(), a.to_3d(), b.to_3d()) - cursor.to_3d()).length
        if apart < best:
            met = intersect_line_line(head, tail, origin, origin + direction)
            place = on_line(met[0], head, tail) if met is not None else tail
            best, picked = apart, Picked(body, place)
    return picked


def on_line(place: Vector, a: Vector, b: Vector) -> Vector:
    """The point between a and b that is nearest to a place."""
    point, part = intersect_point_line(place, a, b) if (b - a).length_squared > 0.0 else (a, 0.0)
    return a.copy() if part <= 0.0 else b.copy() if part >= 1.0 else point


def bones(context: bpy.types.Context, reading: Reading) -> Iterator[tuple[str, str, Vector, Vector]]:
    """Rig, body in the engine, head and tail in the world of every simulated bone."""
    depsgraph = context.evaluated_depsgraph_get()
    for rig in reading.rigs:
        shown = context.scene.objects[rig.name].evaluated_get(depsgraph)
        for name in rig.bones:
            bone = shown.pose.bones[name]
            yield (
                rig.name,
                f"{rig.name}/{name}",
                shown.matrix_world @ bone.head,
                shown.matrix_world @ bone.tail,
            )
