"""Bone: joint and body of the active bone."""

import bpy

from .sidebar import Sidebar, active_bone, measured
from .stops import draw_stops

TURNS = {"REVOLUTE": 1, "UNIVERSAL": 2, "SPHERICAL": 3}
"""Joints that turn, and about how many axes."""


class VIEW3D_PT_redmax_bone(Sidebar, bpy.types.Panel):
    bl_label = "Bone"
    bl_order = 1

    @classmethod
    def poll(cls, context):
        return active_bone(context) is not None

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        bone = active_bone(context)
        settings = bone.redmax
        row = layout.row()
        row.use_property_split = False
        row.prop(settings, "physical", text=bone.name, translate=False)
        if not settings.physical:
            return
        layout.prop(settings, "joint")
        layout.prop_search(settings, "carrier", bone.id_data.pose, "bones")
        self.draw_axes(layout, settings)
        if settings.joint in TURNS or settings.joint == "PRISMATIC":
            self.draw_spring(layout, settings)
        layout.operator("redmax.copy_to_selected", icon="PASTEDOWN")

    @staticmethod
    def draw_axes(layout, settings):
        if settings.joint not in ("REVOLUTE", "UNIVERSAL", "PRISMATIC"):
            return
        layout.prop(settings, "axis")
        if settings.axis == "CUSTOM":
            layout.column().prop(settings, "axis_vector")
        if settings.joint == "UNIVERSAL":
            layout.prop(settings, "second_axis")

    @staticmethod
    def draw_spring(layout, settings):
        turns = settings.joint != "PRISMATIC"
        column = measured(layout)
        column.prop(settings, "stiffness", text="Stiffness (N·m/rad)" if turns else "Stiffness (N/m)")
        column.prop(settings, "damping", text="Damping (N·m·s/rad)" if turns else "Damping (N·s/m)")
        rest = layout.column()
        rest.active = settings.stiffness > 0.0
        rest.prop(settings, "rest_from")
        if settings.rest_from == "ANGLES":
            rest.prop(settings, "rest_angles" if turns else "rest_length")


class VIEW3D_PT_redmax_limits(Sidebar, bpy.types.Panel):
    bl_label = "Limits"
    bl_parent_id = "VIEW3D_PT_redmax_bone"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        bone = active_bone(context)
        return bone is not None and bone.redmax.physical and bone.redmax.joint in TURNS

    def draw(self, context):
        layout = self.layout
        settings = active_bone(context).redmax
        for i, axis in enumerate("XYZ"):
            row = layout.row(align=True)
            row.prop(settings, "use_limits", index=i, text=axis, toggle=True)
            ends = row.row(align=True)
            ends.active = settings.use_limits[i]
            ends.prop(settings, "limits_min", index=i, text="")
            ends.prop(settings, "limits_max", index=i, text="")
        draw_stops(layout, settings.friction, any(settings.use_limits), 0, TURNS[settings.joint])
        if any(settings.use_limits) and not context.scene.redmax.integrator.startswith("euler"):
            layout.label(text="Only Implicit Euler can hold limits", icon="ERROR")


class VIEW3D_PT_redmax_body(Sidebar, bpy.types.Panel):
    bl_label = "Body"
    bl_parent_id = "VIEW3D_PT_redmax_bone"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        bone = active_bone(context)
        return bone is not None and bone.redmax.physical

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        settings = active_bone(context).redmax
        column = layout.column()
        column.prop(settings, "radius")
        column.prop(settings, "use_bone_length")
        if not settings.use_bone_length:
            column.prop(settings, "length")
            column.prop(settings, "start")
            column.prop(settings, "direction")
        row = layout.row()
        row.prop(settings, "mass_from", expand=True)
        if settings.mass_from == "DENSITY":
            measured(layout).prop(settings, "density", text="Density (kg/m³)")
        else:
            measured(layout).prop(settings, "mass", text="Mass (kg)")
