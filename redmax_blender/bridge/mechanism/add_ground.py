"""A ground to fall on: a plane that can be seen and rendered, and is solid without end."""

from __future__ import annotations

import bpy

from ..rig.rig import metres_per_unit

SIDE = 20.0
"""Side of the visible plane [m]; what is solid has no edge."""


def add_ground(
    scene: bpy.types.Scene, collection: bpy.types.Collection, height: float = 0.0, name: str = "Ground"
) -> bpy.types.Object:
    """Add a horizontal plane at a height [Blender units] that everything which collides stands on."""
    half = 0.5 * SIDE / metres_per_unit(scene)
    mesh = bpy.data.meshes.new(name)
    corners = [(-half, -half, 0.0), (half, -half, 0.0), (half, half, 0.0), (-half, half, 0.0)]
    mesh.from_pydata(corners, [], [(0, 1, 2, 3)])
    obj = bpy.data.objects.new(name, mesh)
    collection.objects.link(obj)
    obj.location.z = height
    obj.redmax.collider.role = "GROUND"
    return obj
