"""Add Ground: an infinite plane for bones and bodies to fall on."""

import bpy
from bpy.app.translations import pgettext_rpt as rpt_

from ..bridge.mechanism.add_ground import add_ground


class REDMAX_OT_add_ground(bpy.types.Operator):
    """Add a plane that is solid without end, at the height of the 3D cursor"""

    bl_idname = "redmax.add_ground"
    bl_label = "Add Ground"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        obj = add_ground(context.scene, context.collection, height=context.scene.cursor.location.z)
        self.report({"INFO"}, rpt_("'{name}' is solid below its plane").format(name=obj.name))
        return {"FINISHED"}
