"""Secondary Motion: one button for each kind of what swings."""

import bpy

from .sidebar import Sidebar


class VIEW3D_PT_redmax_secondary_motion(Sidebar, bpy.types.Panel):
    bl_label = "Secondary Motion"
    bl_parent_id = "VIEW3D_PT_redmax_bone"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return context.mode == "POSE"

    def draw(self, _context):
        grid = self.layout.grid_flow(row_major=True, columns=3, even_columns=True, align=True)
        grid.operator("redmax.secondary_motion", text="Tails").kind = "TAIL"
        grid.operator("redmax.secondary_motion", text="Hair").kind = "HAIR"
        grid.operator("redmax.secondary_motion", text="Ears").kind = "EARS"
        grid.operator("redmax.secondary_motion", text="Antennas").kind = "ANTENNA"
        grid.operator("redmax.secondary_motion", text="Dangling").kind = "DANGLING"
        column = self.layout.column(align=True)
        column.operator("redmax.mirror_settings", icon="MOD_MIRROR")
        column.operator("redmax.read_jiggles", icon="IMPORT")


CLASSES = (VIEW3D_PT_redmax_secondary_motion,)
