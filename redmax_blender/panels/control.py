"""Control: who moves the active bone, its keyframes or physics, and what leads a point of it."""

import bpy

from .sidebar import Sidebar, active_bone


class VIEW3D_PT_redmax_control(Sidebar, bpy.types.Panel):
    bl_label = "Control"
    bl_parent_id = "VIEW3D_PT_redmax_bone"

    @classmethod
    def poll(cls, context):
        bone = active_bone(context)
        return bone is not None and bone.redmax.physical

    def draw(self, context):
        layout = self.layout
        bone = active_bone(context)
        settings = bone.redmax.control
        row = layout.row(align=True)
        row.prop(bone, "redmax_control", expand=True)
        row.prop_decorator(bone, "redmax_control")
        layout.operator("redmax.set_control", text="Set for Many Bones", icon="GROUP_BONE")
        layout.use_property_split = True
        layout.use_property_decorate = False
        column = layout.column(align=True)
        column.prop(settings, "response")
        column.prop(settings, "ratio")
        layout.prop(settings, "ease")
        wake = layout.column()
        wake.active = bone.redmax.surface.collide
        wake.prop(settings, "wake", text="Wake on Impact (N·s)")
        layout.prop(settings, "target")
        if settings.target is None:
            return
        layout.prop(settings, "target_point")
        row = layout.row()
        row.use_property_decorate = True
        row.prop(bone, "redmax_influence", slider=True)
