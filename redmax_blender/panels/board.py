"""Control Board: the user's own switches and sliders."""

import bpy

from .sidebar import Sidebar


class REDMAX_UL_board(bpy.types.UIList):
    def draw_item(self, _context, layout, _data, control, _icon, _active_data, _active_property, _index):
        layout.prop(control, "name", text="", emboss=False)
        row = layout.row(align=True)
        row.use_property_decorate = True
        row.prop(control, "value", text="", slider=True)
        layout.label(text=control.key, translate=False)


class VIEW3D_PT_redmax_board(Sidebar, bpy.types.Panel):
    bl_label = "Control Board"
    bl_parent_id = "VIEW3D_PT_redmax_simulate"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 1

    def draw(self, context):
        layout = self.layout
        settings = context.scene.redmax
        if not len(settings.board):
            layout.label(text="Right-click a setting: Add to Control Board", icon="INFO")
            return
        row = layout.row()
        row.template_list("REDMAX_UL_board", "", settings, "board", settings, "board_index", rows=3)
        row.operator("redmax.remove_control", text="", icon="REMOVE")
        control = settings.board[min(settings.board_index, len(settings.board) - 1)]
        column = layout.column()
        column.use_property_split = True
        column.use_property_decorate = False
        column.prop(control, "kind")
        column.prop(control, "first")
        column.prop(control, "last")
        column.prop(control, "key")
        layout.operator("redmax.clear_played", icon="TRASH")


CLASSES = (REDMAX_UL_board, VIEW3D_PT_redmax_board)
