"""Muscles: the active curve as one, the active object as a surface; draw() and nothing else."""

import bpy

from ..bridge.muscles.objects import is_muscle
from .sidebar import Sidebar, measured


class VIEW3D_PT_redmax_muscles(Sidebar, bpy.types.Panel):
    bl_label = "Muscles"
    bl_order = 3
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return context.mode in {"OBJECT", "POSE"}

    def draw(self, _context):
        layout = self.layout
        layout.operator("redmax.add_muscle", icon="CURVE_DATA")
        layout.operator_menu_enum("redmax.add_muscle_surface", "kind", icon="MESH_CYLINDER")
        row = layout.row(align=True)
        row.operator("redmax.import_opensim", text="Import Model", icon="IMPORT")
        row.operator("redmax.import_opensim_motion", text="Import Motion", icon="ACTION")


class VIEW3D_PT_redmax_muscle(Sidebar, bpy.types.Panel):
    bl_label = "Muscle"
    bl_parent_id = "VIEW3D_PT_redmax_muscles"

    @classmethod
    def poll(cls, context):
        return is_muscle(context.object)

    def draw(self, context):
        layout = self.layout
        settings = context.object.redmax.muscle
        column = measured(layout)
        column.prop(settings, "mass")
        column.prop(settings, "density")
        column.prop(settings, "max_force")
        layout.use_property_split = True
        layout.prop(settings, "inertia")
        column = layout.column(align=True)
        column.prop(settings, "optimal_length")
        column.prop(settings, "tendon_length")
        layout.operator("redmax.muscle_from_pose", icon="ARMATURE_DATA")
        layout.prop(settings, "excitation", slider=True)
        column = layout.column(align=True)
        column.prop(settings, "belly_start", slider=True)
        column.prop(settings, "belly_end", slider=True)
        layout.prop(settings, "surfaces")
        layout.prop(settings, "tube")
        row = layout.row(align=True)
        row.operator("redmax.bake_muscles", icon="SHAPEKEY_DATA")
        row.operator("redmax.free_muscles", text="", icon="X")
        column = layout.column(align=True)
        column.enabled = False
        column.prop(settings, "length")
        column.prop(settings, "tension")
        column.prop(settings, "activation")


class VIEW3D_PT_redmax_muscle_surface(Sidebar, bpy.types.Panel):
    bl_label = "Surface of Muscles"
    bl_parent_id = "VIEW3D_PT_redmax_muscles"

    @classmethod
    def poll(cls, context):
        obj = context.object
        return obj is not None and obj.type in {"MESH", "EMPTY"} and context.mode == "OBJECT"

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        settings = context.object.redmax.wrap
        layout.prop(settings, "kind")
        if settings.kind == "NONE":
            return
        layout.prop(settings, "size")
        layout.prop(settings, "half")
        if settings.kind == "CYLINDER":
            layout.prop(settings, "length")


CLASSES = (VIEW3D_PT_redmax_muscles, VIEW3D_PT_redmax_muscle, VIEW3D_PT_redmax_muscle_surface)
