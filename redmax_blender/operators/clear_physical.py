"""Clear Physical: the armature takes part in no simulation any more."""

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_

from ..bridge.bake.linked import LINKED, is_linked
from ..bridge.rig.make_physical import clear_physical
from ..bridge.rig.rig import is_physical


class REDMAX_OT_clear_physical(bpy.types.Operator):
    """Take all bones of the active armature out of the simulation; their settings stay for the next time"""

    bl_idname = "redmax.clear_physical"
    bl_label = "Clear Physical"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not is_physical(context.object):
            cls.poll_message_set(tip_("The active object is no armature with physical bones"))
            return False
        if is_linked(context.object):
            cls.poll_message_set(tip_(LINKED))
            return False
        return True

    def execute(self, context):
        count = clear_physical(context.object)
        text = rpt_("'{name}': {count} bones are no longer physical")
        self.report({"INFO"}, text.format(name=context.object.name, count=count))
        return {"FINISHED"}
