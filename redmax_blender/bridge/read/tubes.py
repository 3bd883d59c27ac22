"""Smooth tubes: chains of bodies, bones or objects, that collide with themselves as one tube around a spline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ...engine.scene import spec
from ..mechanism.primitives import surface_of

if TYPE_CHECKING:
    from .scene import Reading


def read_tubes(scene: bpy.types.Scene, reading: Reading) -> list[spec.Tube]:
    """A tube for every chain of two bodies or more that the user wants to be one, and that collide.

    Friction and bounciness of a tube are those of its first body. SceneSpec.bodies have their surfaces already.
    """
    bodies = {body.name: body for body in reading.scene.bodies}
    wanted = [name for name in _wanted(scene, reading) if bodies[name].surface is not None]
    tubes = []
    for chain in chains({name: bodies[name].parent for name in wanted}):
        if len(chain) < 2:
            reading.warnings.append(
                f"'{chain[0]}' is a Smooth Tube, but no neighbour of it is: it collides by itself. "
                "A tube has two bodies or more, one after the other"
            )
            continue
        surface = bodies[chain[0]].surface
        assert surface is not None
        tubes.append(
            spec.Tube(
                name=f"tube of {chain[0]}",
                bodies=chain,
                radius=[_radius(bodies[name]) for name in chain],
                friction=surface.friction,
                restitution=surface.restitution,
            )
        )
    return tubes


def _wanted(scene: bpy.types.Scene, reading: Reading) -> Iterable[str]:
    """Names of bodies. The bones of an armature that does not collide with itself are no tubes."""
    for rig in reading.rigs:
        obj = scene.objects[rig.name]
        if obj.redmax.self_collision:
            bones = (name for name in rig.bones if obj.pose.bones[name].redmax.surface.tube)
            yield from (f"{rig.name}/{name}" for name in bones)
    yield from (thing.name for thing in reading.objects if scene.objects[thing.name].redmax.surface.tube)


def chains(parents: Mapping[str, str | None]) -> list[list[str]]:
    """Bodies one after the other, from what carries each; where a chain branches, the first branch goes on with it."""
    following: dict[str, str] = {}
    for name, parent in parents.items():
        if parent in parents:
            following.setdefault(str(parent), name)
    inside = set(following.values())
    found = []
    for name in parents:
        if name not in inside:
            chain = [name]
            while chain[-1] in following:
                chain.append(following[chain[-1]])
            found.append(chain)
    return found


def _radius(body: spec.BodySpec) -> float:
    """Of the tube around a body [m]: with its margin."""
    return half_thickness(body) + (body.surface.margin if body.surface is not None else 0.0)


def half_thickness(body: spec.BodySpec) -> float:
    """Radius of a body [m], or what comes near to one: half of its two shorter sides on average."""
    if isinstance(body.shape, (spec.Capsule, spec.Sphere, spec.Cylinder)):
        return float(body.shape.radius)
    sides = np.sort(np.ptp(surface_of(body.shape, body.name).vertices, axis=0))
    return 0.25 * float(sides[0] + sides[1])
