"""Stairs and platform of the ragdoll as objects: solid where they look solid, and moved by their keys."""

import bpy
import numpy as np
import pytest

from redmax_blender.bridge.mechanism.build_colliders import build_colliders
from redmax_blender.bridge.read.colliders import read_colliders
from redmax_blender.engine.scene import Cuboid, Plane
from redmax_blender.engine.shots.ragdoll import Fall, Stairs, spec


def test_colliders_read_back_are_those_of_the_shot():
    scene = bpy.context.scene
    scene.render.fps = 24
    pure = spec(Fall())
    made = build_colliders(pure, scene, 3.0)
    assert set(made) == {collider.name for collider in pure.colliders}
    scene.redmax.frame_start, scene.redmax.frame_end = 1, 73
    scene.frame_set(1)
    read = {collider.name: collider for collider in read_colliders(bpy.context, [])}
    for collider in pure.colliders:
        mine = read[collider.name]
        assert type(mine.shape) is type(collider.shape)
        assert mine.friction == pytest.approx(collider.friction)
        if isinstance(collider.shape, Cuboid):
            np.testing.assert_allclose(mine.shape.sides, collider.shape.sides, rtol=1e-5)
        if not collider.motion:
            np.testing.assert_allclose(mine.pose.position, collider.pose.position, atol=1e-5)
    assert isinstance(read["ground"].shape, Plane)
    assert read["platform"].motion and not read["step.1"].motion


def test_the_platform_is_keyed_along_its_curve():
    scene = bpy.context.scene
    scene.render.fps = 24
    stairs = Stairs()
    platform = build_colliders(spec(Fall()), scene, 4.0)["platform"]
    scene.frame_set(1)
    start = platform.matrix_world.translation.x
    scene.frame_set(1 + round(24 * (stairs.begins + 0.5 * stairs.lasts)))
    assert platform.matrix_world.translation.x - start == pytest.approx(0.5 * stairs.moves, abs=0.03)
    scene.frame_set(1 + round(24 * (stairs.begins + stairs.lasts)) + 1)
    assert platform.matrix_world.translation.x - start == pytest.approx(stairs.moves, abs=1e-5)
