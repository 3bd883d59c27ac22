"""How heavy and thick the limbs of a person are who has no skin yet: from published tables of body segments."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..anatomy.recognise import Body
from .masses import LEAST
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


def person_volumes(
    shapes: Mapping[str, LimbShape], body: Body, unit: float, density: float
) -> tuple[dict[str, float], set[str]]:
    """Volumes of a person's bodies [m³], and those of them that are limbs; unit: metres a unit.

    Bones that are no part of a body (faces) weigh next to nothing.
    """
    tree = body.tree
    named = [name for name in shapes if name in body.parts and name in tree.head]
    ends = np.array([end for name in named for end in (tree.head[name], tree.tip[name])]) @ body.up
    mass = MASS * (float(np.ptp(ends)) * unit / HEIGHT) ** 3
    counts: dict[tuple[str, float], dict[str, float]] = {}
    for name in named:
        part = body.parts[name]
        segment = SEGMENT_OF.get(part, part)
        if segment not in SEGMENTS:
            continue
        side = 0.0 if segment in ("trunk", "head") else body.side(name)
        share = shapes[name].capsule.length * THIN_PARTS.get(part, 1.0)
        counts.setdefault((segment, side), {})[name] = share
    volumes = dict.fromkeys(shapes, LEAST * mass / density)
    for (segment, _), shares in counts.items():
        whole = sum(shares.values())
        for name, share in shares.items():
            volumes[name] = 0.01 * SEGMENTS[segment] * mass * share / whole / density
    scale = mass / density / sum(volumes.values())
    limbs = {name for shares in counts.values() for name in shares}
    return {name: volume * scale for name, volume in volumes.items()}, limbs
