"""In which directions joints between objects move: by their kind, and by what is locked and limited."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

if TYPE_CHECKING:
    from ...engine.mechanisms.parts import Kind

LENGTHS, ANGLES = ("x", "y", "z"), ("rx", "ry", "rz")
KINDS: dict[str, Kind] = {
    "FIXED": "fixed",
    "POINT": "point",
    "HINGE": "hinge",
    "SLIDER": "slider",
    "PISTON": "piston",
    "SCREW": "piston",
    "UNIVERSAL": "universal",
    "PLANAR": "planar",
    "FREE_PLANAR": "free-planar",
    "TRANSLATIONAL": "translational",
    "CURVE": "curve",
    "SURFACE": "surface",
    "GENERIC": "generic",
    "GENERIC_SPRING": "generic",
}
FREE: dict[str, tuple[str, ...]] = {
    "fixed": (),
    "point": ANGLES,
    "hinge": ("rz",),
    "slider": ("x",),
    "piston": ("x", "rx"),
    "universal": ("rx", "ry"),
    "planar": ("x", "y"),
    "free-planar": ("x", "y", "rz"),
    "translational": LENGTHS,
    "curve": ("x",),
    "surface": ("x", "y"),
    "generic": LENGTHS + ANGLES,
}
"""Directions in which a connection of each kind may move; a generic one in those that are not locked. On curves
x is the way along, on surfaces x and y are."""


def ways(obj: bpy.types.Object) -> tuple[int, int, bool]:
    """In how many directions a joint between objects slides and turns, and whether one of them is limited; by our
    settings or by Blender's."""
    own = obj.redmax.joint
    blenders = obj.rigid_body_constraint if own.kind == "NONE" else None
    kind = KINDS.get(own.kind if blenders is None else blenders.type, "fixed")
    names = FREE[kind] if kind != "point" else ()  # which has no limits
    if kind == "generic":
        names = tuple(name for name in names if not _locked(own, blenders, name))
    slides = sum(name in LENGTHS for name in names)
    return slides, len(names) - slides, any(_limited(own, blenders, name) for name in names)


def _locked(own: bpy.types.PropertyGroup, blenders: bpy.types.RigidBodyConstraint | None, name: str) -> bool:
    if blenders is None:
        return not getattr(own, f"free_{_ours(name)}")["xyz".index(name[-1])]
    low, high = (getattr(blenders, f"limit_{_theirs(name)}_{end}") for end in ("lower", "upper"))
    return getattr(blenders, f"use_limit_{_theirs(name)}") and 0.0 <= high - low < 1e-9


def _limited(own: bpy.types.PropertyGroup, blenders: bpy.types.RigidBodyConstraint | None, name: str) -> bool:
    if blenders is None:
        return getattr(own, f"limit_{_ours(name)}")["xyz".index(name[-1])]
    return getattr(blenders, f"use_limit_{_theirs(name)}")


def _ours(name: str) -> str:
    return "location" if name in LENGTHS else "rotation"


def _theirs(name: str) -> str:
    return f"{'lin' if name in LENGTHS else 'ang'}_{name[-1]}"
