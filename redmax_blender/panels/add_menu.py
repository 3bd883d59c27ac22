"""Add > RedMax: mechanisms to start from."""

import bpy

from ..operators.add_shot import SHOTS


class VIEW3D_MT_redmax_shots(bpy.types.Menu):
    bl_label = "RedMax"

    def draw(self, _context):
        for shot, label, _ in SHOTS:
            self.layout.operator("redmax.add_shot", text=label, icon="SCENE_DATA").shot = shot


def draw_in_add_menu(menu, _context):
    menu.layout.menu("VIEW3D_MT_redmax_shots", icon="PHYSICS")
