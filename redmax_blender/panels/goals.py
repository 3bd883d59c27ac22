"""Goals: what a simulation is to reach, and what may change for that."""

import bpy

from ..bridge.goals.changes import OF_BONES, OVER_TIME
from .sidebar import Sidebar


class VIEW3D_PT_redmax_goals(Sidebar, bpy.types.Panel):
    bl_label = "Goals"
    bl_parent_id = "VIEW3D_PT_redmax_simulate"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 2

    def draw(self, context):
        layout = self.layout
        row = layout.row(align=True)
        row.operator("redmax.set_up_goals", text="In-Betweens", icon="IPO_EASE_IN_OUT").kind = "IN_BETWEENS"
        row.operator("redmax.set_up_goals", text="Fit", icon="TRACKING_REFINE_FORWARDS").kind = "FIT"
        layout.use_property_split = True
        goals = context.scene.redmax.goals
        for i, goal in enumerate(goals.wanted):
            box = layout.box()
            row = box.row(align=True)
            row.prop(goal, "kind")
            remove(row, i, False)
            box.prop(goal, "object")
            if goal.object is not None and goal.object.type == "ARMATURE":
                box.prop_search(goal, "bone", goal.object.data, "bones")
            if goal.kind == "REACH":
                box.prop(goal, "target")
            if goal.kind not in ("KEYS", "FOLLOW"):
                box.prop(goal, "frame")
            box.prop(goal, "weight")
        layout.operator("redmax.add_goal", icon="ADD")
        for i, change in enumerate(goals.changes):
            box = layout.box()
            row = box.row(align=True)
            row.prop(change, "kind")
            remove(row, i, True)
            box.prop(change, "object", text="Muscle" if change.kind == "EXCITATION" else None)
            if change.object is not None and change.object.type == "ARMATURE" and change.kind in OF_BONES:
                box.prop_search(change, "bone", change.object.data, "bones")
            if change.kind == "PUSH":
                row = box.row(align=True)
                row.prop(change, "frame")
                row.prop(change, "duration")
            if change.kind in OVER_TIME:
                box.prop(change, "knots")
            box.prop(change, "largest")
        layout.operator("redmax.add_change", icon="ADD")
        if any(change.kind in OVER_TIME for change in goals.changes):
            layout.prop(goals, "effort")
        layout.prop(goals, "method")
        layout.prop(goals, "iterations")
        layout.operator("redmax.solve_goals", icon="CON_FOLLOWTRACK")


def remove(row, index, of_changes):
    button = row.operator("redmax.remove_goal", text="", icon="X")
    button.index, button.of_changes = index, of_changes
