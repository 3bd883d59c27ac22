"""The mass of a whole character: what its bodies weigh together, and how to change that."""

from __future__ import annotations

import bpy

from ..make_physical import bone_mass
from ..rig import metres_per_unit


def unit_of(obj: bpy.types.Object, scene: bpy.types.Scene) -> float:
    """Metres a unit of the armature, as masses are measured."""
    return metres_per_unit(scene) * float(obj.matrix_world.median_scale)


def total_mass(obj: bpy.types.Object, scene: bpy.types.Scene) -> float:
    """Mass of the armature's physical bones [kg]."""
    if obj.type != "ARMATURE" or obj.pose is None:
        return 0.0
    unit = unit_of(obj, scene)
    return sum(bone_mass(bone, unit) for bone in obj.pose.bones if bone.redmax.physical)


def set_total_mass(obj: bpy.types.Object, scene: bpy.types.Scene, mass: float) -> None:
    """Make all bodies heavier or lighter by the same factor, and their joints' damping with them."""
    now = total_mass(obj, scene)
    if not now > 0.0 or not mass > 0.0:
        return
    for bone in obj.pose.bones:
        if bone.redmax.physical:
            bone.redmax.mass *= mass / now
            bone.redmax.density *= mass / now
            bone.redmax.damping *= mass / now
