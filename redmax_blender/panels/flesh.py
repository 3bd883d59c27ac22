"""Flesh: the active mesh as an elastic body."""

import bpy
from bpy.app.translations import pgettext_iface as iface_

from ..bridge.flesh.cage_words import cage_lines
from ..bridge.flesh.convert_soft_body import soft_body_of
from ..bridge.flesh.soft_meshes import carriers, is_soft
from .presets import REDMAX_PT_flesh_presets
from .sidebar import Sidebar, measured


class VIEW3D_PT_redmax_flesh(Sidebar, bpy.types.Panel):
    bl_label = "Flesh"
    bl_order = 5

    def draw_header_preset(self, context):
        if is_soft(context.object):
            REDMAX_PT_flesh_presets.draw_panel_header(self.layout)

    def draw(self, context):
        layout = self.layout
        obj = context.object
        row = layout.row(align=True)
        row.operator_menu_enum("redmax.make_soft", "preset", icon="MOD_SOFT")
        if obj is not None and soft_body_of(obj) and not is_soft(obj):
            layout.operator("redmax.convert_soft_body", icon="MOD_SOFT")
        if not is_soft(obj):
            return
        row.operator("redmax.clear_soft", icon="X", text="Clear")
        if obj.redmax.flesh.cage_text:
            self.draw_cage(layout, obj.redmax.flesh.cage_text)
        layout.use_property_split = True
        layout.use_property_decorate = False
        self.draw_material(layout, obj.redmax.flesh, obj)

    @staticmethod
    def draw_cage(layout, text):
        """Size and quality of the cage, in two lines that fit."""
        column = layout.column(align=True)
        for line, icon in zip(cage_lines(text), ("MESH_DATA", "BLANK1")):
            column.label(text=line, icon=icon)

    @staticmethod
    def draw_material(layout, settings, obj):
        layout.prop(settings, "material")
        column = measured(layout)
        column.prop(settings, "young", text="Young's Modulus (Pa)")
        column.prop(settings, "poisson")
        layout.row().prop(settings, "mass_from", expand=True)
        if settings.mass_from == "MASS":
            measured(layout).prop(settings, "mass", text="Mass (kg)")
        else:
            measured(layout).prop(settings, "density", text="Density (kg/m³)")
        column = measured(layout)
        column.prop(settings, "damping", text="Damping (s)")
        column.prop(settings, "drag", text="Drag (1/s)")
        layout.prop_search(settings, "stiffness_group", obj, "vertex_groups")
        if settings.stiffness_group:
            layout.prop(settings, "softest")


class FleshBox(Sidebar):
    """A box inside Flesh, with the settings of a soft mesh."""

    bl_parent_id = "VIEW3D_PT_redmax_flesh"

    @classmethod
    def poll(cls, context):
        return is_soft(context.object)

    def draw(self, context):
        self.layout.use_property_split = True
        self.layout.use_property_decorate = False
        self.draw_settings(context, self.layout, context.object.redmax.flesh)


class VIEW3D_PT_redmax_flesh_cage(FleshBox, bpy.types.Panel):
    bl_label = "Cage"

    def draw_settings(self, _context, layout, settings):
        layout.row().prop(settings, "cage_size", expand=True)
        layout.prop(settings, "cage_count" if settings.cage_size == "COUNT" else "cage_cell")
        row = layout.row(align=True)
        row.operator("redmax.show_cage", icon="MESH_ICOSPHERE")
        row.operator("redmax.remove_cage", icon="X", text="")


class VIEW3D_PT_redmax_flesh_attach(FleshBox, bpy.types.Panel):
    bl_label = "Attachment"

    def draw_settings(self, context, layout, settings):
        obj = context.object
        layout.prop(settings, "carrier")
        names = ", ".join(carrier.name for carrier in carriers(obj))
        text = iface_("Attached to {names}") if names else iface_("Attached to nothing")
        layout.label(text=text.format(names=names), icon="LINKED")
        if settings.cage is not None and settings.cage.name in context.scene.objects:
            layout.label(text="As the cage's vertex groups say", icon="GROUP_VERTEX")
            return
        layout.prop(settings, "attach_from")
        layout.prop(settings, "core" if settings.attach_from == "CAPSULES" else "threshold")
        layout.prop_search(settings, "pin_group", obj, "vertex_groups")


class VIEW3D_PT_redmax_flesh_floor(FleshBox, bpy.types.Panel):
    bl_label = "Spring Floor"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header(self, context):
        self.layout.prop(context.object.redmax.flesh, "floor", text="")

    def draw_settings(self, _context, layout, settings):
        layout.active = settings.floor
        layout.prop(settings, "floor_height")
        layout.prop(settings, "floor_depth")
        layout.prop(settings, "floor_grip")


class VIEW3D_PT_redmax_flesh_bake(FleshBox, bpy.types.Panel):
    bl_label = "Bake To"

    def draw_settings(self, context, layout, settings):
        obj = context.object
        layout.enabled = not obj.redmax.is_baked
        layout.prop(settings, "bake_to")
        if settings.bake_to == "PC2":
            layout.prop(settings, "bake_folder")
            return
        layout.prop(settings, "bake_step")
        if settings.bake_to == "ABSOLUTE" and obj.data.shape_keys is not None and not settings.baked:
            layout.label(text="Relative keys, as the mesh has keys of its own", icon="INFO")


CLASSES = (
    REDMAX_PT_flesh_presets,
    VIEW3D_PT_redmax_flesh,
    VIEW3D_PT_redmax_flesh_cage,
    VIEW3D_PT_redmax_flesh_attach,
    VIEW3D_PT_redmax_flesh_floor,
    VIEW3D_PT_redmax_flesh_bake,
)
