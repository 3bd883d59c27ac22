"""Copy Friction to Selected, Copy Contact to Selected: part of the active bone's or object's settings for others."""

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import EnumProperty

from ..bridge.bake.linked import LINKED, is_linked
from ..bridge.rig.copy_settings import copy_part
from ..bridge.rig.make_physical import is_selected

PARTS = (
    ("friction", "Joint Friction", "Coefficients, radius and height of the joint's friction, and its stops"),
    ("surface", "Contact", "How the body collides"),
    ("collider", "Collider", "What is solid of the object, and how it collides"),
)


class REDMAX_OT_copy_part(bpy.types.Operator):
    """Copy these settings of the active bone or object to the selected ones"""

    bl_idname = "redmax.copy_part"
    bl_label = "Copy to Selected"
    bl_options = {"REGISTER", "UNDO"}

    part: EnumProperty(name="Settings", description="Which settings are copied", items=PARTS)

    @classmethod
    def poll(cls, context):
        obj = context.object
        if obj is None:
            cls.poll_message_set(tip_("Make an object active"))
            return False
        if obj.type == "ARMATURE" and obj.data.bones.active is None:
            cls.poll_message_set(tip_("Make a bone active"))
            return False
        if obj.type == "ARMATURE" and is_linked(obj):
            cls.poll_message_set(tip_(LINKED))
            return False
        return True

    def execute(self, context):
        active = context.object
        if active.type == "ARMATURE" and self.part != "collider":  # in object mode too, as the panels
            bones = active.pose.bones
            active = bones[active.data.bones.active.name]
            targets = [bone for bone in bones if is_selected(bone) and bone != active]
        else:
            targets = [obj for obj in context.selected_objects if obj != active and not is_linked(obj)]
        if not targets:
            self.report({"WARNING"}, "Nothing else is selected: select more with Shift")
            return {"CANCELLED"}
        copy_part(active, targets, self.part)
        if self.part == "collider":
            copy_part(active, targets, "surface")
        label = next(label for name, label, _ in PARTS if name == self.part)
        text = rpt_("Copied {what} of '{name}' to {count} others")
        self.report({"INFO"}, text.format(what=rpt_(label), name=active.name, count=len(targets)))
        return {"FINISHED"}
