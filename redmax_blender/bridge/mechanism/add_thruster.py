"""A thruster on a body or a bone as an empty of ours."""

from __future__ import annotations

import bpy
from mathutils import Matrix


def add_thruster(
    carrier: bpy.types.Object, bone: str, pose: Matrix, force: float, collection: bpy.types.Collection
) -> bpy.types.Object:
    """An empty at a pose in the world that pushes an object, or a bone of it, along its own Z axis with a force [N]."""
    obj = bpy.data.objects.new("Thruster", None)
    obj.empty_display_type, obj.empty_display_size = "SINGLE_ARROW", 0.5
    collection.objects.link(obj)
    obj.parent = carrier
    if bone:
        obj.parent_type, obj.parent_bone = "BONE", bone
    bpy.context.view_layer.update()
    obj.matrix_world = pose
    settings = obj.redmax.thruster
    settings.use, settings.force = True, (0.0, 0.0, force)
    return obj
