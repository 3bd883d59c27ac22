"""How heavy the bodies of a rig are: the volume of the mesh, shared out by the skin of each bone."""

from __future__ import annotations

from collections.abc import Mapping
from math import pi

from .capsule import BoneCapsule
from .shapes import LimbShape

BELIEVED = (0.25, 4.0)
"""A mesh whose volume is not between these parts of that of the capsules around it is open, or inside out."""
JOINING = 0.02
"""Part of all that a body without skin weighs at most, where others have one."""
LEAST = 1e-4
"""Part of all that a body weighs at least: a joint between bodies that differ by more needs a great many substeps."""


def capsule_volume(radius: float, length: float) -> float:
    """Volume [m³] of a capsule of this radius and this length from end to end [m]; a sphere when it is too short."""
    return pi * radius**2 * max(length - 2.0 * radius, 0.0) + 4.0 / 3.0 * pi * radius**3


def volume_of(capsule: BoneCapsule) -> float:
    return capsule_volume(capsule.radius, capsule.length)


def volumes(shapes: Mapping[str, LimbShape], mesh: float) -> dict[str, float]:
    """Volume of every body, that together have the mesh's, in the armature's units; `mesh` is zero without one.

    Where no skin is shared out, or the mesh encloses nothing that can be believed, those of the capsules.
    """
    capsules = {name: volume_of(shape.capsule) for name, shape in shapes.items()}
    skinned = {name: shape.volume for name, shape in shapes.items() if shape.volume is not None}
    around = sum(capsules[name] for name in skinned)
    if not skinned or not around > 0.0:
        return capsules
    total = mesh if BELIEVED[0] * around < mesh < BELIEVED[1] * around else around
    shares = {name: max(volume, 0.1 * capsules[name]) for name, volume in skinned.items()}
    whole = sum(shares.values())
    found = {name: min(capsules[name], JOINING * total) for name in shapes}
    found |= {name: share * total / whole for name, share in shares.items()}
    found = {name: max(volume, LEAST * total) for name, volume in found.items()}
    scale = total / sum(found.values())
    return {name: volume * scale for name, volume in found.items()}
