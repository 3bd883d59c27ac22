"""Which objects of a scene are there for a simulation."""

from __future__ import annotations

import bpy


def present(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The scene's objects, but for those that its view layers exclude: Blender does not evaluate them."""
    found = {obj.name_full: obj for layer in scene.view_layers for obj in layer.objects}
    return list(found.values())
