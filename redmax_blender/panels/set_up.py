"""Set Up: make an armature physical, and the list of what was decided."""

import bpy
from bpy.app.translations import pgettext_iface as iface_

from ..bridge.rig.limbs.check import noted
from ..bridge.rig.make_physical import bone_mass
from ..bridge.rig.rig import is_physical, metres_per_unit
from ..control_properties import MODES
from ..operators.decide import VERDICTS
from ..operators.fix_finding import FIXES
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
    """What was decided for the bones of an armature: joint and mass, with buttons to decide otherwise."""

    def draw_item(self, context, layout, data, item, _icon, _active_data, _active_property, _index, _flag):
        settings = item.redmax
        unit = metres_per_unit(context.scene) * data.id_data.matrix_world.median_scale
        row = layout.row(align=True)
        name = row.row(align=True)
        name.active = settings.physical
        icon = ICONS[settings.joint] if settings.physical else "HIDE_ON"
        name.label(text=item.name, icon=icon, translate=False)
        right = row.row(align=True)
        right.alignment = "RIGHT"
        if settings.physical:
            right.label(text=f"{bone_mass(item, unit):.3g} kg")
        else:
            right.label(text=settings.decision)
        for verdict, _, _, icon, _ in VERDICTS:
            if verdict != _verdict(settings):
                button = right.operator("redmax.decide", text="", icon=icon, emboss=False)
                button.bone, button.verdict = item.name, verdict

    def filter_items(self, _context, data, property_name):
        bones = getattr(data, property_name)
        wanted = self.filter_name.lower()
        flags = [
            self.bitflag_filter_item
            if (bone.redmax.physical or bone.redmax.decision) and wanted in bone.name.lower()
            else 0
            for bone in bones
        ]
        return flags, []


def _verdict(settings) -> str:
    """Which of the verdicts holds for a bone now."""
    if not settings.physical:
        return "LEAVE_OUT"
    return "HOLD" if settings.joint == "FIXED" else "MOVE"


class VIEW3D_PT_redmax_set_up(Sidebar, bpy.types.Panel):
    bl_label = "Set Up"
    bl_order = 0

    def draw(self, context):
        layout = self.layout
        armature = active_armature(context)
        if armature is None:
            layout.label(text="Select an armature", icon="ARMATURE_DATA")
            return
        row = layout.row(align=True)
        row.operator("redmax.make_physical", icon="PHYSICS")
        row.operator("redmax.ragdoll", icon="ARMATURE_DATA")
        if not is_physical(armature):
            return
        bones = [bone for bone in armature.pose.bones if bone.redmax.physical]
        mass = armature.redmax.total_mass
        text = (
            iface_("{count} physical bones, {mass} kg")
            if len(bones) > 1
            else iface_("A physical bone, {mass} kg")
        )
        layout.label(text=text.format(count=len(bones), mass=f"{mass:.3g}"))
        layout.prop(armature.redmax, "total_mass", text="Total Mass (kg)")
        layout.row(align=True).prop(armature.redmax, "root", expand=True)
        self.draw_findings(layout, armature)
        layout.template_list(
            "REDMAX_UL_bones", "", armature.pose, "bones", armature.redmax, "bone_index", rows=4, maxrows=10
        )
        if context.mode == "POSE":
            self.draw_decisions(layout)
        self.draw_control(layout)
        row = layout.row(align=True)
        row.operator("redmax.show_report", icon="TEXT")
        row.operator("redmax.check", icon="CHECKMARK")
        row.operator("redmax.clear_physical", icon="X", text="Clear")

    @staticmethod
    def draw_decisions(layout):
        """All selected bones at once: hair that shall move, a face that shall not."""
        row = layout.row(align=True)
        row.label(text="Selected bones:")
        for verdict, label, _, icon, _ in VERDICTS:
            button = row.operator("redmax.decide", text=iface_(label), translate=False, icon=icon)
            button.bone, button.verdict = "", verdict

    @staticmethod
    def draw_findings(layout, armature):
        """What the check has found, each with what mends it beside it."""
        found = noted(armature)
        if not found:
            return
        box = layout.box().column(align=True)
        for finding in found:
            row = box.row(align=True)
            row.label(text=finding.text, icon="ERROR", translate=False)
            name = next(label for kind, label, _ in FIXES if kind == finding.kind)
            row.operator("redmax.fix_finding", text=name).kind = finding.kind

    @staticmethod
    def draw_control(layout):
        """The whole character at once: who moves it from the current frame on."""
        column = layout.column(align=True)
        column.label(text="Whole character, from this frame")
        row = column.row(align=True)
        row.operator_context = "EXEC_REGION_WIN"
        for mode, label, *_ in MODES:
            button = row.operator("redmax.set_control", text=label)
            button.mode, button.scope = mode, "ALL"
