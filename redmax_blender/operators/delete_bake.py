"""Delete Bake: the actions as they were before."""

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_

from ..bridge.bake.bake import delete_bake
from ..bridge.mechanism import rigid_body_world
from ..bridge.recording.playback import show_frame


class REDMAX_OT_delete_bake(bpy.types.Operator):
    """Remove the baked actions and give the objects back those they had before"""

    bl_idname = "redmax.delete_bake"
    bl_label = "Delete Bake"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not any(obj.redmax.is_baked for obj in context.scene.objects):
            cls.poll_message_set(tip_("Nothing is baked"))
            return False
        return True

    def execute(self, context):
        baked = [obj for obj in context.scene.objects if obj.redmax.is_baked]
        for obj in baked:
            delete_bake(obj)
        rigid_body_world.resume(context.scene)
        context.view_layer.update()  # now, not later: the action that is back would overwrite what is shown
        show_frame(context.scene)
        text = rpt_("Deleted the bake of {names}")
        if len(baked) > 3:
            text = rpt_("Deleted the bake of {names} and {more} more")
        names = ", ".join(repr(obj.name) for obj in baked[:3])
        self.report({"INFO"}, text.format(names=names, more=len(baked) - 3))
        return {"FINISHED"}
