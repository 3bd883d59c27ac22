"""Joint Friction: the box for the friction inside the active bone's or empty's joint."""

import bpy
from bpy.app.translations import pgettext_iface as iface_

from ..bridge.read.friction import RUBS, bone_friction_size, is_fixed, joint_friction_size
from ..bridge.rig.bodies import is_joint
from .presets import REDMAX_PT_friction_presets
from .sidebar import Sidebar, active_bone

SHAPES = {
    "REVOLUTE": "a cylinder about its axis",
    "UNIVERSAL": "a cylinder about each axis",
    "SPHERICAL": "a ball",
    "PRISMATIC": "a sleeve along its axis",
}
"""What rubs in each kind of joint."""
BETWEEN = {"POINT": "SPHERICAL", "HINGE": "REVOLUTE", "SLIDER": "PRISMATIC", "PISTON": "PRISMATIC"}
"""The same kinds by their names between objects; all others turn about axes of their own."""


def shape_between(joint):
    """What rubs in a joint between objects, by our settings or by Blender's."""
    own = joint.redmax.joint.kind
    kind = own if own != "NONE" else joint.rigid_body_constraint.type
    return SHAPES[BETWEEN.get(kind, "UNIVERSAL")]


class VIEW3D_PT_redmax_friction(Sidebar, bpy.types.Panel):
    bl_label = "Joint Friction"
    bl_order = 3
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        bone = active_bone(context)
        if bone is not None:
            return bone.redmax.physical
        return context.object is not None and is_joint(context.object)

    def draw_header_preset(self, _context):
        REDMAX_PT_friction_presets.draw_panel_header(self.layout)

    def draw(self, context):
        layout = self.layout
        bone = active_bone(context)
        if bone is not None and bone.redmax.joint not in RUBS:
            fixed = bone.redmax.joint == "FIXED"
            text = (
                iface_("Fixed joints have no friction") if fixed else iface_("Free joints have no friction")
            )
            layout.label(text=text, icon="INFO", translate=False)
            return
        if bone is None and is_fixed(context.object):
            layout.label(text="Fixed joints have no friction", icon="INFO")
            return
        settings = (bone or context.object).redmax.friction
        shape = shape_between(context.object) if bone is None else SHAPES[bone.redmax.joint]
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(settings, "coefficient", text="Coefficient")
        rubs = settings.coefficient > 0.0 or settings.static > 0.0
        row = layout.row()
        row.active = rubs
        row.prop(settings, "static", text="Static Friction")
        column = layout.column(align=True)
        column.active = rubs
        column.prop(settings, "radius", text="Friction Radius")
        row = column.row(align=True)
        row.active = shape != SHAPES["SPHERICAL"]
        row.prop(settings, "height", text="Height")
        sizes = joint_friction_size(context.object) if bone is None else bone_friction_size(bone)
        self.draw_size(layout, context, shape, sizes)
        layout.operator("redmax.copy_part", icon="PASTEDOWN").part = "friction"
        overlay = context.scene.redmax.overlay
        row = layout.row(align=True)
        row.use_property_split = False
        row.prop(overlay, "show", text="Overlay", icon="OVERLAY", toggle=True)
        row = row.row(align=True)
        row.active = overlay.show
        row.prop(overlay, "friction", text="Show Friction", icon="HIDE_OFF", toggle=True)

    @staticmethod
    def draw_size(layout, context, shape, sizes):
        """What 0 stands for."""
        shown = [
            bpy.utils.units.to_string(
                context.scene.unit_settings.system, "LENGTH", size * context.scene.unit_settings.scale_length
            )
            for size in sizes
        ]
        row = layout.row()
        row.active = False
        text = iface_("Friction radius {radius}: {shape}")
        if shape != SHAPES["SPHERICAL"]:
            text = iface_("Friction radius {radius}, height {height}: {shape}")
        row.label(text=text.format(shape=iface_(shape), radius=shown[0], height=shown[1]))


CLASSES = (REDMAX_PT_friction_presets, VIEW3D_PT_redmax_friction)
