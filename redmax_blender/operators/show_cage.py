"""Show Cage, Remove Cage: the tetrahedra around a soft mesh, and what they are attached to."""

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_

from ..bridge.flesh.cage_words import cage_report
from ..bridge.flesh.soft_meshes import is_soft
from ..engine.errors import InputError


def _soft(context):
    return [obj for obj in context.selected_objects if is_soft(obj)]


class REDMAX_OT_show_cage(bpy.types.Operator):
    """Show the cages of the selected soft meshes as wire objects; their vertex groups say what each bone carries"""

    bl_idname = "redmax.show_cage"
    bl_label = "Show Cage"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not _soft(context):
            cls.poll_message_set(tip_("No selected mesh is soft"))
            return False
        return True

    def execute(self, context):
        from ..bridge.flesh.cage_object import show_cage  # loads Numba, which takes a moment

        try:
            cages = [show_cage(obj, context) for obj in _soft(context)]
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for cage in cages:
            said = cage_report(cage.parent.redmax.flesh.cage_text)
            self.report({"INFO"}, f"'{cage.name}': {said}")
        return {"FINISHED"}


class REDMAX_OT_remove_cage(bpy.types.Operator):
    """Remove the objects that show the cages of the selected soft meshes; attachment is automatic again"""

    bl_idname = "redmax.remove_cage"
    bl_label = "Remove Cage"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not any(obj.redmax.flesh.cage for obj in _soft(context)):
            cls.poll_message_set(tip_("No cage of a selected soft mesh is shown"))
            return False
        return True

    def execute(self, context):
        from ..bridge.flesh.cage_object import remove_cage

        count = sum(remove_cage(obj, context.scene) for obj in _soft(context))
        text = rpt_("Cages removed: {count}; attachment is automatic")
        self.report({"INFO"}, text.format(count=count))
        return {"FINISHED"}
