"""Free Cache: forget what was simulated."""

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_

from ..bridge.run.simulate_scene import free_cache


class REDMAX_OT_free_cache(bpy.types.Operator):
    """Forget the simulation; bones and objects return to where it started, muted constraints come back"""

    bl_idname = "redmax.free_cache"
    bl_label = "Free Cache"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not any(obj.redmax.result for obj in context.scene.objects):
            cls.poll_message_set(tip_("Nothing has been simulated"))
            return False
        return True

    def execute(self, context):
        context.scene.redmax.auto = False
        count = free_cache(context)
        text = (
            rpt_("Freed the cache of {count} objects") if count > 1 else rpt_("Freed the cache of 1 object")
        )
        self.report({"INFO"}, text.format(count=count))
        return {"FINISHED"}
