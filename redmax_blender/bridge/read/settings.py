"""A bone's settings, checked: every number finite and usable before anything is built from it."""

from __future__ import annotations

from dataclasses import dataclass
from math import degrees

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SceneError

Floats = NDArray[np.float64]

UNIT = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
NUMBERS = (
    "axis_vector", "limits_min", "limits_max", "stiffness", "damping", "rest_angles", "rest_length", "radius",
    "length", "density", "mass",
)  # fmt: skip


@dataclass(frozen=True)
class Settings:
    """One bone's settings as numbers. Lengths are in units of the armature."""

    joint: str
    axis: Floats
    """Unit vector in the bone's frame, shape (3,)."""
    second_axis: Floats
    """Unit vector in the bone's frame, perpendicular to `axis` for a universal joint, shape (3,)."""
    stiffness: float
    """[N·m/rad, N/m]"""
    damping: float
    """[N·m·s/rad, N·s/m]"""
    rest_from: str
    rest_angles: Floats
    """[rad], shape (3,)."""
    rest_length: float
    limits: tuple[tuple[float, float] | None, ...]
    """Smallest and largest angle [rad] about the bone's x, y and z axis; None where it is free."""
    radius: float
    length: float
    density: float | None
    """[kg/m³]; None where the mass is given."""
    mass: float | None
    """[kg]; None where it follows from the density."""


def read_settings(bone: bpy.types.PoseBone, obj: bpy.types.Object) -> Settings:
    """The bone's settings; SceneError, naming bone and setting, where one cannot be used."""
    raw = bone.redmax
    place = f"Bone '{bone.name}' of '{obj.name}'"
    for name in NUMBERS:
        label = raw.bl_rna.properties[name].name
        if not np.all(np.isfinite(getattr(raw, name))):
            raise SceneError(
                f"{place}, {label}", "it is not a finite number", "Type in a number (RedMax tab, Bone)."
            )
    for name in ("density", "mass") if raw.mass_from == "MASS" else ("density",):
        if getattr(raw, name) <= 0.0:
            raise SceneError(f"{place}, {name}", f"it is {getattr(raw, name)}", "Give a number above zero.")
    by_mass = raw.mass_from == "MASS"
    springy = raw.joint not in ("FIXED", "FREE")
    return Settings(
        joint=raw.joint,
        axis=_axis(raw, place),
        second_axis=_second_axis(raw, place),
        stiffness=float(raw.stiffness) if springy else 0.0,
        damping=float(raw.damping) if springy else 0.0,
        rest_from=raw.rest_from,
        rest_angles=np.array(raw.rest_angles, dtype=float),
        rest_length=float(raw.rest_length),
        limits=_limits(raw, place),
        radius=float(raw.radius),
        length=float(bone.bone.length if raw.use_bone_length else raw.length),
        density=None if by_mass else float(raw.density),
        mass=float(raw.mass) if by_mass else None,
    )


def _limits(raw: bpy.types.PropertyGroup, place: str) -> tuple[tuple[float, float] | None, ...]:
    for on, low, high, axis in zip(raw.use_limits, raw.limits_min, raw.limits_max, UNIT):
        if on and low > high:
            raise SceneError(
                f"{place}, limits about {axis}",
                f"the smallest angle, {degrees(low):.1f}°, is above the largest, {degrees(high):.1f}°",
                "Swap them (RedMax tab, Limits).",
            )
    return tuple(
        (float(low), float(high)) if on else None
        for on, low, high in zip(raw.use_limits, raw.limits_min, raw.limits_max)
    )


def _axis(raw: bpy.types.PropertyGroup, place: str) -> Floats:
    if raw.axis != "CUSTOM":
        return np.array(UNIT[raw.axis])
    vector = np.array(raw.axis_vector, dtype=float)
    length = float(np.linalg.norm(vector))
    if length < 1e-9:
        raise SceneError(f"{place}, axis", "its direction is zero", "Give it a direction, such as (1, 0, 0).")
    return vector / length


def _second_axis(raw: bpy.types.PropertyGroup, place: str) -> Floats:
    second = np.array(UNIT[raw.second_axis])
    if raw.joint != "UNIVERSAL":
        return second
    first = _axis(raw, place)
    across = second - first * (first @ second)
    if np.linalg.norm(across) < 1e-3:
        raise SceneError(f"{place}, second axis", "it is the first axis", "Choose two different axes.")
    return across / np.linalg.norm(across)
