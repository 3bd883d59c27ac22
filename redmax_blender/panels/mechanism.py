"""Body, Joint and Spring: the part that the active object has in a mechanism."""

import bpy
from bpy.app.translations import pgettext_iface as iface_

from ..bridge.mechanism.joint_couplings import KINDS as COUPLED
from ..bridge.motion.joint_ways import ways
from ..bridge.rig.bodies import is_anchored, is_body
from ..mechanism_properties import LINES
from .sidebar import Sidebar, measured
from .stops import draw_stops

ROWS = {
    "FIXED": (),
    "POINT": (),
    "HINGE": (("rotation", 2),),
    "SLIDER": (("location", 0),),
    "PISTON": (("location", 0), ("rotation", 0)),
    "SCREW": (("location", 0), ("rotation", 0)),
    "UNIVERSAL": (("rotation", 0), ("rotation", 1)),
    "PLANAR": (("location", 0), ("location", 1)),
    "FREE_PLANAR": (("location", 0), ("location", 1), ("rotation", 2)),
    "TRANSLATIONAL": tuple(("location", i) for i in range(3)),
    "CURVE": (("location", 0),),
    "SURFACE": (("location", 0), ("location", 1)),
    "GENERIC": tuple((what, i) for what in ("location", "rotation") for i in range(3)),
}
"""Which directions of each kind of joint have settings."""


class VIEW3D_PT_redmax_mechanism(Sidebar, bpy.types.Panel):
    bl_label = "Mechanism"
    bl_order = 2

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT"

    def draw(self, context):
        layout = self.layout
        row = layout.row(align=True)
        row.operator("redmax.set_role", icon="PHYSICS", text="Active").role = "ACTIVE"
        row.operator("redmax.set_role", icon="PINNED", text="Anchored").role = "ANCHORED"
        row = layout.row(align=True)
        row.operator_menu_enum("redmax.add_part", "part", text="Add Part", icon="MESH_CYLINDER")
        row.operator("redmax.parts_library", text="", icon="ASSET_MANAGER")
        row = layout.row(align=True)
        row.operator_menu_enum("redmax.connect", "kind", text="Connect", icon="SNAP_ON")
        row.operator("redmax.assemble", icon="AUTOMERGE_ON")
        layout.operator("redmax.add_joint", icon="EMPTY_ARROWS")
        row = layout.row(align=True)
        row.operator("redmax.add_spring", icon="CURVE_PATH").kind = "SPRING"
        row.operator("redmax.add_spring", icon="CURVE_DATA", text="Add Cable").kind = "CABLE"
        row = layout.row(align=True)
        row.operator("redmax.add_spring", icon="IPO_LINEAR", text="Add Rope").kind = "ROPE"
        row.operator("redmax.add_spring", icon="FIXED_SIZE", text="Add Rod").kind = "ROD"
        layout.operator_menu_enum("redmax.mesh_gears", "kind", text="Gear, Belt or Rack", icon="SETTINGS")
        if context.scene.rigidbody_world is not None:
            layout.prop(context.scene.redmax, "use_rigid_bodies")
        layout.menu("VIEW3D_MT_redmax_shots", icon="SCENE_DATA", text="Add Example")
        cut = context.scene.redmax.cut_joints.splitlines()
        if cut:
            text = iface_("Loops close at {joints}")
            if len(cut) > 4:
                text = iface_("Loops close at {joints} and {more} more")
            text = text.format(joints=", ".join(cut[:4]), more=len(cut) - 4)
            layout.label(text=text, icon="UNLINKED")


class VIEW3D_PT_redmax_object_body(Sidebar, bpy.types.Panel):
    bl_label = "Body"
    bl_parent_id = "VIEW3D_PT_redmax_mechanism"

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "MESH"

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        obj = context.object
        settings = obj.redmax.body
        layout.prop(settings, "role")
        if not is_body(obj):
            return
        if settings.role == "NONE":
            layout.label(text="Read from Blender's rigid body", icon="RIGID_BODY")
        else:
            layout.prop(settings, "shape")
            self.draw_mass(layout, settings)
        if is_anchored(obj):
            layout.label(text="It stands still or follows its animation", icon="PINNED")
            return
        layout.prop(settings, "weight")
        measured(layout).prop(settings, "drag", text="Drag (N·s/m)")
        column = measured(layout)
        column.use_property_decorate = True
        column.prop(obj, "redmax_push", text="Push (N)")
        layout.prop(settings, "target")
        column = layout.column(heading="Target")
        column.active = settings.target is not None
        row = column.row()
        row.use_property_decorate = True
        row.prop(settings, "follow")
        column.prop(settings, "follow_rotation")

    @staticmethod
    def draw_mass(layout, settings):
        row = layout.row()
        row.active = settings.role == "ACTIVE"
        row.prop(settings, "mass_from", expand=True)
        row = measured(layout)
        row.active = settings.role == "ACTIVE"
        if settings.mass_from == "DENSITY":
            row.prop(settings, "density", text="Density (kg/m³)")
        else:
            row.prop(settings, "mass", text="Mass (kg)")


class VIEW3D_PT_redmax_joint(Sidebar, bpy.types.Panel):
    bl_label = "Joint"
    bl_parent_id = "VIEW3D_PT_redmax_mechanism"

    @classmethod
    def poll(cls, context):
        obj = context.object
        return obj is not None and (obj.type == "EMPTY" or obj.rigid_body_constraint is not None)

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        obj = context.object
        joint = obj.redmax.joint
        layout.prop(joint, "kind")
        if joint.kind == "NONE":
            if obj.rigid_body_constraint is None:
                return
            layout.label(text="Read from Blender's rigid body constraint", icon="RIGID_BODY_CONSTRAINT")
            self.draw_stops(layout, obj)
        else:
            layout.prop(joint, "object1")
            layout.prop(joint, "object2")
            layout.prop(joint, "other")
            self.draw_path(layout, joint)
            for what, i in ROWS[joint.kind]:
                self.draw_direction(layout, joint, what, i)
            self.draw_stops(layout, obj)
            self.draw_motor(layout, joint)
            self.draw_coupling(layout, obj)
        layout.prop(joint, "cut")
        if obj.name in context.scene.redmax.cut_joints.splitlines():
            layout.label(text="It was cut: a constraint closes the loop here", icon="UNLINKED")

    @staticmethod
    def draw_stops(layout, obj):
        slides, turns, limited = ways(obj)
        if slides or turns:
            draw_stops(layout, obj.redmax.friction, limited, slides, turns)

    @staticmethod
    def draw_path(layout, joint):
        if joint.kind == "SCREW":
            layout.prop(joint, "pitch")
        if joint.kind not in ("CURVE", "SURFACE"):
            return
        layout.prop(joint, "path")
        layout.prop(joint, "path_turn")
        layout.prop(joint, "stop_at_ends")

    @staticmethod
    def draw_coupling(layout, obj):
        if obj.redmax.joint.kind not in COUPLED:
            return
        settings = obj.redmax.coupling
        layout.prop(settings, "joint")
        row = layout.row()
        row.active = settings.joint is not None
        row.prop(settings, "ratio")

    @staticmethod
    def draw_direction(layout, joint, what, i):
        turns = what == "rotation"
        box = layout.column(align=True)
        title = f"{iface_('Rotation') if turns else iface_('Location')} {'XYZ'[i]}"
        box.use_property_split = False
        if joint.kind == "GENERIC":
            box.prop(joint, f"free_{what}", index=i, text=title, toggle=True)
            if not getattr(joint, f"free_{what}")[i]:
                return
        else:
            box.label(text=title)
        row = box.row(align=True)
        row.prop(joint, f"limit_{what}", index=i, text="Limit", toggle=True)
        ends = row.row(align=True)
        ends.active = getattr(joint, f"limit_{what}")[i]
        ends.prop(joint, f"{what}_min", index=i, text="")
        ends.prop(joint, f"{what}_max", index=i, text="")
        row = box.row(align=True)
        row.prop(
            joint, f"{what}_stiffness", index=i, text="Stiffness (N·m/rad)" if turns else "Stiffness (N/m)"
        )
        row.prop(
            joint, f"{what}_damping", index=i, text="Damping (N·m·s/rad)" if turns else "Damping (N·s/m)"
        )

    @staticmethod
    def draw_motor(layout, joint):
        if joint.kind not in ("HINGE", "SLIDER", "PISTON", "SCREW", "CURVE"):
            return
        turns = joint.kind == "HINGE"
        layout.prop(joint, "use_motor")
        column = layout.column()
        column.active = joint.use_motor
        column.prop(joint, "motor_kind")
        if joint.motor_kind == "KEYED":
            column.use_property_decorate = True
            column.prop(joint, "motor_angle" if turns else "motor_distance")
            return
        column = measured(column)
        column.prop(joint, "motor_speed", text="Speed (rad/s)" if turns else "Speed (m/s)")
        if joint.motor_kind == "FALLING":
            text = "Stall Torque (N·m)" if turns else "Stall Force (N)"
        else:
            text = "Largest Torque (N·m)" if turns else "Largest Force (N)"
        column.prop(joint, "motor_force", text=text)


class VIEW3D_PT_redmax_spring(Sidebar, bpy.types.Panel):
    bl_label = "Spring"
    bl_parent_id = "VIEW3D_PT_redmax_mechanism"

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "CURVE"

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        obj = context.object
        spring = obj.redmax.spring
        layout.prop(spring, "kind")
        if spring.kind == "NONE":
            return
        if spring.kind in LINES:
            layout.prop(spring, "rest_length", text="Length")
        else:
            column = measured(layout)
            column.prop(spring, "stiffness", text="Stiffness (N/m)")
            column.prop(spring, "damping", text="Damping (N·s/m)")
            layout.prop(spring, "rest_length")
        for hook in obj.modifiers:
            if hook.type == "HOOK":
                layout.prop(hook, "object", text=hook.name, translate=False)


CLASSES = (
    VIEW3D_PT_redmax_mechanism,
    VIEW3D_PT_redmax_object_body,
    VIEW3D_PT_redmax_joint,
    VIEW3D_PT_redmax_spring,
)
