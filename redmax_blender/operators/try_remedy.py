"""Try Again: what the diagnosis of a failed run suggests, done and simulated again."""

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_

from ..bridge.run.remedy import apply_remedy


class REDMAX_OT_try_remedy(bpy.types.Operator):
    """Change what the diagnosis suggests; simulate again to see whether it helps"""

    bl_idname = "redmax.try_remedy"
    bl_label = "Try This"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        diagnosis = context.scene.redmax.diagnosis
        if not diagnosis.failed or diagnosis.remedy == "NONE":
            cls.poll_message_set(tip_("The last simulation did not fail"))
            return False
        return True

    def execute(self, context):
        text = apply_remedy(context.scene)
        self.report({"INFO"}, rpt_("{what}. Press Simulate").format(what=text))
        return {"FINISHED"}
