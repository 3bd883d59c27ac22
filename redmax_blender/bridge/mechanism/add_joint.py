"""A joint between two bodies as an empty of ours."""

from __future__ import annotations

import bpy
from mathutils import Matrix

from ...engine.errors import SceneError

DISPLAY = {"HINGE": "SINGLE_ARROW", "POINT": "SPHERE", "FIXED": "CUBE"}
"""How the empty of a joint is drawn; a hinge's arrow is its axis."""


def add_joint(
    kind: str,
    first: bpy.types.Object | None,
    second: bpy.types.Object | None,
    pose: Matrix,
    collection: bpy.types.Collection,
    *,
    name: str = "",
    size: float = 0.25,
) -> bpy.types.Object:
    """An empty at a pose in the world that connects two bodies, or a body and the world when one is None.

    It is parented to one of them, so that it is shown where its joint is while they move.
    """
    if first == second:
        raise SceneError("Joint", "it needs two different objects", "Select two bodies, or one.")
    obj = bpy.data.objects.new(name or kind.capitalize(), None)
    obj.empty_display_type, obj.empty_display_size = DISPLAY.get(kind, "ARROWS"), size
    collection.objects.link(obj)
    carrier = first or second
    if carrier is not None:
        obj.parent, obj.matrix_parent_inverse = carrier, carrier.matrix_world.inverted_safe()
    obj.matrix_basis = pose
    joint = obj.redmax.joint
    joint.kind, joint.object1, joint.object2 = kind, first, second
    return obj
