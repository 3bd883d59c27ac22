"""Goals: add and remove them, and search for what meets them."""

import bpy
from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import BoolProperty, EnumProperty, IntProperty

from ..bridge.goals.keep import keep
from ..bridge.goals.misses import farthest_miss
from ..bridge.goals.read_goals import read_goals
from ..bridge.goals.solve import SolveProcess, solve_here
from ..bridge.rig.bodies import simulated_objects
from ..bridge.rig.rig import metres_per_unit, physical_bones
from ..drawing.best_so_far import show_best
from ..drawing.overlay import forget
from ..engine.errors import FAILURES, InputError
from .simulate import FIRST_TIME, LOOK


class REDMAX_OT_add_goal(bpy.types.Operator):
    """Add a goal: the active object or bone reaches the other selected object at the current frame"""

    bl_idname = "redmax.add_goal"
    bl_label = "Add Goal"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        goal = context.scene.redmax.goals.wanted.add()
        obj = context.object
        goal.object = obj
        if context.active_pose_bone is not None:
            goal.bone = context.active_pose_bone.name
        others = [each for each in context.selected_objects if each != obj and each.type == "EMPTY"]
        goal.target = others[0] if others else None
        settings = context.scene.redmax
        inside = settings.frame_start < context.scene.frame_current <= settings.frame_end
        goal.frame = context.scene.frame_current if inside else settings.frame_end
        return {"FINISHED"}


class REDMAX_OT_add_change(bpy.types.Operator):
    """Add something that may change to reach the goals: at first the start velocity of the active object"""

    bl_idname = "redmax.add_change"
    bl_label = "Add Change"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        change = context.scene.redmax.goals.changes.add()
        obj = context.object
        change.object = obj if obj is not None and obj.type in ("MESH", "ARMATURE", "CURVE") else None
        if change.object is not None and obj.type != "MESH":
            change.kind = "TORQUE" if obj.type == "ARMATURE" else "EXCITATION"
        return {"FINISHED"}


class REDMAX_OT_set_up_goals(bpy.types.Operator):
    """Set up goals for the keys of the active armature, in place of the goals that there are"""

    bl_idname = "redmax.set_up_goals"
    bl_label = "Set Up Goals"
    bl_options = {"REGISTER", "UNDO"}

    kind: EnumProperty(
        name="Kind",
        description="What is wanted",
        items=(
            (
                "IN_BETWEENS",
                "In-Betweens",
                "Between its keyed poses the armature moves by physics with the least torques, and passes through them",
            ),
            (
                "FIT",
                "Fit",
                "Stiffness and damping are found with which the armature moves most as it is keyed",
            ),
        ),
    )

    @classmethod
    def poll(cls, context):
        obj = context.object
        if obj is None or obj.type != "ARMATURE" or not physical_bones(obj):
            cls.poll_message_set(tip_("Choose an armature with physical bones"))
            return False
        return True

    def execute(self, context):
        goals, obj = context.scene.redmax.goals, context.object
        goals.wanted.clear()
        goals.changes.clear()
        goal = goals.wanted.add()
        goal.object = obj
        if self.kind == "FIT":
            goal.kind, goals.effort, goals.method = "FOLLOW", 0.0, "AUTO"
            kinds = (("STIFFNESS", 20.0), ("DAMPING", 20.0))
        else:
            goal.kind, goal.weight, goals.effort, goals.method = "KEYS", 100.0, 0.01, "GRADIENT"
            kinds = (("TORQUE", 100.0), ("SPEEDS", 20.0))
        for kind, largest in kinds:
            change = goals.changes.add()
            change.kind, change.object, change.largest, change.knots = kind, obj, largest, 9
        goals.iterations = 100
        self.report({"INFO"}, "Look the goals over, and press Solve")
        return {"FINISHED"}


class REDMAX_OT_remove_goal(bpy.types.Operator):
    """Remove this entry"""

    bl_idname = "redmax.remove_goal"
    bl_label = "Remove Goal"
    bl_options = {"REGISTER", "UNDO"}

    index: IntProperty(name="Index", description="Number of the entry, from 0 on", min=0)
    of_changes: BoolProperty(name="Of Changes", description="An entry of what may change, not a goal")

    def execute(self, context):
        goals = context.scene.redmax.goals
        entries = goals.changes if self.of_changes else goals.wanted
        if self.index >= len(entries):
            self.report({"ERROR"}, "There is no such entry")
            return {"CANCELLED"}
        entries.remove(self.index)
        return {"FINISHED"}


class REDMAX_OT_solve_goals(bpy.types.Operator):
    """Simulate again and again with other values of what may change until the goals are met, and key the best; \
Esc stops and keeps the best so far"""

    bl_idname = "redmax.solve_goals"
    bl_label = "Solve"
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
            goals = read_goals(context)
            found = solve_here(goals.scene, lambda _: None)
        except (InputError, *FAILURES) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return self.take(context, goals, found)

    def invoke(self, context, _event):
        if bpy.app.background:
            return self.execute(context)
        self.goals = self.search = None
        self.timer = context.window_manager.event_timer_add(LOOK, window=context.window)
        context.window_manager.modal_handler_add(self)
        context.window_manager.redmax.running = True
        self.show(context, 0.0, iface_(FIRST_TIME))
        self.drawn = False
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            return self.end(context)
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}  # nothing else may change the scene meanwhile
        if not self.drawn:  # let the message appear before the scene is read
            self.drawn = True
            return {"RUNNING_MODAL"}
        try:
            if self.search is None:
                self.goals = read_goals(context)
                self.search = SolveProcess(self.goals.scene)
            if not self.search.advance():
                return self.end(context)
        except InputError as error:
            self.stop(context)
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        found = self.search.found
        if self.search.ghost is not None:
            show_best(context.scene.name, self.search.ghost / metres_per_unit(context.scene))
            self.search.ghost = None
            forget()
        if found is not None:
            text = iface_("RedMax: {runs} simulations, off by {now} of {first}. Esc keeps the best")
            fallen = 1.0 - found.objective / found.first if found.first > 0.0 else 1.0
            self.show(
                context, fallen,
                text.format(runs=found.runs, now=f"{found.objective:.3g}", first=f"{found.first:.3g}"),
            )  # fmt: skip
        return {"RUNNING_MODAL"}

    def end(self, context):
        found = None if self.search is None else self.search.found
        self.stop(context)
        if found is None:
            self.report({"INFO"}, "Stopped before the first simulation was done")
            return {"CANCELLED"}
        return self.take(context, self.goals, found)

    def cancel(self, context):
        """Blender closes the window."""
        self.stop(context)

    def stop(self, context):
        if self.search is not None:
            self.search.stop()
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.redmax.running = False
        context.workspace.status_text_set(None)
        show_best(context.scene.name, None)
        forget()
        self.redraw(context)

    def show(self, context, factor, message):
        progress = context.window_manager.redmax
        progress.factor, progress.message = max(factor, 0.0), message
        context.workspace.status_text_set(message)
        self.redraw(context)

    @staticmethod
    def redraw(context):
        for area in context.screen.areas:
            if area.type in ("VIEW_3D", "STATUSBAR"):
                area.tag_redraw()

    def take(self, context, goals, found):
        """Key the best, and say so."""
        if not found.objective < found.first:
            self.report({"WARNING"}, "Nothing better was found: nothing has changed")
            return {"CANCELLED"}
        missed = farthest_miss(context.scene.redmax.goals.wanted, found.terms)
        names = keep(context, goals, found.values)
        text = rpt_("Off by {now} of {first} after {runs} simulations; keyed {names}: press Simulate")
        text = text.format(
            now=f"{found.objective:.3g}", first=f"{found.first:.3g}", runs=found.runs,
            names=", ".join(dict.fromkeys(names)),
        )  # fmt: skip
        if missed is None:
            self.report({"INFO"}, text)
        else:
            number, off = missed
            hint = rpt_("Goal {number} is missed by {off} m: let more change, or ask for less")
            self.report({"WARNING"}, f"{hint.format(number=number, off=f'{off:.3g}')}. {text}")
        return {"FINISHED"}


CLASSES = (
    REDMAX_OT_add_goal,
    REDMAX_OT_add_change,
    REDMAX_OT_set_up_goals,
    REDMAX_OT_remove_goal,
    REDMAX_OT_solve_goals,
)
