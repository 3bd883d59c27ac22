"""Diagnosis: what the last run did, what went wrong, and a button that may help."""

import bpy
from bpy.app.translations import pgettext_iface as iface_

from ..bridge.recording import figure_cache
from ..bridge.recording.figures import PARTS
from ..bridge.run.remedy import remedy_text
from ..bridge.run.report_text import NAME
from .sidebar import Sidebar, figure


class VIEW3D_PT_redmax_diagnosis(Sidebar, bpy.types.Panel):
    bl_label = "Diagnosis"
    bl_parent_id = "VIEW3D_PT_redmax_simulate"

    @classmethod
    def poll(cls, context):
        return context.scene.redmax.diagnosis.failed or figure_cache.shown(context.scene) is not None

    def draw(self, context):
        layout = self.layout
        self.draw_failure(layout, context.scene)
        self.draw_energy(layout, context.scene)
        row = layout.row(align=True)
        row.operator("redmax.show_run_report", icon="TEXT")
        row.operator("redmax.graph_figures", icon="GRAPH")
        if NAME not in bpy.data.texts:
            layout.label(text="The report was removed", icon="INFO")

    @staticmethod
    def draw_failure(layout, scene):
        diagnosis = scene.redmax.diagnosis
        if not diagnosis.failed:
            return
        box = layout.box()
        box.alert = True
        column = box.column(align=True)
        text = iface_("{problem} at frame {frame}")
        text = text.format(problem=iface_(diagnosis.problem), frame=diagnosis.frame)
        column.label(text=text, icon="ERROR")
        if diagnosis.joint:
            column.label(text=iface_("First at {joint}").format(joint=diagnosis.joint))
        text = remedy_text(scene)
        if text:
            box.operator("redmax.try_remedy", text=text, icon="MODIFIER")

    @staticmethod
    def draw_energy(layout, scene):
        found = figure_cache.shown(scene)
        if found is None:
            return
        start, figures = found
        frame = min(max(scene.frame_current - start, 0), len(figures.energy) - 1)
        column = layout.column(align=True)
        column.active = False
        values = figures.energy[frame]
        parts = ", ".join(f"{iface_(name)} {figure(value, 'J')}" for name, value in zip(PARTS, values))
        column.label(text=iface_("Energy {total}").format(total=figure(values.sum(), "J")))
        column.label(text=parts)
        if figures.largest_friction() > 0.0:  # not of this frame: rows that come and go make panels jump
            torques = figures.friction_torque(frame)
            worst = max(torques, key=torques.get)
            text = iface_("Friction {torque} in {joint}")
            column.label(
                text=text.format(torque=figure(torques[worst], "N·m"), joint=worst.rpartition("/")[2])
            )
