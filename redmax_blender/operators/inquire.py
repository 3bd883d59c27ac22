"""Inquire: what the selected parts feel, at all frames of the simulation; as graphs, and as a table."""

from pathlib import Path

import bpy
from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import StringProperty
from bpy_extras.io_utils import ExportHelper

from ..bridge.inquire.asking import Asking, answers, inquire_scene, keep, write_table
from ..bridge.inquire.graphs import graph_answers
from ..bridge.recording import cache
from ..engine.errors import FAILURES, InputError

LOOK = 0.05
"""Seconds between two looks at what has arrived."""


def _asked(cls, context):
    found = answers(context.scene)
    if found is None or not found.key:
        cls.poll_message_set(tip_("Press Inquire first"))
        return False
    return True


class REDMAX_OT_inquire(bpy.types.Operator):
    """Tell what the selected bodies, bones, joints, springs, muscles and colliders feel, at all frames of the \
simulation: reactions, tensions, friction used and available, contact forces, energy, momentum"""

    bl_idname = "redmax.inquire"
    bl_label = "Inquire"

    @classmethod
    def poll(cls, context):
        if not cache.keys_shown(context.scene):
            cls.poll_message_set(tip_("Simulate first"))
            return False
        if context.window_manager.redmax.running or context.window_manager.redmax.live:
            cls.poll_message_set(tip_("A simulation is running"))
            return False
        return True

    def execute(self, context):
        try:
            found = inquire_scene(context, context.scene.redmax.inquire.axes.lower())
        except (InputError, *FAILURES) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return self.tell(found)

    def invoke(self, context, _event):
        if bpy.app.background:
            return self.execute(context)
        try:
            self.asking = Asking(context, context.scene.redmax.inquire.axes.lower(), apart=True)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.timer = context.window_manager.event_timer_add(LOOK, window=context.window)
        context.window_manager.modal_handler_add(self)
        context.window_manager.redmax.running = True
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self.stop(context)
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}  # nothing may change while the frames are gone through
        try:
            more = self.asking.advance()
        except (InputError, *FAILURES) as error:
            self.stop(context)
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        done, total = len(self.asking.answers.moments), self.asking.total
        progress = context.window_manager.redmax
        progress.factor = min(done / max(total, 1), 1.0)
        progress.message = iface_("Inquiring: frame {done} of {total}. Esc stops").format(
            done=done, total=total
        )
        context.workspace.status_text_set(progress.message)
        self.redraw(context)
        if more:
            return {"RUNNING_MODAL"}
        self.stop(context)
        keep(context.scene, self.asking.answers)
        return self.tell(self.asking.answers)

    def cancel(self, context):
        """Blender closes the window."""
        self.stop(context)

    def stop(self, context):
        self.asking.stop()
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.redmax.running = False
        context.workspace.status_text_set(None)
        self.redraw(context)

    @staticmethod
    def redraw(context):
        for area in context.screen.areas:
            if area.type in ("VIEW_3D", "STATUSBAR"):
                area.tag_redraw()

    def tell(self, found):
        text = rpt_("{count} frames of {names}")
        self.report({"INFO"}, text.format(count=len(found.moments), names=", ".join(found.names)))
        return {"FINISHED"}


class REDMAX_OT_graph_inquiry(bpy.types.Operator):
    """Bake what was inquired as animated custom properties, for the Graph Editor"""

    bl_idname = "redmax.graph_inquiry"
    bl_label = "Graph Inquiry"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return _asked(cls, context)

    def execute(self, context):
        holder = graph_answers(context.scene, answers(context.scene))
        text = rpt_("Figures are custom properties of '{name}'")
        self.report({"INFO"}, text.format(name=holder.name))
        return {"FINISHED"}


class REDMAX_OT_inquiry_table(bpy.types.Operator, ExportHelper):
    """Write what was inquired as a table (CSV), a line for each frame"""

    bl_idname = "redmax.inquiry_table"
    bl_label = "Save Table"
    filename_ext = ".csv"
    filter_glob: StringProperty(default="*.csv", options={"HIDDEN"})

    @classmethod
    def poll(cls, context):
        return _asked(cls, context)

    def execute(self, context):
        try:
            count = write_table(answers(context.scene), Path(self.filepath))
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        text = rpt_("Wrote {count} frames to '{path}'")
        self.report({"INFO"}, text.format(count=count, path=self.filepath))
        return {"FINISHED"}


CLASSES = (REDMAX_OT_inquire, REDMAX_OT_graph_inquiry, REDMAX_OT_inquiry_table)
