"""Copy to Selected: the active bone's settings for all selected bones."""

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_

from ..bridge.bake.linked import LINKED, is_linked
from ..bridge.rig.copy_settings import copy_settings
from ..bridge.rig.make_physical import is_selected


class REDMAX_OT_copy_to_selected(bpy.types.Operator):
    """Copy the active bone's joint and body settings to the selected bones"""

    bl_idname = "redmax.copy_to_selected"
    bl_label = "Copy to Selected"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if context.active_pose_bone is None:
            cls.poll_message_set(tip_("Make a bone active in pose mode"))
            return False
        if is_linked(context.active_pose_bone.id_data):
            cls.poll_message_set(tip_(LINKED))
            return False
        return True

    def execute(self, context):
        active = context.active_pose_bone
        targets = [bone for bone in active.id_data.pose.bones if is_selected(bone) and bone != active]
        if not targets:
            self.report({"WARNING"}, "No other bone is selected: select some with Shift")
            return {"CANCELLED"}
        copy_settings(active, targets)
        text = rpt_("Copied the settings of '{name}' to {count} bones")
        self.report({"INFO"}, text.format(name=active.name, count=len(targets)))
        return {"FINISHED"}
