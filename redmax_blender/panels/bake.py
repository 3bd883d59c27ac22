"""Bake: keyframes, and back."""

import bpy

from .sidebar import Sidebar


class VIEW3D_PT_redmax_bake(Sidebar, bpy.types.Panel):
    bl_label = "Bake"

    def draw(self, context):
        layout = self.layout
        baked = [obj for obj in context.scene.objects if obj.redmax.is_baked]
        for obj in baked:
            action = obj.redmax.baked_action
            layout.label(text=f"{obj.name}: {action.name if action else 'action removed'}", icon="ACTION")
        row = layout.row(align=True)
        row.operator("redmax.bake", icon="ACTION_TWEAK")
        row.operator("redmax.delete_bake", icon="TRASH")
