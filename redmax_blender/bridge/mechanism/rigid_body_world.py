"""Blender's own rigid body simulation, which would move the same objects: off while they show ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import bpy


def pause(scene: bpy.types.Scene, simulated: Iterable[str]) -> bool:
    """Switch it off when it moves one of these objects; True when it was on."""
    world = scene.rigidbody_world
    if world is None or not world.enabled:
        return False
    if not any(scene.objects[name].rigid_body is not None for name in simulated):
        return False
    world.enabled = False
    scene.redmax.paused_rigid_bodies = True
    return True


def resume(scene: bpy.types.Scene) -> None:
    """Switch it on again, if `pause` switched it off and nothing shows a simulation any more."""
    if not scene.redmax.paused_rigid_bodies:
        return
    if any(obj.redmax.result or obj.redmax.is_baked for obj in scene.objects):
        return
    scene.redmax.paused_rigid_bodies = False
    if scene.rigidbody_world is not None:
        scene.rigidbody_world.enabled = True


def moves(scene: bpy.types.Scene, obj: bpy.types.Object) -> bool:
    """Whether it moves this object now, which was given a rigid body since it was simulated.

    Nothing may be shown on the object then: Blender's next undo may crash after a rigid body is moved as frames change.
    """
    world = scene.rigidbody_world
    return obj.rigid_body is not None and world is not None and world.enabled


@contextmanager
def switched_off(scene: bpy.types.Scene) -> Iterator[None]:
    """For a while, objects are where their own channels say."""
    world = scene.rigidbody_world
    if world is None or not world.enabled:
        yield
        return
    world.enabled = False
    try:
        yield
    finally:
        world.enabled = True
