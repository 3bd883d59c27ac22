"""How heavy and thick the limbs of a person are who has no skin yet: from published tables of body segments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import bpy
import numpy as np

from .masses import LEAST, capsule_volume
from .shapes import LimbShape

MASS, HEIGHT = 75.0, 1.75
"""Of the person to whom others are scaled [kg, m]."""
SEGMENTS = {
    "trunk": 43.0, "head": 6.8, "upper arm": 2.6, "forearm": 1.5, "hand": 0.6, "thigh": 14.5, "shin": 4.6, "foot": 1.3,
}  # fmt: skip
"""Percent of the body's mass, of one side where there are two: means of women and men (de Leva, 1996)."""
SEGMENT_OF = {
    "spine": "trunk", "shoulder": "trunk", "breast": "trunk", "hip": "trunk", "neck": "head", "palm": "hand",
    "finger": "hand", "finger tip": "hand", "thumb": "hand", "thumb tip": "hand", "toe": "foot", "heel": "foot",
}  # fmt: skip
"""Segments of the parts of a body that are not segments themselves."""
THIN_PARTS = {"shoulder": 0.1, "breast": 0.1, "hip": 0.1, "neck": 0.3, "palm": 0.5, "toe": 0.4, "heel": 0.2}
"""How much a bone counts in its segment for its length, beside the segment's main bones."""


def person_shapes(
    shapes: Mapping[str, LimbShape],
    bones: list[bpy.types.PoseBone],
    parts: Mapping[str, str],
    up: np.ndarray,
    unit: float,
    density: float,
) -> tuple[dict[str, LimbShape], dict[str, float]]:
    """Capsules as thick as a person's limbs, and the volumes of the bodies [m³].

    parts: what each bone is in a body (`human_rules.RANGES`); up: in the armature's space; unit: metres a unit. Bones
    that are none of them (faces) weigh next to nothing and stay as thick as they are.
    """
    named = [bone for bone in bones if bone.name in parts]
    ends = np.array([end for bone in named for end in (bone.bone.head_local, bone.bone.tail_local)]) @ up
    mass = MASS * (float(np.ptp(ends)) * unit / HEIGHT) ** 3
    counts: dict[tuple[str, bool], dict[str, float]] = {}
    for bone in named:
        part = parts[bone.name]
        segment = SEGMENT_OF.get(part, part)
        if segment not in SEGMENTS:
            continue
        left = segment not in ("trunk", "head") and bone.bone.tail_local.x >= 0.0
        share = shapes[bone.name].capsule.length * THIN_PARTS.get(part, 1.0)
        counts.setdefault((segment, left), {})[bone.name] = share
    volumes = dict.fromkeys(shapes, LEAST * mass / density)
    for (segment, _), shares in counts.items():
        whole = sum(shares.values())
        for name, share in shares.items():
            volumes[name] = 0.01 * SEGMENTS[segment] * mass * share / whole / density
    scale = mass / density / sum(volumes.values())
    volumes = {name: volume * scale for name, volume in volumes.items()}
    found = dict(shapes)
    for name in (name for shares in counts.values() for name in shares):
        capsule = shapes[name].capsule
        radius = radius_of(volumes[name] / unit**3, capsule.length)
        found[name] = replace(shapes[name], capsule=replace(capsule, radius=radius), source="a person's limb")
    return found, volumes


def radius_of(volume: float, length: float) -> float:
    """Radius of the capsule of this length that has a volume; a sphere's where it is shorter than wide."""
    low, high = 0.0, float(np.cbrt(0.75 * volume / np.pi))
    if capsule_volume(high, length) <= volume * (1.0 + 1e-9):
        return high
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if capsule_volume(middle, length) < volume else (low, middle)
    return 0.5 * (low + high)
