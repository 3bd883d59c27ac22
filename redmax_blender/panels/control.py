"""Control: who moves the active bone, its keyframes or physics, and what leads a point of it."""

import bpy

from .presets import REDMAX_PT_control_presets
from .sidebar import Sidebar, active_bone, measured


class VIEW3D_PT_redmax_control(Sidebar, bpy.types.Panel):
    bl_label = "Control"
    bl_parent_id = "VIEW3D_PT_redmax_bone"

    @classmethod
    def poll(cls, context):
        bone = active_bone(context)
        return bone is not None and bone.redmax.physical

    def draw_header_preset(self, _context):
        REDMAX_PT_control_presets.draw_panel_header(self.layout)

    def draw(self, context):
        layout = self.layout
        bone = active_bone(context)
        settings = bone.redmax.control
        row = layout.row(align=True)
        row.prop(bone, "redmax_control", expand=True)
        row.prop_decorator(bone, "redmax_control")
        layout.operator(
            "redmax.set_control", text="Set for Many Bones", icon="GROUP_BONE"
        ).mode = bone.redmax_control
        layout.use_property_split = True
        layout.use_property_decorate = False
        column = layout.column(align=True)
        column.prop(settings, "response")
        column.prop(settings, "ratio")
        layout.prop(settings, "ease")
        wake = measured(layout)
        wake.active = bone.redmax.surface.collide
        wake.prop(settings, "wake", text="Wake on Impact (N·s)")
        if settings.wake > 0.0 and not bone.redmax.surface.collide:
            layout.label(text="Only a bone that collides wakes (Contact)", icon="INFO")
        column = measured(layout)
        column.use_property_decorate = True
        column.prop(bone, "redmax_torque", text="Torque (N·m)")
        column.prop(bone, "redmax_push", text="Push (N)")
        layout.prop(settings, "use_start_speeds")
        if settings.use_start_speeds:
            measured(layout).prop(settings, "start_speeds")
        layout.prop(settings, "target")
        if settings.target is None:
            return
        layout.prop(settings, "target_point")
        row = layout.row()
        row.use_property_decorate = True
        row.prop(bone, "redmax_influence", slider=True)


CLASSES = (REDMAX_PT_control_presets, VIEW3D_PT_redmax_control)
