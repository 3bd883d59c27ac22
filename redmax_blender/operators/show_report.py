"""Show Report: open the text block that Make Physical wrote."""

import bpy
from bpy.app.translations import pgettext_tip as tip_

from ..bridge.rig.make_physical import report_name


class REDMAX_OT_show_report(bpy.types.Operator):
    """Open what Make Physical decided for each bone in a text editor"""

    bl_idname = "redmax.show_report"
    bl_label = "Show Report"

    @classmethod
    def poll(cls, context):
        if context.object is None or report_name(context.object) not in bpy.data.texts:
            cls.poll_message_set(tip_("There is no report; press Make Physical"))
            return False
        return True

    def execute(self, context):
        text = bpy.data.texts[report_name(context.object)]
        if bpy.app.background:
            self.report({"INFO"}, text.as_string())
            return {"FINISHED"}
        open_text(context, text)
        return {"FINISHED"}


def open_text(context, text):
    """A window of its own for a text block, from its first line."""
    bpy.ops.wm.window_new()
    area = context.window_manager.windows[-1].screen.areas[0]
    area.type = "TEXT_EDITOR"
    area.spaces[0].text = text
    area.spaces[0].top = 0
    area.spaces[0].show_word_wrap = True
    area.spaces[0].show_syntax_highlight = False
