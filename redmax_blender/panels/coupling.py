"""Coupling: a hinge that turns with that of another bone."""

import bpy

from ..bridge.read.coupling import HINGES
from .sidebar import Sidebar, active_armature, active_bone


class VIEW3D_PT_redmax_coupling(Sidebar, bpy.types.Panel):
    bl_label = "Coupling"
    bl_parent_id = "VIEW3D_PT_redmax_bone"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        bone = active_bone(context)
        return bone is not None and bone.redmax.physical and bone.redmax.joint in HINGES

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        settings = active_bone(context).redmax.coupling
        layout.prop_search(settings, "bone", active_armature(context).pose, "bones")
        row = layout.row()
        row.active = bool(settings.bone)
        row.prop(settings, "ratio")
