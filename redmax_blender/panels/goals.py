"""Goals: what a simulation is to reach, and what may change for that."""

import bpy

from .sidebar import Sidebar


class VIEW3D_PT_redmax_goals(Sidebar, bpy.types.Panel):
    bl_label = "Goals"
    bl_parent_id = "VIEW3D_PT_redmax_simulate"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 2

    def draw(self, context):
        layout = self.layout
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
            box.prop(goal, "frame")
            box.prop(goal, "weight")
        layout.operator("redmax.add_goal", icon="ADD")
        for i, change in enumerate(goals.changes):
            box = layout.box()
            row = box.row(align=True)
            row.prop(change, "kind")
            remove(row, i, True)
            box.prop(change, "object")
            box.prop(change, "largest")
        layout.operator("redmax.add_change", icon="ADD")
        layout.prop(goals, "iterations")
        layout.operator("redmax.solve_goals", icon="CON_FOLLOWTRACK")


def remove(row, index, of_changes):
    button = row.operator("redmax.remove_goal", text="", icon="X")
    button.index, button.of_changes = index, of_changes
