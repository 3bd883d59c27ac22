"""Ragdoll: everything that a character needs to fall, in one go."""

from __future__ import annotations

from dataclasses import replace

import bpy

from ...flesh.soft_meshes import deforming_armatures, soft_meshes
from ...mechanism.add_ground import add_ground
from ..make_physical import Choices, Decision, make_physical
from .check import lowest_body


def make_ragdoll(
    context: bpy.types.Context, obj: bpy.types.Object, choices: Choices, ground: bool = True
) -> list[Decision]:
    """Make the armature physical with a free root, on a ground, colliding with itself and with its flesh.

    A ground is added at the lowest body as the character stands now, where the scene has none.
    """
    scene = context.scene
    decisions = make_physical(obj, scene, replace(choices, root="FREE", cones=True))
    obj.redmax.self_collision = True
    obj.redmax.hold_locations = True
    for mesh in soft_meshes(scene):
        if obj in deforming_armatures(mesh):
            mesh.redmax.surface.collide = True
    if ground and not any(other.redmax.collider.role == "GROUND" for other in scene.objects):
        add_ground(scene, scene.collection, height=lowest_body(obj)[0])
    return decisions
