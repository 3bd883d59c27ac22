"""Springs, cables, ropes and rods as curves: a straight line whose points are hooked to the objects at its ends.

Hooks are Blender's own, so that the line follows its ends without the extension as well.
"""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from ...engine.errors import SceneError


def add_spring(
    ends: Sequence[bpy.types.Object],
    collection: bpy.types.Collection,
    *,
    kind: str = "SPRING",
    name: str = "",
    radius: float = 0.02,
) -> bpy.types.Object:
    """A curve through the origins of two or more objects, of one of the kinds of springs; radius in Blender units."""
    if len(ends) < 2 or len({end.name for end in ends}) < len(ends):
        raise SceneError(
            "Spring", "it needs two or more different objects", "Select the objects or empties at its ends."
        )
    name = name or kind.capitalize()
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    curve.bevel_depth = radius
    curve.bevel_resolution = 2
    line = curve.splines.new("POLY")
    line.points.add(len(ends) - 1)
    obj = bpy.data.objects.new(name, curve)
    collection.objects.link(obj)
    for i, end in enumerate(ends):
        line.points[i].co = (*end.matrix_world.translation, 1.0)
        hook = obj.modifiers.new(f"End {i + 1}", "HOOK")
        hook.object = end
        hook.vertex_indices_set([i])
        hook.matrix_inverse = end.matrix_world.inverted_safe()  # the curve's own transform is none
    obj.redmax.spring.kind = kind
    return obj


def add_end(
    body: bpy.types.Object | None,
    at: Sequence[float],
    collection: bpy.types.Collection,
    *,
    name: str,
    size: float = 0.1,
) -> bpy.types.Object:
    """An empty at a place in the world, which moves with a body (with nothing when None)."""
    end = bpy.data.objects.new(name, None)
    end.empty_display_type, end.empty_display_size = "SPHERE", size
    collection.objects.link(end)
    end.location = at
    if body is not None:
        end.parent = body
        end.matrix_parent_inverse = body.matrix_world.inverted_safe()
    return end
