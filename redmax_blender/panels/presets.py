"""Menus of presets, behind the icon in the header of a panel."""

import bpy
from bl_ui.utils import PresetPanel


class REDMAX_PT_friction_presets(PresetPanel, bpy.types.Panel):
    bl_label = "Joint Friction Presets"
    preset_subdir = "redmax/friction"
    preset_operator = "script.execute_preset"
    preset_add_operator = "redmax.friction_preset_add"


class REDMAX_PT_surface_presets(PresetPanel, bpy.types.Panel):
    bl_label = "Contact Presets"
    preset_subdir = "redmax/surface"
    preset_operator = "script.execute_preset"
    preset_add_operator = "redmax.surface_preset_add"


class REDMAX_PT_control_presets(PresetPanel, bpy.types.Panel):
    bl_label = "Control Presets"
    preset_subdir = "redmax/control"
    preset_operator = "script.execute_preset"
    preset_add_operator = "redmax.control_preset_add"


class REDMAX_PT_flesh_presets(PresetPanel, bpy.types.Panel):
    bl_label = "Flesh Presets"
    preset_subdir = "redmax/flesh"
    preset_operator = "script.execute_preset"
    preset_add_operator = "redmax.flesh_preset_add"
