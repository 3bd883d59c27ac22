"""Inquire: what parts feel, in numbers."""

import bpy

from ..bridge.inquire.asking import answers
from ..bridge.inquire.told import lines
from .sidebar import Sidebar


class VIEW3D_PT_redmax_inquire(Sidebar, bpy.types.Panel):
    bl_label = "Inquire"
    bl_parent_id = "VIEW3D_PT_redmax_simulate"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 3

    def draw(self, context):
        layout = self.layout
        settings = context.scene.redmax.inquire
        row = layout.row(align=True)
        row.operator("redmax.inquire", icon="VIEWZOOM")
        row.operator("redmax.graph_inquiry", icon="GRAPH", text="")
        row.operator("redmax.inquiry_table", icon="EXPORT", text="")
        row = layout.row(align=True)
        row.prop(settings, "axes", expand=True)
        row = layout.row(align=True)
        row.prop(settings, "show")
        column = row.column()
        column.active = settings.show
        column.prop(settings, "size", text="")
        found = answers(context.scene)
        told = None if found is None else found.at(context.scene.frame_current)
        if told is None:
            return
        column = layout.column(align=True)
        for what, value in lines(told.columns):
            row = column.split(factor=0.5)
            row.label(text=what, translate=False)
            row.label(text=value, translate=False)


CLASSES = (VIEW3D_PT_redmax_inquire,)
