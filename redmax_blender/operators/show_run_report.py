"""Show Run Report: open the text block that a run wrote."""

import bpy
from bpy.app.translations import pgettext_tip as tip_

from ..bridge.run.report_text import NAME
from .show_report import open_text


class REDMAX_OT_show_run_report(bpy.types.Operator):
    """Open what the last simulation did in a text editor: steps, time, solver, energy and warnings"""

    bl_idname = "redmax.show_run_report"
    bl_label = "Run Report"

    @classmethod
    def poll(cls, _context):
        if NAME not in bpy.data.texts:
            cls.poll_message_set(tip_("There is no report; simulate first"))
            return False
        return True

    def execute(self, context):
        if bpy.app.background:
            self.report({"INFO"}, bpy.data.texts[NAME].as_string())
        else:
            open_text(context, bpy.data.texts[NAME])
        return {"FINISHED"}
