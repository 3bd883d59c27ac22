"""How thick the limbs of a four-legged animal are that has no skin yet, from the length of its trunk."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from ..anatomy.recognise import Body
from .masses import LEAST, capsule_volume
from .shapes import LimbShape

TRUNK = 0.17
"""Radius of the trunk, as a part of its length from hips to shoulders: with it a trunk of 0.6 m and its limbs weigh as
a dog of that size, one of 0.33 m as a cat, and one of 1.5 m as a horse."""
THICK = {
    "animal neck": 0.085, "animal head": 0.1, "hip": 0.05, "hind thigh": 0.07, "stifle": 0.04, "hock": 0.022,
    "paw": 0.02, "shoulder blade": 0.05, "fore arm": 0.055, "elbow": 0.035, "carpus": 0.02,
}  # fmt: skip
"""Radii of the other parts, likewise."""
TAIL = 0.02
"""Of a tail."""


def animal_volumes(
    shapes: Mapping[str, LimbShape], body: Body, tails: Collection[str], unit: float
) -> tuple[dict[str, float], set[str]]:
    """Volumes of the bodies [m³], and those of them that are limbs; unit: metres a unit."""
    tree = body.tree
    hind, fore = (
        np.mean([tree.head[name] for name, part in body.parts.items() if part == wanted], axis=0)
        for wanted in ("hind thigh", "fore arm")
    )
    trunk = float(np.linalg.norm(fore - hind)) * unit
    found: dict[str, float] = {}
    back = [name for name in shapes if body.parts.get(name) == "back"]
    whole = sum(shapes[name].capsule.length for name in back)
    for name, shape in shapes.items():
        length = shape.capsule.length * unit
        thick = THICK.get(body.parts.get(name, ""), TAIL if name in tails else 0.0) * trunk
        if name in back:
            share = shape.capsule.length / whole
            found[name] = share * capsule_volume(TRUNK * trunk, trunk * (1.0 + TRUNK))
        elif thick > 0.0:
            found[name] = capsule_volume(thick, max(length, thick))
    least = LEAST * sum(found.values())
    return {name: max(found.get(name, 0.0), least) for name in shapes}, set(found)
