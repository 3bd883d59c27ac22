"""Ropes, rods and struts; gears, belts, racks and screws; bodies that feel less of gravity."""

from math import pi, tau

import bpy
import numpy as np
import pytest
from blender_fixtures import set_range
from mathutils import Matrix
from mechanism_fixtures import add_box, add_empty, add_joint, world

from redmax_blender.bridge.mechanism.add_spring import add_spring
from redmax_blender.bridge.mechanism.export_scene import read_for_export
from redmax_blender.bridge.mechanism.import_scene import add_scene
from redmax_blender.bridge.mechanism.mesh_gears import mesh_gears
from redmax_blender.bridge.mechanism.parts_kit import add_part
from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.run.simulate_scene import simulate_scene
from redmax_blender.engine.errors import SceneError
from redmax_blender.engine.scene import spec

H = 1.0 / 400.0
"""Step [s]: what falls from rest falls as if it had begun half a step earlier."""
UPRIGHT = (0.0, -pi / 2, 0.0)
"""Turns an empty so that its x axis points up."""


def simulated(obj: bpy.types.Object, frames: int = 41, substeps: int = 4) -> np.ndarray:
    """Poses of a body, shape (nf, 4, 4)."""
    bpy.context.scene.render.fps = 100
    set_range(1, frames, substeps)
    simulate_scene(bpy.context)
    return cache.track_of(obj, bpy.context.scene)[1].pose[:, 0]


def turned(poses: np.ndarray, axis: int = 2) -> np.ndarray:
    """Angle about an axis of the world since the first frame, shape (nf,)."""
    a, b = (axis + 1) % 3, (axis + 2) % 3
    R = poses[:, :3, :3] @ poses[0, :3, :3].T
    return np.unwrap(np.arctan2(R[:, b, a], R[:, a, a]))


def hold(kind: str, at: float, length: float, push: float = 0.0) -> np.ndarray:
    """Distance over time of a block from a hook, first `at` below it, on a line of a length."""
    block, hook = add_box("block", (0.0, 0.0, -at), (0.2, 0.2, 0.2)), add_empty("hook", (0.0, 0.0, 0.0))
    bpy.context.view_layer.update()
    line = add_spring([hook, block], bpy.context.scene.collection, kind=kind)
    line.redmax.spring.rest_length = length
    block.redmax_push = (push, 0.0, 0.0)
    return np.linalg.norm(simulated(block)[:, :3, 3], axis=1)


def test_a_rope_is_slack_until_it_is_taut_and_never_longer():
    distance = hold("ROPE", 1.0, 1.2)
    t = np.arange(41) / 100.0
    np.testing.assert_allclose(distance[:20], 1.0 + 0.5 * 9.81 * t[:20] * (t[:20] + H), atol=1e-5)
    assert distance[-5:] == pytest.approx(1.2, abs=1e-6)
    assert distance.max() < 1.2 + 1e-6


@pytest.mark.parametrize("kind", ["ROD", "STRUT"])
def test_a_rod_and_a_strut_keep_their_length_where_they_have_to(kind):
    """Pushed sideways, a block on a rod goes round its hook; a strut holds a block on top of it, and lets one fall that
    hangs below."""
    if kind == "ROD":
        assert hold(kind, 1.0, 0.0, push=40.0) == pytest.approx(1.0, abs=1e-6)
        return
    assert hold(kind, -1.0, 0.0) == pytest.approx(1.0, abs=1e-6)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    assert hold(kind, 1.0, 1.0)[-1] == pytest.approx(1.0 + 0.5 * 9.81 * 0.4 * (0.4 + H), abs=1e-5)


def test_a_rope_over_three_points_says_what_to_take_instead():
    ends = [add_box(f"block {i}", (i, 0.0, 0.0)) for i in range(3)]
    bpy.context.view_layer.update()
    add_spring(ends, bpy.context.scene.collection, kind="ROPE")
    with pytest.raises(SceneError, match="through 3 points"):
        read_for_export(bpy.context)


@pytest.mark.parametrize("swapped", [False, True])
def test_a_nut_on_a_thread_sinks_as_fast_as_its_inertia_allows(swapped):
    """m a = m g - (I (2π / p)²) a, where p is the pitch; whichever of its objects the joint begins at."""
    nut = add_box("nut", (0.0, 0.0, 0.0), (0.1, 0.1, 0.1))
    stand = add_box("stand", (0.0, 0.0, -2.0), role="ANCHORED")
    ends = (nut, stand) if swapped else (stand, nut)
    joint = add_joint("thread", "SCREW", *ends, (0.0, 0.0, 0.0), UPRIGHT)
    joint.redmax.joint.pitch = 0.25
    poses = simulated(nut, substeps=10)
    sunk, angle = -poses[:, 2, 3], turned(poses)
    np.testing.assert_allclose(-sunk, 0.25 * angle / tau, atol=1e-6)
    a = 9.81 / (1.0 + 0.1**2 / 6.0 * (tau / 0.25) ** 2)  # I = m s² / 6
    assert sunk[-1] == pytest.approx(0.5 * a * 0.4**2, rel=0.01)
    assert sunk[-1] > 0.3


def gears(second_radius: float = 0.2) -> tuple[bpy.types.Object, bpy.types.Object]:
    """Hinges of two gears of the kit, 0.1 m and as large as told, which mesh; the first hinge is led by keys."""
    scene = bpy.context.scene
    hinges = []
    for name, radius, x in (("small", 0.1, 0.0), ("large", second_radius, 0.1 + second_radius)):
        add_part(scene, scene.collection, "GEAR", 2.0 * radius, Matrix.Translation((x, 0.0, 0.0)), name=name)
        hinge = add_joint(f"hinge of {name}", "HINGE", None, bpy.data.objects[name], (x, 0, 0), (0, 0, 0))
        hinges.append(hinge)
    own = hinges[0].redmax.joint
    own.use_motor, own.motor_kind = True, "KEYED"
    for frame, angle in ((1, 0.0), (41, 2.0)):
        own.motor_angle = angle
        own.keyframe_insert("motor_angle", frame=frame)
    scene.frame_set(1)
    return hinges[0], hinges[1]


@pytest.mark.parametrize(("kind", "ratio"), [("GEAR", -0.5), ("BELT", 0.5)])
def test_wheels_turn_in_the_ratio_of_their_teeth(kind, ratio):
    small, large = gears()
    assert mesh_gears(small, large, kind) == pytest.approx(ratio)
    poses = simulated(bpy.data.objects["large"])
    assert turned(poses)[-1] == pytest.approx(2.0 * ratio, abs=1e-5)


def test_the_ratio_counts_by_the_wheel_whichever_end_of_its_hinge_it_is_at_and_by_the_axis():
    small, large = gears()
    own = large.redmax.joint
    own.object1, own.object2 = own.object2, None
    assert mesh_gears(small, large, "GEAR") == pytest.approx(0.5)
    large.rotation_euler = (pi, 0.0, 0.0)
    bpy.context.view_layer.update()
    assert mesh_gears(small, large, "GEAR") == pytest.approx(-0.5)
    with pytest.raises(SceneError, match="kind is point"):
        large.redmax.joint.kind = "POINT"
        mesh_gears(small, large, "GEAR")


def test_a_rack_moves_as_the_rim_of_its_wheel():
    scene = bpy.context.scene
    small, _ = gears()
    rack = add_box("rack", (0.0, -0.15, 0.0), (1.0, 0.1, 0.1))
    slider = add_joint("way", "SLIDER", None, rack, (0.0, -0.15, 0.0), (0.0, 0.0, 0.0))
    bpy.context.view_layer.update()
    for obj in scene.objects:
        obj.select_set(obj in (small, slider))
    bpy.context.view_layer.objects.active = slider
    assert bpy.ops.redmax.mesh_gears(kind="RACK") == {"FINISHED"}
    assert slider.redmax.coupling.joint == small
    poses = simulated(rack)
    assert poses[-1, 0, 3] == pytest.approx(0.1 * 2.0, abs=1e-6)  # below a wheel that turns to the left


def test_a_gear_drives_a_screw():
    """Its angle follows the wheel, and its way its angle."""
    small, _ = gears()
    nut = add_box("nut", (0.0, 0.5, 0.0), (0.1, 0.1, 0.1))
    thread = add_joint("thread", "SCREW", None, nut, (0.0, 0.5, 0.0), UPRIGHT)
    thread.redmax.joint.pitch = 0.1
    bpy.context.view_layer.update()
    assert mesh_gears(small, thread, "GEAR", radii=(0.1, 0.05)) == pytest.approx(-2.0)
    poses = simulated(nut)
    assert turned(poses)[-1] == pytest.approx(-4.0, abs=1e-5)
    assert poses[-1, 2, 3] == pytest.approx(-4.0 * 0.1 / tau, abs=1e-6)


def test_bodies_feel_as_much_of_gravity_as_they_are_set_to():
    for weight in (0.0, 0.5):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        block = add_box("block", (0.0, 0.0, 0.0))
        block.redmax.body.weight = weight
        fallen = -simulated(block)[-1, 2, 3]
        assert fallen == pytest.approx(0.5 * weight * 9.81 * 0.4**2, rel=2e-2)


def test_lines_of_a_scene_file_are_objects_that_read_back_as_they_were():
    block, other = add_box("block", (0.0, 0.0, -1.0)), add_box("other", (2.0, 0.0, -1.0))
    hook = add_empty("hook", (0.0, 0.0, 0.0))
    block.redmax.body.weight = 0.25
    bpy.context.view_layer.update()
    for kind, length in (("ROPE", 1.5), ("ROD", 0.0), ("STRUT", 0.5)):
        ends = [block, other] if kind == "ROD" else [hook, block]
        add_spring(ends, bpy.context.scene.collection, kind=kind).redmax.spring.rest_length = length
    first = read_for_export(bpy.context).scene
    bpy.ops.wm.read_factory_settings(use_empty=True)
    add_scene(bpy.context.scene, first)
    again = read_for_export(bpy.context).scene
    lines = [c for c in first.constraints if isinstance(c, spec.LoopDistance)]
    assert {c.sense for c in lines} == {"equal", "at-most", "at-least"}
    for a, b in zip(first.constraints, again.constraints, strict=True):
        assert (a.name, a.sense, a.a.body, a.b.body) == (b.name, b.sense, b.a.body, b.b.body)
        assert (a.length is None) == (b.length is None) and (a.length or 0.0) == pytest.approx(
            b.length or 0.0
        )
    assert [body.weight for body in again.bodies] == [body.weight for body in first.bodies] == [0.25, 1.0]
    assert world(bpy.data.objects["block"])[2, 3] == pytest.approx(-1.0)
