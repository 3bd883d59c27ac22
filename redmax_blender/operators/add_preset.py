"""Presets of friction and contact, the way Blender keeps its own: files that a user can add and remove."""

import bpy
from bl_operators.presets import AddPresetBase
from bpy.app.translations import pgettext_tip as tip_

DEFINES = [
    "obj = bpy.context.object",
    'bone = obj.data.bones.active if obj.type == "ARMATURE" else None',
    "settings = (obj.pose.bones[bone.name] if bone else obj).redmax",
]
"""Lines of a preset file: whose settings it is about, a bone's or an object's."""


class _OfActive(AddPresetBase):
    """A preset of the settings of the active bone or object."""

    @classmethod
    def poll(cls, context):
        if context.object is None:
            cls.poll_message_set(tip_("Nothing is active whose settings could be kept"))
            return False
        return True


class REDMAX_OT_friction_preset_add(_OfActive, bpy.types.Operator):
    """Add or remove a preset of joint friction"""

    bl_idname = "redmax.friction_preset_add"
    bl_label = "Add Joint Friction Preset"
    preset_menu = "REDMAX_PT_friction_presets"
    preset_subdir = "redmax/friction"
    preset_defines = DEFINES
    preset_values = [
        f"settings.friction.{name}"
        for name in (
            "coefficient", "static", "radius", "height", "stop_friction", "stop_radius", "stop_restitution"
        )
    ]  # fmt: skip


class REDMAX_OT_surface_preset_add(_OfActive, bpy.types.Operator):
    """Add or remove a preset of surfaces"""

    bl_idname = "redmax.surface_preset_add"
    bl_label = "Add Contact Preset"
    preset_menu = "REDMAX_PT_surface_presets"
    preset_subdir = "redmax/surface"
    preset_defines = DEFINES
    preset_values = [f"settings.surface.{name}" for name in ("friction", "restitution", "margin")]


class REDMAX_OT_control_preset_add(_OfActive, bpy.types.Operator):
    """Add or remove a preset of how a bone is led to its animation"""

    bl_idname = "redmax.control_preset_add"
    bl_label = "Add Control Preset"
    preset_menu = "REDMAX_PT_control_presets"
    preset_subdir = "redmax/control"
    preset_defines = DEFINES
    preset_values = [f"settings.control.{name}" for name in ("response", "ratio", "ease", "wake")]

    @classmethod
    def poll(cls, context):
        obj = context.object
        if obj is None or obj.type != "ARMATURE" or obj.data.bones.active is None:
            cls.poll_message_set(tip_("No bone is active whose settings could be kept"))
            return False
        return True


class REDMAX_OT_flesh_preset_add(_OfActive, bpy.types.Operator):
    """Add or remove a preset of what flesh is made of"""

    bl_idname = "redmax.flesh_preset_add"
    bl_label = "Add Flesh Preset"
    preset_menu = "REDMAX_PT_flesh_presets"
    preset_subdir = "redmax/flesh"
    preset_defines = ["settings = bpy.context.object.redmax"]
    preset_values = [
        f"settings.flesh.{name}"
        for name in ("material", "young", "poisson", "mass_from", "density", "damping", "drag")
    ]
