"""Which objects of a scene are there for a simulation."""

from __future__ import annotations

import bpy


def present(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The scene's objects, but for those that its view layers exclude: Blender does not evaluate them."""
    # Blender lists none for what it has not yet loaded when a file was just opened.
    found = {obj.name_full: obj for layer in scene.view_layers for obj in layer.objects if obj is not None}
    return list(found.values())
