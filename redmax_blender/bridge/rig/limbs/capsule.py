"""The capsule of a bone's body in the bone's own frame: along the bone, or wherever its skin is."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class BoneCapsule:
    """All lengths in units of the armature, along the axes of the bone (origin at its head, y along it)."""

    radius: float
    length: float
    """From end to end; a sphere where it is no longer than wide."""
    centre: Floats
    """Shape (3,)."""
    axis: Floats
    """Unit vector, shape (3,)."""

    @property
    def turn(self) -> Floats:
        """Rotation that takes z, along which the engine's capsules lie, to the axis, shape (3, 3)."""
        return along(self.axis)

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """Middles of the two half spheres, shape (3,)."""
        arm = max(0.5 * self.length - self.radius, 0.0) * self.axis
        return self.centre - arm, self.centre + arm


def capsule_of(bone: bpy.types.PoseBone) -> BoneCapsule:
    """The capsule that the bone's settings give it."""
    settings = bone.redmax
    if settings.use_bone_length:
        length, axis, start = float(bone.bone.length), np.array([0.0, 1.0, 0.0]), np.zeros(3)
    else:
        length = float(settings.length)
        axis = unit_vector(np.array(settings.direction, dtype=float), np.array([0.0, 1.0, 0.0]))
        start = np.array(settings.start, dtype=float)
    return BoneCapsule(float(settings.radius), length, start + 0.5 * length * axis, axis)


def write_capsule(bone: bpy.types.PoseBone, capsule: BoneCapsule) -> None:
    """Keep a capsule as the bone's settings."""
    settings = bone.redmax
    settings.radius, settings.length = capsule.radius, capsule.length
    settings.use_bone_length = False
    settings.direction = capsule.axis.tolist()
    settings.start = (capsule.centre - 0.5 * capsule.length * capsule.axis).tolist()


def unit_vector(vector: Floats, fallback: Floats) -> Floats:
    """The vector's direction; the fallback where it has none."""
    size = float(np.linalg.norm(vector))
    return vector / size if np.isfinite(size) and size > 1e-12 else fallback


def along(axis: Floats) -> Floats:
    """A rotation that takes z to an axis, shape (3, 3)."""
    aside = np.eye(3)[int(np.argmin(np.abs(axis)))]
    x = unit_vector(np.cross(aside, axis), aside)
    return np.column_stack([x, np.cross(axis, x), axis])
