"""Simulate: run over the frame range, with progress, until done or Esc."""

import bpy
from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import BoolProperty

from ..bridge.flesh.soft_meshes import is_soft
from ..bridge.rig.bodies import simulated_objects
from ..bridge.run.auto import auto
from ..bridge.run.coming import Coming
from ..bridge.run.engine_process import engine
from ..bridge.run.simulate_scene import Simulation, simulate_scene
from ..engine.errors import InputError

LOOK = 0.02
"""Seconds between two looks at what has arrived."""
FIRST_TIME = "RedMax: preparing (compiles once after installation, up to a minute)"


class REDMAX_OT_simulate(bpy.types.Operator):
    """Simulate all physical bones and bodies of the scene over the frame range; Esc stops and keeps what is done"""

    bl_idname = "redmax.simulate"
    bl_label = "Simulate"
    bl_options = {"REGISTER", "UNDO"}

    from_current: BoolProperty(
        name="Re-simulate From Here",
        description="Keep the frames up to the current one, and re-simulate those after it",
        options={"HIDDEN", "SKIP_SAVE"},  # in the panel of the last operator a tick would simulate again
    )

    @classmethod
    def description(cls, _context, properties):
        if properties.from_current:
            return tip_("Keep the frames up to the current one, and re-simulate those after it")
        return tip_(cls.__doc__)

    @classmethod
    def poll(cls, context):
        objects = simulated_objects(context.scene)
        if not objects:
            cls.poll_message_set(
                tip_(
                    "No bone is physical and no object is an active body: select an armature and press Make Physical, "
                    "or make mesh objects bodies in the Body panel"
                )
            )
            return False
        if any(obj.redmax.is_baked and is_soft(obj) for obj in objects):
            cls.poll_message_set(tip_("Delete the bake of the soft meshes first"))
            return False
        if context.window_manager.redmax.running:
            cls.poll_message_set(tip_("A simulation is running"))
            return False
        return True

    def execute(self, context):
        try:
            outcome = simulate_scene(context, since=self.since(context))
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return self.tell(outcome)

    def invoke(self, context, _event):
        if bpy.app.background:
            return self.execute(context)
        self.simulation = None
        self.timer = context.window_manager.event_timer_add(LOOK, window=context.window)
        context.window_manager.modal_handler_add(self)
        context.window_manager.redmax.running = True
        self.drawn = engine.ready
        if not engine.ready:
            self.show(context, 0.0, iface_(FIRST_TIME))
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            return self.end(context, cancelled=True)
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}  # nothing else may change the scene while it is being simulated
        if not self.drawn:  # let the message appear before the scene is read
            self.drawn = True
            return {"RUNNING_MODAL"}
        try:
            return self.work(context)
        except InputError as error:
            self.stop(context)
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}

    def work(self, context):
        """Take the frames that have arrived."""
        if self.simulation is None:
            auto.stop()
            self.simulation = Simulation(context, apart=True, since=self.since(context))
            self.coming = Coming(self.simulation)
        before = -1
        while before < self.simulation.done:
            before = self.simulation.done
            if not self.simulation.advance():
                return self.end(context, cancelled=False)
        done, total = self.simulation.done, self.simulation.total
        if done == 0:
            return {"RUNNING_MODAL"}
        self.coming.show(context)
        frame = self.simulation.reading.frame_start + done - 1
        text = iface_("RedMax: frame {frame}, {done} of {total}. Esc stops and keeps them")
        self.show(context, done / total, text.format(frame=frame, done=done, total=total))
        return {"RUNNING_MODAL"}

    def since(self, context):
        return context.scene.frame_current if self.from_current else None

    def end(self, context, cancelled):
        """Keep what is done and say so."""
        self.stop(context)
        if self.simulation is None or self.simulation.kept == 0:
            self.report({"INFO"}, "Stopped before the first frame")
            return {"CANCELLED"}
        return self.tell(self.simulation.finish(context, cancelled=cancelled))

    def cancel(self, context):
        """Blender closes the window."""
        self.stop(context)

    def stop(self, context):
        if self.simulation is not None:
            self.simulation.stop()
            self.coming.end(context.scene)
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.redmax.running = False
        context.workspace.status_text_set(None)
        self.redraw(context)

    def show(self, context, factor, message):
        progress = context.window_manager.redmax
        progress.factor = factor
        progress.message = message
        context.workspace.status_text_set(message)
        self.redraw(context)

    @staticmethod
    def redraw(context):
        for area in context.screen.areas:
            if area.type in ("VIEW_3D", "STATUSBAR", "DOPESHEET_EDITOR"):
                area.tag_redraw()

    def tell(self, outcome):
        for warning in outcome.warnings:
            self.report({"WARNING"}, warning)
        recording = outcome.recording
        if outcome.diverged:
            self.report({"ERROR"}, outcome.diverged)
        elif outcome.cancelled:
            text = rpt_("Stopped: frames {first} to {last} are kept")
            self.report({"INFO"}, text.format(first=recording.frame_start, last=recording.frame_last))
        else:
            text = rpt_("Simulated frames {first} to {last}")
            self.report({"INFO"}, text.format(first=recording.frame_start, last=recording.frame_last))
        return {"FINISHED"}
