"""Graph Figures: energies and torques of the run as curves in the Graph Editor."""

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import BoolProperty

from ..bridge.recording import figure_cache
from ..bridge.recording.graph_figures import graph_figures
from ..bridge.rig.make_physical import is_selected
from ..engine.errors import SceneError


class REDMAX_OT_graph_figures(bpy.types.Operator):
    """Bake energies and joint torques of the simulation as animated custom properties, for the Graph Editor"""

    bl_idname = "redmax.graph_figures"
    bl_label = "Bake Graphs"
    bl_options = {"REGISTER", "UNDO"}

    only_selected: BoolProperty(name="Only Selected", description="Torques of selected bones and joints only")

    @classmethod
    def poll(cls, context):
        if figure_cache.shown(context.scene) is None:
            cls.poll_message_set(tip_("Simulate first"))
            return False
        return True

    def execute(self, context):
        try:
            holder = graph_figures(context.scene, self.joints(context) if self.only_selected else None)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        text = rpt_("Energies and torques are custom properties of '{name}'")
        self.report({"INFO"}, text.format(name=holder.name))
        return {"FINISHED"}

    @staticmethod
    def joints(context):
        """Names in the engine of what is selected and was simulated."""
        _, figures = figure_cache.shown(context.scene)
        chosen = {obj.name for obj in context.selected_objects}
        for obj in context.selected_objects:
            if obj.type == "ARMATURE":
                chosen |= {f"{obj.name}/{bone.name}" for bone in obj.pose.bones if is_selected(bone)}
        return [name for name in figures.joints if name in chosen]
