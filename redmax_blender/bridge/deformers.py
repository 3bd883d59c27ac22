"""What else deforms a soft mesh is switched off while a simulation or its bake shows, and restored after.

The simulated shape already follows the bones: an Armature modifier on top would deform the mesh twice.
"""

from __future__ import annotations

import json
from typing import Any

import bpy

from .rig import is_physical
from .soft_meshes import PARENT


def pause(obj: bpy.types.Object) -> None:
    """Switch off what makes simulated armatures deform the mesh; remembered in its settings.

    What was switched off before, and on again by the user, stays on.
    """
    before: dict[str, Any] = json.loads(obj.redmax.flesh.paused or "{}")
    for modifier in obj.modifiers:
        uid = str(modifier.persistent_uid)
        if modifier.type == "ARMATURE" and is_physical(modifier.object) and uid not in before:
            before[uid] = [modifier.show_viewport, modifier.show_render]
            modifier.show_viewport = modifier.show_render = False
    if obj.parent_type == "ARMATURE" and is_physical(obj.parent):
        # Blender's older way to deform by parenting; as a plain child the object stays where it is.
        before[PARENT] = True
        obj.parent_type = "OBJECT"
    said = json.dumps(before)
    if obj.redmax.flesh.paused != said:
        obj.redmax.flesh.paused = said


def restore(obj: bpy.types.Object) -> None:
    """Switch on what `pause` switched off."""
    if not obj.redmax.flesh.paused:
        return
    before = json.loads(obj.redmax.flesh.paused)
    obj.redmax.flesh.paused = ""
    for modifier in obj.modifiers:
        shown = before.get(str(modifier.persistent_uid))
        if shown is not None:
            modifier.show_viewport, modifier.show_render = shown
    if PARENT in before and obj.parent is not None:
        obj.parent_type = "ARMATURE"
