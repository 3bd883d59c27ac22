"""Bake: the simulation as keyframes."""

import bpy
from bpy.props import BoolProperty

from ..bridge import cache
from ..bridge.bake import bake_armature
from ..engine.errors import SceneError


class REDMAX_OT_bake(bpy.types.Operator):
    """Write the simulation into a copy of each armature's action; only the simulated bones' keys are replaced"""

    bl_idname = "redmax.bake"
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}

    only_selected: BoolProperty(name="Only Selected Armatures", description="Leave other armatures unbaked")

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
        armatures = [
            obj
            for obj in context.scene.objects
            if obj.redmax.result and not obj.redmax.is_baked and (obj.select_get() or not self.only_selected)
        ]
        if not armatures:
            self.report({"ERROR"}, "No simulated armature is selected")
            return {"CANCELLED"}
        try:
            actions = [bake_armature(obj, context.scene) for obj in armatures]
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        names = ", ".join(f"'{action.name}'" for action in actions)
        self.report({"INFO"}, f"Baked {len(actions)} armature{'s' if len(actions) > 1 else ''} into {names}")
        return {"FINISHED"}
