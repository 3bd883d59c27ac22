"""Make Soft: meshes become flesh."""

import bpy
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import EnumProperty

from ..bridge.bake.linked import LINKED, is_linked
from ..bridge.flesh.make_soft import PRESETS, make_soft
from ..engine.errors import InputError

MATERIALS = tuple((key, preset.label, preset.description) for key, preset in PRESETS.items())


class REDMAX_OT_make_soft(bpy.types.Operator):
    """Make the selected meshes soft: elastic flesh that the bones of their armatures carry"""

    bl_idname = "redmax.make_soft"
    bl_label = "Make Soft"
    bl_options = {"REGISTER", "UNDO"}

    preset: EnumProperty(
        name="Material", description="Numbers to begin with", items=MATERIALS, default="FLESH"
    )

    @classmethod
    def poll(cls, context):
        if not any(obj.type == "MESH" for obj in context.selected_objects):
            cls.poll_message_set(tip_("Select mesh objects"))
            return False
        if any(map(is_linked, context.selected_objects)):
            cls.poll_message_set(tip_(LINKED))
            return False
        return True

    def execute(self, context):
        meshes = [obj for obj in context.selected_objects if obj.type == "MESH"]
        try:
            said = make_soft(meshes, context, self.preset)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for line in said:
            self.report({"INFO"}, line)
        return {"FINISHED"}
