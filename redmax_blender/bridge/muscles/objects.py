"""Which objects are muscles, and which are surfaces of theirs. Loads nothing of the engine."""

from __future__ import annotations

import bpy


def is_muscle(obj: bpy.types.Object | None) -> bool:
    """Whether a curve object is drawn as a muscle."""
    return obj is not None and obj.type == "CURVE" and obj.redmax.muscle.is_muscle


def muscles(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """In order of name."""
    return sorted((obj for obj in scene.objects if is_muscle(obj)), key=lambda obj: obj.name)


def surfaces(obj: bpy.types.Object) -> list[bpy.types.Object]:
    """What a muscle slides over."""
    collection = obj.redmax.muscle.surfaces
    if collection is None:
        return []
    return [other for other in collection.all_objects if other.redmax.wrap.kind != "NONE"]
