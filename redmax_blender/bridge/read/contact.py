"""Friction and contact for a scene that has been read: into its joints, onto its bodies, and its colliders."""

from __future__ import annotations

from collections.abc import Set
from itertools import combinations
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ...engine.scene import spec
from ..mechanism.primitives import surface_of
from ..rig.bodies import joints
from ..rig.rig import metres_per_unit
from .colliders import jointed, read_colliders
from .friction import (
    OF_BODY,
    OF_SIDE,
    RUBS,
    armature_group,
    is_fixed,
    joint_ends,
    joint_friction,
    rigid_body_surface,
    surface_spec,
)
from .stops import add_stops
from .tubes import read_tubes

if TYPE_CHECKING:
    from .scene import Reading


def read_contact(context: bpy.types.Context, reading: Reading) -> None:
    """Add to a reading what rubs and collides, as the depsgraph shows it at the first frame of the range."""
    scene, made = context.scene, reading.scene
    bodies = {body.name: body for body in made.bodies}
    add_bones(scene, reading, bodies)
    add_objects(scene, reading, bodies)
    inside = add_flesh(scene, reading)
    made.tubes = read_tubes(scene, reading)
    made.colliders = read_colliders(context, reading.warnings)
    ignore = [(group, group) for group in shared_groups(made)]
    made.self_collision = spec.SelfCollision(ignore=[*ignore, *jointed(scene), *inside])
    drop_untouched(made)
    rubs = any(body.joint.friction is not None for body in made.bodies)
    rubs = rubs or any(getattr(loop, "friction", None) is not None for loop in made.constraints)
    touches = bool(made.tubes) or any(thing.surface is not None for thing in (*made.bodies, *made.flesh))
    if (rubs or touches) and not made.integrator.startswith("euler"):
        made.integrator = "euler-midway"
        reading.warnings.append(
            "The default integrator is used: only the Euler integrators know friction and collisions"
        )


def add_bones(scene: bpy.types.Scene, reading: Reading, bodies: dict[str, spec.BodySpec]) -> None:
    """Friction and surfaces of bones."""
    for rig in reading.rigs:
        obj = scene.objects[rig.name]
        together = () if obj.redmax.self_collision else (armature_group(obj),)
        for name, scale in zip(rig.bones, rig.bone_scales):
            settings = obj.pose.bones[name].redmax
            body, place = bodies[f"{rig.name}/{name}"], f"Bone '{name}' of '{rig.name}'"
            unit = abs(float(scale) * rig.scale)
            if settings.joint in RUBS:
                fallback = OF_BODY * float(settings.radius)
                body.joint.friction = joint_friction(settings.friction, place, fallback, unit)
                add_stops(body.joint, settings.friction, place, fallback, unit)
            body.surface = surface_spec(settings.surface, place, unit, together)


def add_objects(scene: bpy.types.Scene, reading: Reading, bodies: dict[str, spec.BodySpec]) -> None:
    """Surfaces of active bodies, ours or Blender's, and the friction of the joints between objects."""
    unit = metres_per_unit(scene)
    for thing in reading.objects:
        obj, body = scene.objects[thing.name], bodies[thing.name]
        if obj.redmax.body.role == "NONE" and obj.rigid_body is not None:
            body.surface = rigid_body_surface(obj, unit)
        else:
            body.surface = surface_spec(obj.redmax.surface, f"Object '{obj.name}'", unit)
    carried = {body.joint.name: body for body in bodies.values() if body.joint.name is not None}
    rubbing = (spec.LoopPoint, spec.LoopHinge, spec.LoopSlider, spec.LoopPiston)
    loops = {loop.name: loop for loop in reading.scene.constraints if isinstance(loop, rubbing)}
    for empty in joints(scene):
        place = f"Joint '{empty.name}'"
        ends = [end.name for end in joint_ends(empty) if end is not None]
        sides = [shortest_side(bodies[name]) for name in ends if name in bodies]
        fallback = OF_SIDE * min(sides, default=0.0) / unit
        friction = joint_friction(empty.redmax.friction, place, fallback, unit)
        if empty.name in carried:
            add_stops(carried[empty.name].joint, empty.redmax.friction, place, fallback, unit)
        if friction is None or is_fixed(empty):
            continue
        if empty.name in carried:
            carried[empty.name].joint.friction = friction
        elif empty.name in loops:
            loops[empty.name].friction = friction
        elif empty.name in reading.cut:
            reading.warnings.append(
                f"{place}: it closes a loop, and its friction is not simulated. Set Cut to Never for it, and let "
                "another joint of the loop be cut"
            )


def add_flesh(scene: bpy.types.Scene, reading: Reading) -> list[tuple[str, str]]:
    """Surfaces of soft meshes; returns pairs of flesh and the bodies inside it, which do not collide."""
    unit = metres_per_unit(scene)
    inside = []
    for flesh in reading.scene.flesh:
        flesh.surface = surface_spec(scene.objects[flesh.name].redmax.surface, f"Object '{flesh.name}'", unit)
        if flesh.surface is not None:
            inside += [(flesh.name, attachment.body) for attachment in flesh.attachments]
    return inside


def shortest_side(body: spec.BodySpec) -> float:
    """Of the box around a body's shape [m]."""
    return float(np.ptp(surface_of(body.shape, body.name).vertices, axis=0).min())


def shared_groups(made: spec.SceneSpec) -> list[str]:
    """Names of all groups of a scene."""
    things = [*made.bodies, *made.flesh]
    groups = {group for thing in things if thing.surface is not None for group in thing.surface.groups}
    return sorted(groups.union(*(collider.groups for collider in made.colliders)))


def drop_untouched(made: spec.SceneSpec) -> None:
    """Take away surfaces that nothing can touch, so that a scene without contact is simulated as one.

    Within a tube bodies do not collide one by one.
    """
    tube = {name: (k,) for k, each in enumerate(made.tubes) for name in each.bodies}
    together = [
        {*body.surface.groups, *tube.get(body.name, ())} for body in made.bodies if body.surface is not None
    ]
    if (
        any(flesh.surface is not None for flesh in made.flesh)
        or made.colliders
        or any(not _share(a, b) for a, b in combinations(together, 2))
    ):
        return
    for body in made.bodies:
        body.surface = None
    made.self_collision = spec.SelfCollision()


def _share(a: Set[str | int], b: Set[str | int]) -> bool:
    return not a.isdisjoint(b)
