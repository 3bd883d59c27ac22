"""Simulate: range, steps, and what is in the cache."""

import bpy
from bpy.app.translations import pgettext_iface as iface_
from mathutils import Vector

from ..bridge.recording import cache, cache_status
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
        if progress.running:
            layout.progress(factor=progress.factor, text=f"{progress.factor:.0%}")
            layout.label(text="Esc stops and keeps what is done")
        else:
            layout.operator("redmax.simulate", icon="PLAY")
            if progress.notice:
                layout.label(text="Keys keep the animation", icon="INFO")
                layout.label(text="Turn off Show Simulation to pose and key")
            if any(obj.redmax.result and not obj.redmax.is_baked for obj in scene.objects):
                self.draw_switch(layout, context)
            self.draw_cache(layout, scene)
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
        column.prop(settings, "auto_substeps", text="Automatic")
        if not settings.auto_substeps:
            column.prop(settings, "substeps", text="Substeps")
        elif settings.chosen_substeps:
            row = column.row()
            row.active = False
            row.label(text=iface_("{count} a frame").format(count=settings.chosen_substeps), translate=False)

    @staticmethod
    def draw_switch(layout, context):
        """Show Simulation: of the scene, and of the active character."""
        scene, active = context.scene, context.object
        column = layout.column(align=True)
        column.use_property_split = False
        on = scene.redmax.show_simulation
        column.prop(scene.redmax, "show_simulation", icon="HIDE_OFF" if on else "HIDE_ON", toggle=True)
        if active is not None and active.redmax.result and not active.redmax.is_baked:
            row = column.row(align=True)
            row.active = on
            icon = "HIDE_OFF" if active.redmax.show_simulation else "HIDE_ON"
            text = iface_("Of '{name}'").format(name=active.name)
            row.prop(active.redmax, "show_simulation", icon=icon, toggle=True, text=text, translate=False)

    @staticmethod
    def draw_cache(layout, scene):
        shown = [obj for obj in scene.objects if obj.redmax.result]
        if not shown:
            return
        frames = {obj.redmax.result: tuple(obj.redmax.result_frames) for obj in shown}
        for key in sorted(frames):
            recording = cache.get(key, scene)
            if recording is None:
                first, last = frames[key]
                text = iface_("The cache is missing; simulate again")
                if first <= last:
                    text = iface_("Frames {first} to {last} are missing; simulate again")
                layout.label(text=text.format(first=first, last=last), icon="ERROR")
                continue
            text = iface_("Cached: frames {first} to {last}, {size}")
            if recording.frame_last < recording.frame_end:
                text = iface_("Cached: frames {first} to {last} of {end}, {size}")
            text = text.format(
                first=recording.frame_start,
                last=recording.frame_last,
                end=recording.frame_end,
                size=cache_status.size_text(scene),
            )
            layout.label(text=text, icon="CHECKMARK")
        if cache_status.is_outdated(scene):
            layout.label(text="Outdated: the scene has changed", icon="ERROR")
        column = layout.column(align=True)
        column.operator("redmax.simulate", text="From Current Frame", icon="FF").from_current = True
        column.operator("redmax.free_cache", icon="TRASH")


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
