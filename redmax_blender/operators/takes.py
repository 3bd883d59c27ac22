"""Takes: keep the simulation that is shown, show one again, forget one, use the settings of one."""

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_

from ..bridge.takes import takes
from ..engine.errors import InputError


def active_take(context):
    """The take that is picked in the list; None where there is none."""
    settings = context.scene.redmax
    return settings.takes[settings.take_index] if settings.take_index < len(settings.takes) else None


class _OfTake:
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if active_take(context) is None:
            cls.poll_message_set(tip_("There is no take: press Keep Take after a simulation"))
            return False
        if context.window_manager.redmax.running:
            cls.poll_message_set(tip_("A simulation is running"))
            return False
        return True


class REDMAX_OT_keep_take(bpy.types.Operator):
    """Keep the simulation that is shown as a take: the next simulation does not replace it"""

    bl_idname = "redmax.keep_take"
    bl_label = "Keep Take"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not any(obj.redmax.result for obj in context.scene.objects):
            cls.poll_message_set(tip_("Nothing has been simulated"))
            return False
        return True

    def execute(self, context):
        try:
            take = takes.keep(context.scene)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, rpt_("Kept as '{name}'").format(name=take.name))
        return {"FINISHED"}


class REDMAX_OT_show_take(_OfTake, bpy.types.Operator):
    """Show this take in place of the simulation that is shown; Bake then bakes it"""

    bl_idname = "redmax.show_take"
    bl_label = "Show Take"

    def execute(self, context):
        try:
            said = takes.show(context, active_take(context))
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for line in said:
            self.report({"WARNING"}, line)
        return {"FINISHED"}


class REDMAX_OT_remove_take(_OfTake, bpy.types.Operator):
    """Forget this take; its frames are deleted unless it is shown"""

    bl_idname = "redmax.remove_take"
    bl_label = "Remove Take"

    def execute(self, context):
        takes.remove(context.scene, context.scene.redmax.take_index)
        return {"FINISHED"}


class REDMAX_OT_use_take_values(_OfTake, bpy.types.Operator):
    """Set the settings that this take was simulated with"""

    bl_idname = "redmax.use_take_values"
    bl_label = "Use Its Settings"

    @classmethod
    def poll(cls, context):
        take = active_take(context)
        if take is not None and not len(take.values):
            cls.poll_message_set(tip_("This take has no settings of its own: it is not from a wedge"))
            return False
        return super().poll(context)

    def execute(self, context):
        for line in takes.use_values(active_take(context)):
            self.report({"WARNING"}, line)
        return {"FINISHED"}


CLASSES = (REDMAX_OT_keep_take, REDMAX_OT_show_take, REDMAX_OT_remove_take, REDMAX_OT_use_take_values)
