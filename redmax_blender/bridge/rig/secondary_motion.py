"""Secondary motion in one step: chains that swing after the body, by sliders that mean the same at any size.

Gains follow from what a joint carries: its weight torque m g c sets the scale of stiffness, its own swing the scale of
time. So a tail of a mouse and one of a dragon, or a rig in centimetres, move alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import bpy

from ...engine.errors import SceneError
from .damping import hanging
from .decide import decide_all
from .make_physical import bone_mass, check_armature, is_selected
from .rig import metres_per_unit, parents_first, physical_parents

STIFFEST = 60.0
"""Stiffness at the end of the slider, in weight torques: held out level, the chain sags by a sixtieth of a radian."""
LEAST_DAMPED, MOST_DAMPED = 0.02, 1.5
"""Damping ratios at the ends of the slider Drag."""
LOOSEST, FIRMEST = 0.6, 0.05
"""Response of the guide just above the start of the slider Follow, and at its end, in times in which the chain would
swing through a radian."""


@dataclass(frozen=True)
class Feel:
    """How a chain moves; all from 0 to 1."""

    stiffness: float
    """How much it keeps its shape."""
    follow: float
    """How closely it follows its own animation; 0 leaves it to physics alone."""
    drag: float
    """How soon it comes to rest."""


FEELS = {
    "TAIL": Feel(0.25, 0.35, 0.3),
    "HAIR": Feel(0.08, 0.0, 0.45),
    "EARS": Feel(0.5, 0.4, 0.3),
    "ANTENNA": Feel(0.8, 0.0, 0.05),
    "DANGLING": Feel(0.0, 0.0, 0.12),
}


def add_secondary_motion(
    obj: bpy.types.Object, scene: bpy.types.Scene, bones: Sequence[bpy.types.PoseBone], feel: Feel
) -> list[str]:
    """Let bones swing; returns the names of those that were made physical to carry them, and follow their animation.

    Bones that are physical already keep their bodies and joints.
    """
    scale = check_armature(obj)
    if not bones:
        raise SceneError(
            f"Armature '{obj.name}'", "no bone is selected", "Select the bones of a tail or of hair."
        )
    names = {bone.name for bone in bones}
    ordered = [bone for bone in parents_first(obj) if bone.name in names]
    moving = [b.name for b in ordered if not b.redmax.physical or b.redmax.joint == "FIXED"]
    carrying = missing_carriers(ordered)
    decide_all(obj, scene, carrying, "HOLD")
    for name in carrying:
        obj.pose.bones[name].redmax_control = "KEYFRAMED"
    decide_all(obj, scene, moving, "MOVE")
    unit = metres_per_unit(scene) * scale
    masses = {bone.name: bone_mass(bone, unit) for bone in obj.pose.bones if bone.redmax.physical}
    loads = hanging(obj, masses, unit)
    for bone in ordered:
        give(bone, feel, *loads[bone.name])
    return carrying


def missing_carriers(bones: Sequence[bpy.types.PoseBone]) -> list[str]:
    """Bones that have to be physical so that some bones, those that carry first, hang on something when they are."""
    found: list[str] = []
    added: list[bpy.types.PoseBone] = []
    for bone in bones:
        above = bone.parent
        if not bone.redmax.physical and above is not None and physical_carrier(bone) is None:
            above.redmax.physical = True
            found.append(above.name)
            added.append(above)
        if not bone.redmax.physical:
            bone.redmax.physical = True
            added.append(bone)
    for bone in added:
        bone.redmax.physical = False
    return found


def physical_carrier(bone: bpy.types.PoseBone) -> bpy.types.PoseBone | None:
    """The physical bone that would carry a bone if it were physical itself."""
    was = bone.redmax.physical
    bone.redmax.physical = True
    try:
        return physical_parents(bone.id_data)[bone.name]
    finally:
        bone.redmax.physical = was


def give(bone: bpy.types.PoseBone, feel: Feel, moment: float, weight: float) -> None:
    """Stiffness, damping and guide of a joint that carries a moment of inertia [kg·m²] and a weight torque [N·m]."""
    settings = bone.redmax
    in_weights = STIFFEST * feel.stiffness**2
    ratio = LEAST_DAMPED + (MOST_DAMPED - LEAST_DAMPED) * feel.drag**2
    settings.stiffness = weight * in_weights
    settings.damping = ratio * 2.0 * sqrt(moment * weight * (1.0 + in_weights))
    settings.rest_from = "START"
    bone.redmax_control = "GUIDED" if feel.follow > 0.0 else "FREE"
    if feel.follow > 0.0:
        swing = sqrt(moment / weight)
        settings.control.response = max(swing * LOOSEST * (FIRMEST / LOOSEST) ** feel.follow, 0.001)
        settings.control.ratio = max(ratio, 0.3)


def selected_bones(obj: bpy.types.Object) -> list[bpy.types.PoseBone]:
    """Physical or not, in the order of the armature."""
    return [bone for bone in obj.pose.bones if is_selected(bone)]
