"""Bake: the simulation as keyframes."""

import bpy
from bpy.props import BoolProperty

from ..bridge import cache
from ..bridge.bake import bake_object
from ..engine.errors import SceneError


class REDMAX_OT_bake(bpy.types.Operator):
    """Write the simulation into a copy of each object's action; only the keys of what is simulated are replaced"""

    bl_idname = "redmax.bake"
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}

    only_selected: BoolProperty(name="Only Selected", description="Leave other objects unbaked")

    @classmethod
    def poll(cls, context):
        shown = [obj for obj in context.scene.objects if obj.redmax.result]
        if not shown:
            cls.poll_message_set("Simulate first")
            return False
        if all(obj.redmax.is_baked for obj in shown):
            cls.poll_message_set("It is baked; Delete Bake to bake again")
            return False
        if all(cache.track_of(obj, context.scene) is None for obj in shown):
            cls.poll_message_set("The cache is missing; simulate again")
            return False
        return True

    def execute(self, context):
        objects = [
            obj
            for obj in context.scene.objects
            if obj.redmax.result and not obj.redmax.is_baked and (obj.select_get() or not self.only_selected)
        ]
        if not objects:
            self.report({"ERROR"}, "No simulated object is selected")
            return {"CANCELLED"}
        try:
            actions = [bake_object(obj, context.scene) for obj in objects]
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        names = ", ".join(f"'{action.name}'" for action in actions[:3])
        more = f" and {len(actions) - 3} more" if len(actions) > 3 else ""
        self.report(
            {"INFO"}, f"Baked {len(actions)} object{'s' if len(actions) > 1 else ''} into {names}{more}"
        )
        return {"FINISHED"}
