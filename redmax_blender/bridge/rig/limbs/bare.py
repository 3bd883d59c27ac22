"""Bodies of people and animals that have no skin yet: as heavy and as thick as those are."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from ..anatomy.recognise import Body
from .animals import animal_volumes
from .masses import capsule_volume
from .people import person_volumes
from .shapes import LimbShape


def bare_shapes(
    shapes: Mapping[str, LimbShape], body: Body, tails: Collection[str], unit: float, density: float
) -> tuple[dict[str, LimbShape], dict[str, float]]:
    """Capsules as thick as limbs are, and the volumes of the bodies [m³]; unit: metres a unit.

    tails: bones of chains that end free. Bones that are no limbs (faces) stay as thick as they are.
    """
    if body.kind == "person":
        volumes, limbs = person_volumes(shapes, body, unit, density)
    else:
        volumes, limbs = animal_volumes(shapes, body, tails, unit)
    found = dict(shapes)
    for name in limbs:
        capsule = shapes[name].capsule
        radius = radius_of(volumes[name] / unit**3, capsule.length)
        source = "a person's limb" if body.kind == "person" else "an animal's limb"
        found[name] = replace(shapes[name], capsule=replace(capsule, radius=radius), source=source)
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
