"""Overlay: what is drawn over the 3D view, in the Overlays popover and in the RedMax tab."""

import bpy

from .sidebar import Sidebar

COLUMNS = (("bodies", "joints", "friction", "springs"), ("targets", "contacts", "colliders", "ghost"))


def draw_choices(layout, overlay):
    """Toggles in two columns, greyed while the overlay is off."""
    row = layout.row()
    row.active = overlay.show
    for names in COLUMNS:
        column = row.column(align=True)
        for name in names:
            column.prop(overlay, name)
    row = layout.row()
    row.active = overlay.show
    row.prop(overlay, "selected_only")
    row.prop(overlay, "in_front")


def draw_in_overlays(panel, context):
    """At the end of Blender's Overlays popover."""
    layout = panel.layout
    overlay = context.scene.redmax.overlay
    layout.separator()
    layout.prop(overlay, "show", text="RedMax")
    column = layout.column()
    column.active = context.space_data.overlay.show_overlays
    draw_choices(column, overlay)


class VIEW3D_PT_redmax_overlay(Sidebar, bpy.types.Panel):
    bl_label = "Overlay"
    bl_order = 8
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header(self, context):
        self.layout.prop(context.scene.redmax.overlay, "show", text="")

    def draw(self, context):
        draw_choices(self.layout, context.scene.redmax.overlay)
        if not context.space_data.overlay.show_overlays:
            self.layout.label(text="Overlays of this view are off", icon="INFO")
