"""Friction of joints and surfaces of bodies, as the user set them -> specs, every number checked."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SceneError
from ...engine.scene import spec
from ..rig.bodies import is_anchored, is_body

Floats = NDArray[np.float64]

OF_BODY = 0.5
"""Radius of a joint, as a part of the radius of the body that it carries, where the user gives none."""
OF_SIDE = 0.25
"""The same for a joint between objects, as a part of the shortest side of the smaller body."""
RUBS = {"REVOLUTE", "UNIVERSAL", "SPHERICAL", "PRISMATIC"}
"""Joints of bones whose halves rub on each other."""


def friction_size(settings: bpy.types.PropertyGroup, fallback: float) -> tuple[float, float]:
    """Radius and height of a joint's friction geometry; `fallback` is the radius where the user gives none.

    Both are in the unit of the settings and of `fallback`.
    """
    radius = float(settings.radius) or fallback
    return radius, float(settings.height) or 2.0 * radius


def bone_friction_size(bone: bpy.types.PoseBone) -> tuple[float, float]:
    """Radius and height of the friction geometry of a bone's joint, in the bone's unit."""
    return friction_size(bone.redmax.friction, OF_BODY * float(bone.redmax.radius))


def joint_friction_size(obj: bpy.types.Object) -> tuple[float, float]:
    """Radius and height of the friction geometry of a joint between objects [Blender units]."""
    ends = [end for end in joint_ends(obj) if end is not None and not (is_body(end) and is_anchored(end))]
    sides = [float(min(end.dimensions)) for end in ends]
    return friction_size(obj.redmax.friction, OF_SIDE * min(sides, default=0.0))


def joint_friction(
    settings: bpy.types.PropertyGroup, place: str, fallback: float, unit: float
) -> spec.JointFriction | None:
    """Friction of a joint; None where its coefficient is zero.

    fallback: radius where the user gives none. unit: metres a unit of lengths in the settings and of the fallback.
    """
    check_numbers(settings, place, ("coefficient", "static", "radius", "height"))
    coefficient = float(settings.coefficient)
    at_rest = max(float(settings.static), coefficient)
    if at_rest == 0.0:
        return None
    radius, height = friction_size(settings, fallback)
    return spec.JointFriction(
        coefficient=coefficient,
        radius=radius * unit,
        height=height * unit,
        static=at_rest if at_rest > coefficient else None,
    )


def surface_spec(
    settings: bpy.types.PropertyGroup,
    place: str,
    unit: float,
    groups: Iterable[str] = (),
    always: bool = False,
) -> spec.Surface | None:
    """How something collides, in its own group and in others; None where it does not.

    always: it does, whatever Collide says; it is a collider.
    """
    if not (settings.collide or always):
        return None
    check_numbers(settings, place, ("friction", "restitution", "margin"))
    return spec.Surface(
        friction=float(settings.friction),
        restitution=float(settings.restitution),
        margin=float(settings.margin) * unit,
        groups=_groups(settings, groups),
    )


def armature_group(obj: bpy.types.Object) -> str:
    """Name of the group of an armature's bones that do not collide with each other."""
    return f"bones of {obj.name}"


def rigid_body_surface(obj: bpy.types.Object, unit: float) -> spec.Surface:
    """The surface that Blender's rigid body settings mean. Its margin lies inside the shape unless the user set it."""
    settings = obj.rigid_body
    return spec.Surface(
        friction=float(settings.friction),
        restitution=min(float(settings.restitution), 1.0),
        margin=float(settings.collision_margin) * unit if settings.use_margin else 0.0,
        groups=_groups(obj.redmax.surface, ()),
    )


def joint_ends(obj: bpy.types.Object) -> tuple[bpy.types.Object | None, bpy.types.Object | None]:
    """The two objects that a joint connects, by our settings or by Blender's."""
    own = obj.redmax.joint
    settings = own if own.kind != "NONE" else obj.rigid_body_constraint
    return (None, None) if settings is None else (settings.object1, settings.object2)


def is_fixed(obj: bpy.types.Object) -> bool:
    """True for a joint between objects whose halves cannot move, by our settings or by Blender's."""
    own = obj.redmax.joint.kind
    return (own if own != "NONE" else obj.rigid_body_constraint.type) == "FIXED"


def _groups(settings: bpy.types.PropertyGroup, more: Iterable[str]) -> list[str]:
    own = settings.group.strip()
    return [*([own] if own else []), *more]


def check_numbers(settings: bpy.types.PropertyGroup, place: str, names: Iterable[str]) -> None:
    """SceneError, naming place and setting, where one is no number or below zero."""
    for name in names:
        value = getattr(settings, name)
        if not (np.isfinite(value) and value >= 0.0):
            label = settings.bl_rna.properties[name].name
            raise SceneError(f"{place}, {label}", f"it is {value}", "Give zero or a number above.")
