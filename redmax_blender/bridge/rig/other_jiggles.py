"""What two other add-ons for jiggling bones leave on them, Wiggle 2 and Jiggle Physics, as secondary motion of ours.

Their numbers have no units. What each of them has for a tail is our tail; more or less of it is as much more or less of
stiffness and of damping.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt

import bpy

from .secondary_motion import FEELS, Feel

TAIL = FEELS["TAIL"]
WIGGLE_STIFF, WIGGLE_DAMP = 400.0, 1.0
"""Wiggle 2: what its settings are where nobody changed them."""
JIGGLE_ELASTIC, JIGGLE_SLOWED = 0.6, 0.6
"""Jiggle Physics: elasticity of its tail, and its friction and air drag together."""


def left_on(bone: bpy.types.PoseBone) -> Mapping[str, object]:
    """Settings that add-ons keep on a bone, also while they are switched off."""
    found = dict(bone.items())
    system = getattr(bone, "bl_system_properties_get", None)  # from Blender 5.0 on they are apart
    held = system() if system is not None else None
    if held is not None:
        found |= dict(held.items())
    return found


def feel_of(bone: bpy.types.PoseBone) -> Feel | None:
    """How a bone moved in one of these add-ons; None where neither moved it."""
    left = left_on(bone)
    number = {key: float(value) for key, value in left.items() if isinstance(value, (int, float))}
    if number.get("wiggle_tail") or number.get("wiggle_head"):
        stiff = max(number.get("wiggle_stiff", WIGGLE_STIFF), 0.0) / WIGGLE_STIFF
        damp = max(number.get("wiggle_damp", WIGGLE_DAMP), 0.0) / WIGGLE_DAMP
        # Stiffness and damping go with the squares of our sliders.
        return Feel(min(TAIL.stiffness * sqrt(stiff), 1.0), 0.0, min(TAIL.drag * sqrt(damp), 1.0))
    if "jiggle_angle_elasticity" in number or number.get("jiggle_tail") or number.get("jiggle_enable"):
        # A gap closes by the square of its elasticity in a step.
        elastic = max(number.get("jiggle_angle_elasticity", JIGGLE_ELASTIC), 0.0) / JIGGLE_ELASTIC
        slowed = max(number.get("jiggle_friction", 0.4) + number.get("jiggle_air_drag", 0.2), 0.0)
        return Feel(min(TAIL.stiffness * elastic**2, 1.0), 0.0, min(TAIL.drag * slowed / JIGGLE_SLOWED, 1.0))
    return None
