"""Joint limits of bones hold in the simulation."""

from __future__ import annotations

from math import radians

import bpy
import numpy as np
import pytest

from redmax_blender.bridge.rig.make_physical import make_physical
from redmax_blender.bridge.run.simulate_scene import simulate_scene
from redmax_blender.engine.errors import SceneError


def _arm() -> bpy.types.Object:
    """Two bones along y, hanging out sideways, as a user would extrude them."""
    data = bpy.data.armatures.new("Arm")
    obj = bpy.data.objects.new("Arm", data)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    last = None
    for i in range(2):
        bone = data.edit_bones.new(f"b{i}")
        bone.head, bone.tail, bone.roll = (0.0, i * 0.5, 0.0), (0.0, (i + 1) * 0.5, 0.0), 0.0
        bone.parent, bone.use_connect = last, last is not None
        last = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    return obj


def _angles(obj: bpy.types.Object, bone: str) -> list[float]:
    """The bone's own rotation about x [rad], frame by frame."""
    scene = bpy.context.scene
    out = []
    for frame in range(scene.redmax.frame_start, scene.redmax.frame_end + 1):
        scene.frame_set(frame)
        out.append(obj.pose.bones[bone].matrix_basis.to_euler("XYZ").x)
    return out


def test_a_hinge_stops_at_its_ik_limit() -> None:
    obj = _arm()
    bone = obj.pose.bones["b1"]
    bone.lock_ik_y = bone.lock_ik_z = True
    bone.use_ik_limit_x, bone.ik_min_x, bone.ik_max_x = True, radians(-30.0), radians(30.0)
    make_physical(obj, bpy.context.scene)
    scene = bpy.context.scene
    scene.redmax.frame_start, scene.redmax.frame_end = 1, 30
    simulate_scene(bpy.context)
    angles = np.degrees(_angles(obj, "b1"))
    assert np.abs(angles).max() <= 30.0 + 1e-3
    assert np.abs(angles).max() > 29.9  # it falls into the stop: the limit is what holds it
    bone.redmax.use_limits[0] = False
    simulate_scene(bpy.context)
    assert np.abs(np.degrees(_angles(obj, "b1"))).max() > 60.0


def test_limits_that_cross_are_named() -> None:
    obj = _arm()
    make_physical(obj, bpy.context.scene)
    settings = obj.pose.bones["b1"].redmax
    settings.use_limits = (True, False, False)
    settings.limits_min, settings.limits_max = (1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)
    with pytest.raises(SceneError, match=r"'b1'.*limits about X.*above the largest"):
        simulate_scene(bpy.context)
