"""What else deforms a soft mesh is switched off while a simulation or its bake shows, and restored after.

The simulated shape already follows the bones: an Armature modifier on top would deform the mesh twice.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

import bpy

from ..flesh.soft_meshes import PARENT


def pause(obj: bpy.types.Object, simulated: Collection[bpy.types.Object]) -> None:
    """Switch off what makes simulated armatures deform the mesh; remembered in its settings.

    What was switched off before, and on again by the user, stays on.
    """
    before: dict[str, Any] = json.loads(obj.redmax.flesh.paused or "{}")
    for modifier in obj.modifiers:
        uid = str(modifier.persistent_uid)
        if modifier.type == "ARMATURE" and modifier.object in simulated and uid not in before:
            before[uid] = [modifier.show_viewport, modifier.show_render]
            modifier.show_viewport = modifier.show_render = False
    if obj.parent_type == "ARMATURE" and obj.parent in simulated:
        # Blender's older way to deform by parenting; as a plain child the object stays where it is.
        before[PARENT] = True
        obj.parent_type = "OBJECT"
    said = json.dumps(before)
    if obj.redmax.flesh.paused != said:
        obj.redmax.flesh.paused = said


def restore(obj: bpy.types.Object, earlier: str = "") -> None:
    """Switch on what `pause` switched off; or only what it did since its note said `earlier`."""
    if obj.redmax.flesh.paused == earlier:
        return
    before, stays = (json.loads(note or "{}") for note in (obj.redmax.flesh.paused, earlier))
    obj.redmax.flesh.paused = earlier
    for modifier in obj.modifiers:
        uid = str(modifier.persistent_uid)
        if uid in before and uid not in stays:
            modifier.show_viewport, modifier.show_render = before[uid]
    if PARENT in before and PARENT not in stays and obj.parent is not None:
        obj.parent_type = "ARMATURE"
