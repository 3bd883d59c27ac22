"""Add Thruster: an empty that pushes the active body or bone."""

import bpy
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import BoolProperty, FloatProperty
from mathutils import Matrix

from ..bridge.mechanism.add_thruster import add_thruster
from ..bridge.rig.bodies import is_anchored, is_body
from ..bridge.rig.rig import is_physical


def _carrier(context):
    """The active body, or the active physical bone with its armature; None for neither."""
    obj = context.object
    if obj is not None and is_body(obj) and not is_anchored(obj):
        return obj, ""
    bone = obj.data.bones.active if obj is not None and is_physical(obj) else None
    return (obj, bone.name) if bone is not None and obj.pose.bones[bone.name].redmax.physical else None


class REDMAX_OT_add_thruster(bpy.types.Operator):
    """Add an empty that pushes the active body or bone along its own Z axis"""

    bl_idname = "redmax.add_thruster"
    bl_label = "Add Thruster"
    bl_options = {"REGISTER", "UNDO"}

    force: FloatProperty(name="Force", description="Force along the empty's Z axis, in N", default=10.0)
    at_cursor: BoolProperty(
        name="At 3D Cursor", description="At the 3D cursor rather than at the origin of the body or bone"
    )

    @classmethod
    def poll(cls, context):
        if context.mode not in ("OBJECT", "POSE"):
            cls.poll_message_set(tip_("Go to object mode or pose mode"))
            return False
        if _carrier(context) is None:
            cls.poll_message_set(tip_("Make an active body or a physical bone active"))
            return False
        return True

    def execute(self, context):
        obj, bone = _carrier(context)
        pose = Matrix(context.scene.cursor.matrix)
        if not self.at_cursor:
            at = obj.matrix_world @ obj.pose.bones[bone].matrix if bone else obj.matrix_world
            pose = Matrix.LocRotScale(at.translation, at.to_quaternion(), None)
        add_thruster(obj, bone, pose, self.force, context.collection)
        return {"FINISHED"}
