"""Clear Soft: the meshes are meshes again."""

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_

from ..bridge.flesh.make_soft import clear_soft
from ..bridge.flesh.soft_meshes import is_soft
from ..engine.errors import SceneError


class REDMAX_OT_clear_soft(bpy.types.Operator):
    """Take the selected meshes out of the simulation as flesh; their settings stay for the next time"""

    bl_idname = "redmax.clear_soft"
    bl_label = "Clear Soft"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        soft = [obj for obj in context.selected_objects if is_soft(obj)]
        if not soft:
            cls.poll_message_set(tip_("No selected mesh is soft"))
            return False
        if any(obj.redmax.is_baked for obj in soft):
            cls.poll_message_set(tip_("Delete the bake first"))
            return False
        return True

    def execute(self, context):
        soft = [obj for obj in context.selected_objects if is_soft(obj)]
        try:
            for obj in soft:
                clear_soft(obj, context.scene)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        text = (
            rpt_("{count} meshes are no longer soft") if len(soft) > 1 else rpt_("1 mesh is no longer soft")
        )
        self.report({"INFO"}, text.format(count=len(soft)))
        return {"FINISHED"}
