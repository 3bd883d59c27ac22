"""A plain body around the bones of Rigify's human metarig: a mannequin with fingers, weighted to its bones."""

from __future__ import annotations

import bpy
import numpy as np

from .grown_skin import Floats, Limb, grow_skin, weigh
from .studio import Colour, material

CLAY: Colour = (0.58, 0.3, 0.17)
VOXEL = 0.01
"""Size of the cells from which the skin is grown [m]."""
THICKNESS: dict[str, tuple[float, float]] = {
    "shoulder": (0.03, 0.056),
    "upper_arm": (0.052, 0.042),
    "forearm": (0.042, 0.03),
    "hand": (0.029, 0.026),
    "palm": (0.019, 0.016),
    "f_index": (0.013, 0.012),
    "f_middle": (0.013, 0.012),
    "f_ring": (0.013, 0.012),
    "f_pinky": (0.012, 0.011),
    "thumb": (0.014, 0.013),
    "thigh": (0.085, 0.057),
    "shin": (0.056, 0.038),
    "foot": (0.04, 0.034),
    "toe": (0.034, 0.027),
    "heel": (0.034, 0.034),
}
"""Radius of the body at the beginning and the end of a bone, for a person of 1.75 m [m]."""
TRUNK: dict[str, tuple[float, float, float, float]] = {
    "spine": (0.11, 0.1, 0.07, 0.055),
    "spine.001": (0.1, 0.1, 0.055, 0.05),
    "spine.002": (0.1, 0.115, 0.05, 0.06),
    "spine.003": (0.115, 0.062, 0.06, 0.07),
    "spine.004": (0.055, 0.053, 0.0, 0.0),
    "spine.005": (0.053, 0.055, 0.0, 0.0),
}
"""The same, and how far to the side the trunk goes on with that radius: it is wider than it is deep."""
HEAD = (0.092, 0.085)
"""Radii of the skull and the jaw [m]."""
TALL = 1.75
"""[m]"""


def body_limbs(armature: bpy.types.Object, unit: float) -> list[Limb]:
    """What the skin is grown around, in the armature's space [m]; unit: metres a unit of the armature."""
    bones = armature.data.bones
    found = []
    scale = float(bones["spine.006"].tail_local.z) * unit / TALL
    for bone in bones:
        head, tail = (np.array(p, dtype=float) * unit for p in (bone.head_local, bone.tail_local))
        if bone.name in TRUNK:
            a, b, wide, wider = (scale * value for value in TRUNK[bone.name])
            for side in (-1.0, 1.0) if wide > 0.0 else (0.0,):
                x = np.array([side, 0.0, 0.0])
                found.append(Limb(bone.name, head + wide * x, tail + wider * x, (a, b)))
        elif bone.name == "spine.006":
            found += _head(bone.name, head, tail, scale)
        elif (stem := bone.name.split(".")[0]) in THICKNESS:
            a, b = THICKNESS[stem]
            if stem == "heel":
                head, tail = (0.7 * head + 0.3 * tail, 0.3 * head + 0.7 * tail)
            if stem in ("heel", "toe", "foot"):  # soles are flat on the ground in the rest pose
                head, tail = (_above_ground(p, r * scale) for p, r in ((head, a), (tail, b)))
            found.append(Limb(bone.name, head, tail, (a * scale, b * scale)))
            if stem == "shoulder":  # the muscle from the neck to it
                neck = np.array(bones["spine.004"].tail_local, dtype=float) * unit
                found.append(Limb("spine.003", neck, tail, (0.04 * scale, 0.045 * scale)))
    return found


def _head(bone: str, neck: Floats, top: Floats, scale: float) -> list[Limb]:
    skull, jaw = (scale * radius for radius in HEAD)
    up = (top - neck) / np.linalg.norm(top - neck)
    middle = top - skull * up
    chin = neck + 0.7 * jaw * up + np.array([0.0, -0.015 * scale, 0.0])
    return [
        Limb(bone, middle + np.array([0.0, 0.015 * scale, 0.0]), chin, (skull, 0.72 * jaw)),
        Limb(bone, middle - 0.25 * (middle - chin), chin, (0.9 * skull, 0.66 * jaw)),
    ]


def _above_ground(point: Floats, radius: float) -> Floats:
    return np.array([point[0], point[1], max(float(point[2]), radius)])


def add_body(
    scene: bpy.types.Scene, armature: bpy.types.Object, unit: float, voxel: float = VOXEL
) -> bpy.types.Object:
    """The skin of a human metarig at the world's origin, parented to it and deformed by it; voxel: how fine [m]."""
    limbs = body_limbs(armature, unit)
    skin = grow_skin(scene, f"{armature.name} Skin", limbs, voxel, 4, unit)
    skin.parent = armature
    weigh(skin, limbs, unit, by_thickness=True)
    skin.modifiers.new("Armature", "ARMATURE").object = armature
    skin.data.materials.append(material("Clay", CLAY, roughness=0.5))
    return skin
