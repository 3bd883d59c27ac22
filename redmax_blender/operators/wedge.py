"""Wedge: simulate with many values at once, each a take; and what comes back of it."""

from pathlib import Path
from time import sleep

import bpy
from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import EnumProperty, IntProperty

from ..bridge.rig.bodies import simulated_objects
from ..bridge.takes.wedge import Wedge, add_varied
from ..engine.errors import FAILURES, InputError
from ..wedges.folder import CHART, SHEET, TABLE
from .simulate import LOOK

FILES = (
    ("SHEET", "Contact Sheet", "A picture of every run, from start to end, with its values"),
    ("CHART", "Chart", "What was measured, over what was varied"),
    ("TABLE", "Table", "All that was measured, a row a run, for a spreadsheet"),
)


class REDMAX_OT_vary_in_wedge(bpy.types.Operator):
    """Let the wedge vary this setting: simulate with a range of values of it"""

    bl_idname = "redmax.vary_in_wedge"
    bl_label = "Vary in a Wedge"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        setting = getattr(context, "button_prop", None)
        if setting is None or setting.type not in ("FLOAT", "INT") or setting.is_array:
            cls.poll_message_set(tip_("Right-click a setting that is a single number"))
            return False
        return True

    def execute(self, context):
        thing, setting = context.button_pointer, context.button_prop
        try:
            vary = add_varied(
                context.scene, thing.id_data, thing.path_from_id(setting.identifier), setting.name
            )
        except (InputError, ValueError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, rpt_("The wedge varies {name}: see the Takes panel").format(name=vary.name))
        return {"FINISHED"}


class REDMAX_OT_remove_varied(bpy.types.Operator):
    """The wedge does not vary this setting any more"""

    bl_idname = "redmax.remove_varied"
    bl_label = "Remove from Wedge"
    bl_options = {"REGISTER", "UNDO"}

    index: IntProperty(name="Index", description="Number of the entry, from 0 on", min=0)

    def execute(self, context):
        varied = context.scene.redmax.wedge.varied
        if self.index >= len(varied):
            self.report({"ERROR"}, "There is no such entry")
            return {"CANCELLED"}
        varied.remove(self.index)
        return {"FINISHED"}


class REDMAX_OT_simulate_wedge(bpy.types.Operator):
    """Simulate with every value of what the wedge varies, on all cores; each run becomes a take. Esc stops and keeps \
what is done"""

    bl_idname = "redmax.simulate_wedge"
    bl_label = "Simulate Wedge"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not simulated_objects(context.scene):
            cls.poll_message_set(
                tip_("No bone is physical and no object is an active body: set something up first")
            )
            return False
        if context.window_manager.redmax.running:
            cls.poll_message_set(tip_("A simulation is running"))
            return False
        return True

    def execute(self, context):
        try:
            wedge = Wedge(context)
            for line in wedge:
                if line is None:
                    sleep(LOOK)
        except (InputError, *FAILURES) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return self.take(context, wedge)

    def invoke(self, context, _event):
        if bpy.app.background:
            return self.execute(context)
        self.wedge = None
        self.timer = context.window_manager.event_timer_add(LOOK, window=context.window)
        context.window_manager.modal_handler_add(self)
        context.window_manager.redmax.running = True
        self.show(context, 0.0, iface_("RedMax: reading the scene with every value"))
        self.drawn = False
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            return self.end(context)
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        if not self.drawn:
            self.drawn = True
            return {"RUNNING_MODAL"}
        try:
            return self.work(context)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return self.end(context)

    def work(self, context):
        if self.wedge is None:
            self.wedge = Wedge(context)
        for line in self.wedge:
            if line is None:
                done, total = len(self.wedge.reports), len(self.wedge.plan.runs)
                text = iface_("RedMax: {done} of {total} runs. Esc stops and keeps them")
                self.show(context, done / total, text.format(done=done, total=total))
                return {"RUNNING_MODAL"}
        return self.end(context)

    def end(self, context):
        self.stop(context)
        if self.wedge is None or not self.wedge.reports:
            self.report({"INFO"}, "Stopped before the first run was done")
            return {"CANCELLED"}
        return self.take(context, self.wedge)

    def cancel(self, context):
        """Blender closes the window."""
        self.stop(context)

    def stop(self, context):
        if self.wedge is not None:
            self.wedge.stop()
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.redmax.running = False
        context.workspace.status_text_set(None)
        self.redraw(context)

    def show(self, context, factor, message):
        progress = context.window_manager.redmax
        progress.factor, progress.message = factor, message
        context.workspace.status_text_set(message)
        self.redraw(context)

    @staticmethod
    def redraw(context):
        for area in context.screen.areas:
            if area.type in ("VIEW_3D", "STATUSBAR"):
                area.tag_redraw()

    def take(self, context, wedge):
        """Keep the runs as takes, and say so."""
        before = len(context.scene.redmax.takes)
        for line in wedge.finish(context):
            self.report({"WARNING"}, line)
        count = len(context.scene.redmax.takes) - before
        text = rpt_("{done} of {total} runs are done: {count} new takes")
        self.report({"INFO"}, text.format(done=len(wedge.reports), total=len(wedge.plan.runs), count=count))
        return {"FINISHED"}


class REDMAX_OT_show_wedge_file(bpy.types.Operator):
    """Open what the last wedge has left, in the program that shows such files"""

    bl_idname = "redmax.show_wedge_file"
    bl_label = "Show"

    file: EnumProperty(name="File", description="Which one", items=FILES)

    @classmethod
    def poll(cls, context):
        folder = context.scene.redmax.wedge.folder
        if not folder or not Path(folder).is_dir():
            cls.poll_message_set(tip_("There is no wedge yet, or its folder is gone"))
            return False
        return True

    def execute(self, context):
        name = {"SHEET": SHEET, "CHART": CHART, "TABLE": TABLE}[self.file]
        path = Path(context.scene.redmax.wedge.folder) / name
        if not path.exists():
            self.report({"ERROR"}, rpt_("There is no file '{path}'").format(path=path))
            return {"CANCELLED"}
        if self.file == "TABLE":
            bpy.ops.wm.path_open(filepath=str(path))
        else:
            bpy.ops.wm.url_open(url=path.as_uri())
        return {"FINISHED"}


CLASSES = (
    REDMAX_OT_vary_in_wedge,
    REDMAX_OT_remove_varied,
    REDMAX_OT_simulate_wedge,
    REDMAX_OT_show_wedge_file,
)
