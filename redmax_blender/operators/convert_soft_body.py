"""Convert Soft Body: flesh from Blender's own modifier."""

import bpy
from bpy.app.translations import pgettext_tip as tip_

from ..bridge.flesh.convert_soft_body import convert_soft_body, soft_body_of
from ..engine.errors import InputError


class REDMAX_OT_convert_soft_body(bpy.types.Operator):
    """Make the selected meshes with Soft Body modifiers soft: mass, stiffness, friction and goal group are read"""

    bl_idname = "redmax.convert_soft_body"
    bl_label = "Convert Soft Body"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not any(soft_body_of(obj) for obj in context.selected_objects):
            cls.poll_message_set(tip_("No selected mesh has a Soft Body modifier"))
            return False
        return True

    def execute(self, context):
        found = [obj for obj in context.selected_objects if soft_body_of(obj)]
        try:
            said = [line for obj in found for line in convert_soft_body(obj, context)]
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for line in said:
            self.report({"INFO"}, line)
        return {"FINISHED"}
