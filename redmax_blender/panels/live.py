"""Live: play and pull."""

import bpy

from .sidebar import Sidebar


class VIEW3D_PT_redmax_live(Sidebar, bpy.types.Panel):
    bl_label = "Live"
    bl_parent_id = "VIEW3D_PT_redmax_simulate"
    bl_order = 1

    def draw(self, context):
        layout = self.layout
        if not context.window_manager.redmax.live:
            layout.operator("redmax.live", icon="VIEW_PAN")
            return
        column = layout.column(align=True)
        column.label(text="Drag bones and bodies to pull", icon="VIEW_PAN")
        column.label(text="Enter keeps what was played", icon="CHECKMARK")
        column.label(text="Esc ends, all is as it was", icon="CANCEL")
