"""Play Live: the simulation plays in the 3D view; what is dragged with the mouse is pulled along."""

from time import perf_counter

import bpy
from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import BoolProperty, IntProperty
from mathutils import Vector

from ..bridge.board import watch
from ..bridge.board.controls import press
from ..bridge.rig.bodies import simulated_objects
from ..bridge.run.live import Live
from ..bridge.run.pick import View, pick
from ..engine.errors import FAILURES, InputError

LOOK = 1.0 / 60.0
"""Seconds between two looks at what has arrived."""
NAVIGATION = {
    "MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "WHEELINMOUSE", "WHEELOUTMOUSE", "TRACKPADPAN", "TRACKPADZOOM",
    "MOUSEROTATE", "MOUSESMARTZOOM", "NDOF_MOTION", "NUMPAD_0", "NUMPAD_1", "NUMPAD_2", "NUMPAD_3", "NUMPAD_4",
    "NUMPAD_5", "NUMPAD_6", "NUMPAD_7", "NUMPAD_8", "NUMPAD_9", "NUMPAD_PERIOD", "HOME", "INBETWEEN_MOUSEMOVE",
}  # fmt: skip
"""Events that move the view: they pass through."""
STARTING = "RedMax live: starting (compiles once after installation, up to a minute)"


class REDMAX_OT_live(bpy.types.Operator):
    """Play the simulation in the 3D view, and pull at bones and bodies with the mouse. Esc cancels and \
restores everything; Enter keeps what was played in the cache"""

    bl_idname = "redmax.live"
    bl_label = "Play Live"
    bl_options = {"REGISTER", "UNDO"}

    frames: IntProperty(
        name="Frames",
        description="How many frames to play when there is nobody to watch, as in a script without a window",
        default=24,
        min=1,
        options={"SKIP_SAVE"},
    )
    keep: BoolProperty(
        name="Keep",
        description="Keep what was played, up to the end of the range, in the cache",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context):
        objects = simulated_objects(context.scene)
        if not objects:
            cls.poll_message_set(
                tip_("No bone is physical and no object is an active body: set something up first")
            )
            return False
        if any(obj.redmax.is_baked for obj in objects):
            cls.poll_message_set(tip_("Delete the bake first"))
            return False
        if context.window_manager.redmax.running or context.window_manager.redmax.live:
            cls.poll_message_set(tip_("A simulation is running"))
            return False
        return True

    def execute(self, context):
        """Play some frames at once, without a window."""
        try:
            live = Live(context)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        try:
            for _ in range(self.frames):
                live.take()
                live.show(context)
        except FAILURES as error:
            live.end(context)
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return self.finish(context, live, self.keep)

    def invoke(self, context, _event):
        if bpy.app.background:
            return self.execute(context)
        if context.area is None or context.area.type != "VIEW_3D":
            self.report({"ERROR"}, "Play Live needs a 3D view: press its button there")
            return {"CANCELLED"}
        self.live, self.held, self.view = None, None, None
        self.rate = Rate()
        self.timer = context.window_manager.event_timer_add(LOOK, window=context.window)
        context.window_manager.modal_handler_add(self)
        context.window_manager.redmax.live = True
        context.workspace.status_text_set(iface_(STARTING))
        self.drawn = False
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
            return self.stop(context, keep=False)
        if event.type in {"RET", "NUMPAD_ENTER"} and event.value == "PRESS":
            return self.stop(context, keep=True)
        if event.type in NAVIGATION or (self.held is None and beside_the_view(context, event)):
            return {"PASS_THROUGH"}
        try:
            if event.type == "TIMER":
                self.play(context)
            elif self.live is not None:
                if event.value == "PRESS":
                    press(context.scene, event.type, event.shift)
                self.mouse(context, event)
        except (InputError, *FAILURES) as error:
            self.report({"ERROR"}, str(error))
            return self.stop(context, keep=False)
        return {"RUNNING_MODAL"}

    def play(self, context):
        """Show the newest frame."""
        if not self.drawn:  # let the message appear before the scene is read
            self.drawn = True
            return
        if self.live is None:
            self.live = Live(context, apart=True)
            self.places = self.live.board.places()
            watch.begin()
            return
        self.change(context)
        frames = self.live.take()
        if not frames:
            return
        self.live.show(context)
        self.rate.add(frames[-1].busy)
        duration = self.live.reading.scene.time.step * self.live.reading.scene.time.record
        context.workspace.status_text_set(self.live.run.refused or self.rate.message(duration))
        for area in context.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()

    def change(self, context):
        """Let what was switched, slid or typed since the last look take effect."""
        places = self.live.board.places()
        if self.live.done and (watch.changed or places != self.places):
            watch.changed, self.places = False, places
            try:
                self.live.change(context)
            except InputError as error:
                self.report({"WARNING"}, str(error))

    def mouse(self, context, event):
        """Take hold, pull, let go."""
        if event.type == "LEFTMOUSE" and event.value == "PRESS":
            self.view = view_under(context, event)
            if self.view is None or not self.live.done:
                return
            picked = pick(context, self.live.reading, self.view, cursor_in(self.view, event))
            if picked is not None:
                self.held = picked.place
                self.live.ask(context.scene, [picked.body])
                self.live.grab(*picked)
        elif event.type == "LEFTMOUSE" and event.value == "RELEASE" and self.held is not None:
            self.held = None
            self.live.let_go()
        elif event.type == "MOUSEMOVE" and self.held is not None:
            self.live.pull(self.view.beside(cursor_in(self.view, event), self.held))

    def stop(self, context, keep):
        """End the session, and the timer, and the message."""
        watch.end()
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.redmax.live = False
        context.workspace.status_text_set(None)
        for area in context.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()
        live, self.live = self.live, None
        return {"CANCELLED"} if live is None else self.finish(context, live, keep)

    def cancel(self, context):
        """Blender closes the window."""
        self.stop(context, keep=False)

    def finish(self, context, live, keep):
        if not keep or live.kept < 2:
            live.end(context)
            return {"CANCELLED"}
        outcome = live.keep(context)
        for warning in outcome.warnings:
            self.report({"WARNING"}, warning)
        recording = outcome.recording
        text = rpt_("Kept frames {first} to {last}")
        self.report({"INFO"}, text.format(first=recording.frame_start, last=recording.frame_last))
        return {"FINISHED"}


def beside_the_view(context, event):
    """Whether the cursor is over a panel or another editor, which work while it plays."""
    for area in context.screen.areas:
        for region in area.regions:
            x, y = event.mouse_x - region.x, event.mouse_y - region.y
            inside = region.width > 1 and 0 <= x < region.width and 0 <= y < region.height
            if inside and (area.type != "VIEW_3D" or region.type in ("UI", "HEADER", "TOOL_HEADER")):
                return event.type != "TIMER"
    return False


class Rate:
    """How many frames a second are shown, and how busy the engine is, smoothed over about a second."""

    def __init__(self):
        self.last, self.interval, self.busy = 0.0, 0.0, 0.0

    def add(self, busy):
        now = perf_counter()
        passed, self.last = now - (self.last or now), now
        part = 1.0 if not self.interval else min(passed, 1.0)
        self.interval += part * (passed - self.interval)
        self.busy += part * (busy - self.busy)

    def message(self, duration):
        """A line for the status bar; duration: of a frame [s]."""
        speed = min(duration / max(self.busy, 1e-9), 1.0)
        text = iface_(
            "RedMax live: {rate} fps, {speed} of real time. Drag to pull · Enter keeps · Esc: cancel and restore"
        )
        return text.format(rate=f"{1.0 / max(self.interval, 1e-9):.3g}", speed=f"{speed:.0%}")


def view_under(context, event):
    """The 3D view under the cursor; None when there is none."""
    for area in context.screen.areas:
        if area.type != "VIEW_3D":
            continue
        region = next(region for region in area.regions if region.type == "WINDOW")
        x, y = event.mouse_x - region.x, event.mouse_y - region.y
        if 0 <= x < region.width and 0 <= y < region.height:
            return View(region, area.spaces.active.region_3d)
    return None


def cursor_in(view, event):
    """The cursor in a view [px]."""
    return Vector((event.mouse_x - view.region.x, event.mouse_y - view.region.y))
