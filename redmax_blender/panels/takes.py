"""Takes: simulations that are kept, as a list; and the wedge that makes many at once."""

import bpy

from ..bridge.takes.takes import is_shown
from .sidebar import Sidebar


class REDMAX_UL_takes(bpy.types.UIList):
    def draw_item(self, context, layout, _data, take, _icon, _active_data, _active_property, _index):
        shown = is_shown(take, context.scene)
        layout.prop(take, "name", text="", emboss=False, icon="RADIOBUT_ON" if shown else "RADIOBUT_OFF")
        layout.label(text=f"{take.frame_start}–{take.frame_end}", translate=False)
        layout.prop(
            take, "ghost", text="", icon="GHOST_ENABLED" if take.ghost else "GHOST_DISABLED", emboss=False
        )


class VIEW3D_PT_redmax_takes(Sidebar, bpy.types.Panel):
    bl_label = "Takes"
    bl_parent_id = "VIEW3D_PT_redmax_simulate"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 1

    def draw(self, context):
        layout = self.layout
        settings = context.scene.redmax
        row = layout.row()
        row.template_list("REDMAX_UL_takes", "", settings, "takes", settings, "take_index", rows=3)
        column = row.column(align=True)
        column.operator("redmax.keep_take", text="", icon="ADD")
        column.operator("redmax.remove_take", text="", icon="REMOVE")
        row = layout.row(align=True)
        row.operator("redmax.show_take", icon="HIDE_OFF")
        row.operator("redmax.use_take_values", icon="PASTEDOWN")


class VIEW3D_PT_redmax_wedge(Sidebar, bpy.types.Panel):
    bl_label = "Wedge"
    bl_parent_id = "VIEW3D_PT_redmax_simulate"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 1

    def draw(self, context):
        layout = self.layout
        wedge = context.scene.redmax.wedge
        layout.use_property_split = True
        layout.use_property_decorate = False
        for i, vary in enumerate(wedge.varied):
            box = layout.box()
            row = box.row()
            row.prop(vary, "name", text="", emboss=False)
            row.operator("redmax.remove_varied", text="", icon="X", emboss=False).index = i
            column = box.column(align=True)
            column.prop(vary, "first")
            column.prop(vary, "last")
            column.prop(vary, "count")
            box.prop(vary, "everywhere")
        if not len(wedge.varied):
            layout.label(text="Right-click a setting: Vary in a Wedge", icon="INFO")
        column = layout.column(align=True)
        column.prop(wedge, "seeds")
        row = column.row()
        row.active = wedge.seeds > 0
        row.prop(wedge, "jolt")
        column = layout.column(align=True)
        row = column.row()
        row.active = not wedge.cluster
        row.prop(wedge, "workers")
        column.prop(wedge, "cluster")
        layout.prop(wedge, "measure")
        layout.operator("redmax.simulate_wedge", icon="MOD_ARRAY")
        if wedge.folder:
            row = layout.row(align=True)
            row.operator("redmax.show_wedge_file", text="Contact Sheet", icon="IMAGE_DATA").file = "SHEET"
            row.operator("redmax.show_wedge_file", text="Chart", icon="GRAPH").file = "CHART"
            row.operator("redmax.show_wedge_file", text="Table", icon="SPREADSHEET").file = "TABLE"


def draw_in_button_menu(menu, context):
    """In the menu of a right click on a setting of ours."""
    thing = getattr(context, "button_pointer", None)
    if thing is not None and type(thing).__name__.startswith("REDMAX_PG_"):
        menu.layout.separator()
        menu.layout.operator("redmax.vary_in_wedge", icon="MOD_ARRAY")
        menu.layout.operator("redmax.add_control", icon="OPTIONS")


CLASSES = (REDMAX_UL_takes, VIEW3D_PT_redmax_takes, VIEW3D_PT_redmax_wedge)
