"""Make Body: the selected mesh objects become active or anchored bodies, or none."""

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import EnumProperty

from ..bridge.bake.linked import LINKED, is_linked
from ..mechanism_properties import ROLES


class REDMAX_OT_set_role(bpy.types.Operator):
    """Let the selected mesh objects take part in the simulation as bodies"""

    bl_idname = "redmax.set_role"
    bl_label = "Make Body"
    bl_options = {"REGISTER", "UNDO"}

    role: EnumProperty(name="Body", items=ROLES, default="ACTIVE")

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
        for obj in meshes:
            obj.redmax.body.role = self.role
            obj.redmax.surface.collide = self.role != "NONE"
        text = rpt_("{count} objects are {role}") if len(meshes) > 1 else rpt_("1 object is {role}")
        self.report({"INFO"}, text.format(count=len(meshes), role=rpt_(self.role.title()).lower()))
        return {"FINISHED"}
