"""How a character hangs in the world: freely, as one that falls, or anchored where it stands."""

from __future__ import annotations

import bpy
from mathutils import Vector

from ..read.colliders import colliders
from .rig import physical_parents

KINDS = ("ANCHORED", "FREE")


def roots(obj: bpy.types.Object) -> list[bpy.types.PoseBone]:
    """Physical bones that no other one carries."""
    return [obj.pose.bones[name] for name, carrier in physical_parents(obj).items() if carrier is None]


def root_kind(obj: bpy.types.Object) -> str:
    """FREE where every root moves freely."""
    found = roots(obj)
    return "FREE" if found and all(bone.redmax.joint == "FREE" for bone in found) else "ANCHORED"


def set_root(obj: bpy.types.Object, kind: str) -> None:
    """Let the roots go, or anchor those that are free: one that carries nothing hangs on its head."""
    carriers = {carrier.name for carrier in physical_parents(obj).values() if carrier is not None}
    for bone in roots(obj):
        if kind == "FREE":
            bone.redmax.joint = "FREE"
        elif bone.redmax.joint == "FREE":
            bone.redmax.joint = "FIXED" if bone.name in carriers else "SPHERICAL"


def suits(obj: bpy.types.Object, scene: bpy.types.Scene) -> str:
    """What an armature wants that is about to become physical: to be free where there is a ground below it."""
    lowest = min((float((obj.matrix_world @ bone.head).z) for bone in obj.pose.bones), default=0.0)
    highest = max((float((obj.matrix_world @ bone.head).z) for bone in obj.pose.bones), default=0.0)
    reach = 0.1 * (highest - lowest)
    below = [top(other) for other in colliders(scene) if other is not obj]
    return "FREE" if any(height < lowest + reach for height in below) else "ANCHORED"


def top(obj: bpy.types.Object) -> float:
    """Height of the highest corner of an object [Blender units]."""
    corners = [obj.matrix_world @ Vector(corner) for corner in obj.bound_box]
    return max(float(corner.z) for corner in corners)
