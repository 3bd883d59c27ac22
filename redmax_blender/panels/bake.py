"""Bake: keyframes, and back."""

import bpy

from .sidebar import Sidebar


class VIEW3D_PT_redmax_bake(Sidebar, bpy.types.Panel):
    bl_label = "Bake"
    bl_order = 7

    def draw(self, context):
        layout = self.layout
        row = layout.row(align=True)
        row.operator("redmax.bake", icon="ACTION_TWEAK")
        row.operator("redmax.delete_bake", icon="TRASH")
        for obj in (obj for obj in context.scene.objects if obj.redmax.is_baked):
            action = obj.redmax.baked_action
            gone = "point cache" if obj.redmax.flesh.baked else "action removed"
            layout.label(text=f"{obj.name}: {action.name if action else gone}", icon="ACTION")
