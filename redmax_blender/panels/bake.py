"""Bake: keyframes, and back."""

import bpy
from bpy.app.translations import pgettext_iface as iface_

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
            gone = iface_("point cache") if obj.redmax.flesh.baked else iface_("action removed")
            layout.label(text=f"{obj.name}: {action.name if action else gone}", icon="ACTION")
