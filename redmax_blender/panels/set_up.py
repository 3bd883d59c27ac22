"""Set Up: make an armature physical, and the list of what was decided."""

import bpy

from ..bridge.make_physical import bone_mass
from ..bridge.rig import is_physical, metres_per_unit
from .sidebar import Sidebar, active_armature

ICONS = {
    "FIXED": "LOCKED",
    "REVOLUTE": "DRIVER_ROTATIONAL_DIFFERENCE",
    "UNIVERSAL": "ORIENTATION_GIMBAL",
    "SPHERICAL": "SPHERE",
    "PRISMATIC": "DRIVER_DISTANCE",
    "FREE": "ORIENTATION_GLOBAL",
}


class REDMAX_UL_bones(bpy.types.UIList):
    """The physical bones of an armature, with joint and mass."""

    def draw_item(self, context, layout, data, item, _icon, _active_data, _active_property, _index, _flag):
        settings = item.redmax
        unit = metres_per_unit(context.scene) * data.id_data.matrix_world.median_scale
        row = layout.row(align=True)
        row.label(text=item.name, icon=ICONS[settings.joint])
        right = row.row(align=True)
        right.alignment = "RIGHT"
        right.label(text=f"{settings.bl_rna.properties['joint'].enum_items[settings.joint].name}")
        right.label(text=f"{bone_mass(item, unit):.3g} kg")

    def filter_items(self, _context, data, property_name):
        bones = getattr(data, property_name)
        wanted = self.filter_name.lower()
        flags = [
            self.bitflag_filter_item if bone.redmax.physical and wanted in bone.name.lower() else 0
            for bone in bones
        ]
        return flags, []


class VIEW3D_PT_redmax_set_up(Sidebar, bpy.types.Panel):
    bl_label = "Set Up"

    def draw(self, context):
        layout = self.layout
        armature = active_armature(context)
        if armature is None:
            layout.label(text="Select an armature", icon="ARMATURE_DATA")
            return
        layout.operator("redmax.make_physical", icon="PHYSICS")
        if not is_physical(armature):
            return
        bones = [bone for bone in armature.pose.bones if bone.redmax.physical]
        unit = metres_per_unit(context.scene) * armature.matrix_world.median_scale
        mass = sum(bone_mass(bone, unit) for bone in bones)
        layout.label(text=f"{len(bones)} physical bone{'s' if len(bones) > 1 else ''}, {mass:.4g} kg")
        layout.template_list(
            "REDMAX_UL_bones", "", armature.pose, "bones", armature.redmax, "bone_index", rows=4, maxrows=10
        )
        row = layout.row(align=True)
        row.operator("redmax.show_report", icon="TEXT")
        row.operator("redmax.clear_physical", icon="X", text="Clear")
