"""The top of the tab: Simulate, Play and Auto, always in the same place, and what there is to see."""

import bpy
from bpy.app.translations import pgettext_iface as iface_

from ..bridge.recording import cache, cache_status
from ..bridge.run.auto import auto
from .sidebar import Sidebar


class VIEW3D_PT_redmax_run(Sidebar, bpy.types.Panel):
    bl_label = "Run"
    bl_options = {"HIDE_HEADER"}
    bl_order = 0

    def draw(self, context):
        layout = self.layout
        draw_run(layout.row(align=True), context)
        self.draw_state(layout, context)
        settings = context.scene.redmax
        row = layout.row(align=True)
        row.enabled = any(obj.redmax.result and not obj.redmax.is_baked for obj in context.scene.objects)
        icon = "HIDE_OFF" if settings.show_simulation else "HIDE_ON"
        row.prop(settings, "show_simulation", icon=icon, toggle=True)
        self.draw_of_active(row, context)

    @staticmethod
    def draw_of_active(row, context):
        """The switch of the active character, beside that of the scene."""
        active = context.object
        if active is None or not active.redmax.result or active.redmax.is_baked:
            return
        part = row.row(align=True)
        part.active = context.scene.redmax.show_simulation
        icon = "HIDE_OFF" if active.redmax.show_simulation else "HIDE_ON"
        text = iface_("Of '{name}'").format(name=active.name)
        part.prop(active.redmax, "show_simulation", icon=icon, toggle=True, text=text, translate=False)

    def draw_state(self, layout, context):
        """One line, whatever goes on, so that nothing jumps."""
        progress, scene = context.window_manager.redmax, context.scene
        if progress.running:
            layout.progress(
                factor=progress.factor, text=iface_("{part}, Esc stops").format(part=f"{progress.factor:.0%}")
            )
        elif progress.live:
            layout.label(text="Drag to pull · Enter keeps · Esc: cancel and restore", icon="VIEW_PAN")
        elif auto.simulation is not None:
            layout.progress(factor=auto.factor, text=f"{auto.factor:.0%}")
        elif auto.problem and scene.redmax.auto:
            row = layout.row()
            row.alert = True
            row.label(text=auto.problem, icon="ERROR", translate=False)
        elif progress.notice:
            layout.label(
                text="Keys keep the animation; turn off Show Simulation to pose and key", icon="INFO"
            )
        else:
            text, icon = state_text(scene)
            layout.label(text=text, icon=icon, translate=False)


def draw_run(row, context):
    """Simulate, play what is there, play live, and simulate by itself: here and in the timeline."""
    row.operator("redmax.simulate", icon="PHYSICS")
    playing = context.screen is not None and context.screen.is_animation_playing
    row.operator("screen.animation_play", text="", icon="PAUSE" if playing else "PLAY")
    row.operator("redmax.live", text="Live", icon="VIEW_PAN")
    row.prop(context.scene.redmax, "auto", toggle=True, icon="FILE_REFRESH")


def state_text(scene):
    """What the cache has, and an icon."""
    shown = {obj.redmax.result: tuple(obj.redmax.result_frames) for obj in scene.objects if obj.redmax.result}
    if not shown:
        return iface_("Not simulated yet"), "INFO"
    for key in sorted(shown):
        recording = cache.get(key, scene)
        if recording is None:
            first, last = shown[key]
            if first > last:
                return iface_("The cache is missing; simulate again"), "ERROR"
            text = iface_("Frames {first} to {last} are missing; simulate again")
            return text.format(first=first, last=last), "ERROR"
    if cache_status.is_outdated(scene):
        return iface_("Outdated: the scene has changed"), "ERROR"
    text = iface_("Cached: frames {first} to {last}, {size}")
    if recording.frame_last < recording.frame_end:
        text = iface_("Cached: frames {first} to {last} of {end}, {size}")
    size = cache_status.size_text(scene)
    return (
        text.format(
            first=recording.frame_start, last=recording.frame_last, end=recording.frame_end, size=size
        ),
        "CHECKMARK",
    )


def draw_in_timeline(header, context):
    """Simulate and Auto at the end of the timeline's header, where something is physical."""
    if context.space_data.mode == "TIMELINE" and cache_status.has_physics(context.scene):
        row = header.layout.row(align=True)
        row.operator("redmax.simulate", text="", icon="PHYSICS")
        row.prop(context.scene.redmax, "auto", text="", toggle=True, icon="FILE_REFRESH")
