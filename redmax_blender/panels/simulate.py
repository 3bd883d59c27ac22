"""Simulate: range, steps, and what is in the cache."""

import bpy
from mathutils import Vector

from ..bridge import cache
from ..bridge.rig import gravity, metres_per_unit
from .sidebar import Sidebar


class VIEW3D_PT_redmax_simulate(Sidebar, bpy.types.Panel):
    bl_label = "Simulate"

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        scene = context.scene
        settings = scene.redmax
        progress = context.window_manager.redmax
        options = layout.column()
        options.enabled = not progress.running
        column = options.column(align=True)
        column.prop(settings, "frame_start")
        column.prop(settings, "frame_end")
        options.prop(settings, "substeps")
        options.prop(settings, "integrator")
        self.draw_gravity(options, scene)
        options.prop(settings, "cache_folder")
        if progress.running:
            layout.progress(factor=progress.factor, text=f"{progress.factor:.0%}")
            layout.label(text="Esc stops and keeps what is done")
            return
        layout.operator("redmax.simulate", icon="PLAY")
        self.draw_cache(layout, scene)

    @staticmethod
    def draw_gravity(layout, scene):
        strength = Vector(gravity(scene)).length
        row = layout.row()
        row.active = False
        row.label(text=f"Gravity {strength:.4g} m/s²" if strength else "No gravity (Scene properties)")
        if abs(metres_per_unit(scene) - 1.0) > 1e-6:
            layout.prop(scene.redmax, "gravity_in_scene_units")

    @staticmethod
    def draw_cache(layout, scene):
        shown = [obj for obj in scene.objects if obj.redmax.result]
        if not shown:
            return
        for key in sorted({obj.redmax.result for obj in shown}):
            recording = cache.get(key, scene)
            if recording is None:
                layout.label(text="The cache is missing; simulate again", icon="ERROR")
                continue
            text = f"Cached: frames {recording.frame_start} to {recording.frame_last}"
            if recording.frame_last < recording.frame_end:
                text += f" of {recording.frame_end}"
            layout.label(text=text, icon="CHECKMARK")
        layout.operator("redmax.free_cache", icon="TRASH")
