"""Which objects are parts of a mechanism: bodies, joints, springs. Light enough for panels and polls."""

from __future__ import annotations

import bpy

from ..flesh.soft_meshes import soft_meshes
from ..read.present import present
from .rig import physical_armatures


def is_body(obj: bpy.types.Object | None) -> bool:
    """True for a mesh object that is a rigid body, by our own settings or by Blender's."""
    return obj is not None and obj.type == "MESH" and (_own(obj) or _blenders(obj))


def _own(obj: bpy.types.Object) -> bool:
    return obj.redmax.body.role != "NONE"


def _blenders(obj: bpy.types.Object) -> bool:
    return obj.rigid_body is not None and not _part_of_compound(obj)


def _part_of_compound(obj: bpy.types.Object) -> bool:
    """True for a child that lends its shape to a compound body."""
    above = obj.parent
    while above is not None:
        if above.rigid_body is not None and above.rigid_body.collision_shape == "COMPOUND":
            return True
        above = above.parent
    return False


def is_anchored(obj: bpy.types.Object) -> bool:
    """True for a body that feels no forces."""
    if _own(obj):
        return obj.redmax.body.role == "ANCHORED"
    settings = obj.rigid_body
    return settings.type == "PASSIVE" or settings.kinematic or not settings.enabled


def is_joint(obj: bpy.types.Object | None) -> bool:
    return obj is not None and (obj.redmax.joint.kind != "NONE" or obj.rigid_body_constraint is not None)


def is_spring(obj: bpy.types.Object | None) -> bool:
    return obj is not None and obj.type == "CURVE" and obj.redmax.spring.kind != "NONE"


def bodies(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The scene's mesh objects that take part in a simulation, in order of name."""
    blenders = scene.redmax.use_rigid_bodies
    return _sorted(o for o in present(scene) if is_body(o) and (blenders or _own(o)))


def active_bodies(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Those that a simulation moves."""
    return [obj for obj in bodies(scene) if not is_anchored(obj)]


def joints(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The scene's empties that are joints, in order of name."""
    blenders = scene.redmax.use_rigid_bodies
    return _sorted(o for o in present(scene) if is_joint(o) and (blenders or o.redmax.joint.kind != "NONE"))


def springs(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    return _sorted(o for o in present(scene) if is_spring(o))


def simulated_objects(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """All that a simulation of the scene moves: armatures with physical bones, active bodies, and soft meshes."""
    return physical_armatures(scene) + active_bodies(scene) + soft_meshes(scene)


def _sorted(objects) -> list[bpy.types.Object]:
    return sorted(objects, key=lambda obj: obj.name)
