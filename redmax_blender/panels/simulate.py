"""Simulate: range, steps, and what is in the cache."""

import bpy
from bpy.app.translations import pgettext_iface as iface_
from mathutils import Vector

from ..bridge.rig.rig import gravity, metres_per_unit
from .sidebar import Sidebar


class VIEW3D_PT_redmax_simulate(Sidebar, bpy.types.Panel):
    bl_label = "Simulate"
    bl_order = 6

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        scene = context.scene
        settings = scene.redmax
        progress = context.window_manager.redmax
        if any(obj.redmax.result for obj in scene.objects):
            column = layout.column(align=True)
            column.operator("redmax.simulate", text="Re-simulate From Here", icon="FF").from_current = True
            column.operator("redmax.free_cache", icon="TRASH")
        options = layout.column()
        options.enabled = not progress.running
        column = options.column(align=True)
        column.prop(settings, "frame_start")
        column.prop(settings, "frame_end")
        column.prop(settings, "preroll")
        if settings.preroll or settings.loop_blend:  # it takes a pre-roll
            column.prop(settings, "loop_blend")
        options.prop(settings, "use_start_velocity")
        self.draw_substeps(options, settings)
        options.prop(settings, "cache_folder")

    @staticmethod
    def draw_substeps(layout, settings):
        column = layout.column(align=True, heading="Substeps")
        text = iface_("Automatic")
        if settings.auto_substeps and settings.chosen_substeps:
            text = iface_("Automatic: {count} a frame").format(count=settings.chosen_substeps)
        column.prop(settings, "auto_substeps", text=text, translate=False)
        if not settings.auto_substeps:
            column.prop(settings, "substeps", text="Substeps")


class VIEW3D_PT_redmax_solver(Sidebar, bpy.types.Panel):
    bl_label = "Solver"
    bl_parent_id = "VIEW3D_PT_redmax_simulate"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.enabled = not context.window_manager.redmax.running
        layout.prop(context.scene.redmax, "integrator", text="")
        self.draw_gravity(layout, context.scene)

    @staticmethod
    def draw_gravity(layout, scene):
        strength = Vector(gravity(scene)).length
        row = layout.row()
        row.active = False
        text = iface_("Gravity {strength} m/s²") if strength else iface_("No gravity (Scene properties)")
        row.label(text=text.format(strength=f"{strength:.4g}"))
        if abs(metres_per_unit(scene) - 1.0) > 1e-6:
            layout.prop(scene.redmax, "gravity_in_scene_units")
