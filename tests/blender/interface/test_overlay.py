"""The overlay's lines: they are where the bodies, axes, limits and springs are, and only when they are wanted."""

from math import pi

import bpy
import numpy as np
import pytest
from blender_fixtures import make_chain, place, set_range, turn_bones
from mechanism_fixtures import add_box, add_empty, add_four_bar, add_joint

from redmax_blender.bridge.mechanism.add_ground import add_ground
from redmax_blender.bridge.mechanism.add_spring import add_spring
from redmax_blender.bridge.recording import figure_cache
from redmax_blender.bridge.rig.make_physical import make_physical
from redmax_blender.bridge.run.simulate_scene import simulate_scene
from redmax_blender.drawing import bones, collect, objects, shapes
from redmax_blender.drawing.collect import scene_lines
from redmax_blender.drawing.ghost import ghost_lines

CHOICES = ("bodies", "joints", "springs", "friction", "targets", "contacts", "colliders", "ghost")


def show_only(*names):
    overlay = bpy.context.scene.redmax.overlay
    overlay.show = True
    for name in CHOICES:
        setattr(overlay, name, name in names)
    bpy.context.view_layer.update()
    return overlay


def lines():
    points, colours = scene_lines(bpy.context.scene).arrays()
    assert len(points) == len(colours) and np.isfinite(points).all()
    return points.reshape(-1, 2, 3)


def physical_chain(count=3):
    obj = make_chain(count)
    make_physical(obj, bpy.context.scene)
    return obj


# Shapes. ----------------------------------------------------------------------------------------------------


def test_outlines_are_on_their_surfaces():
    assert np.linalg.norm(shapes.sphere(2.0), axis=-1) == pytest.approx(2.0)
    rims = np.linalg.norm(shapes.cylinder(0.5, 3.0)[..., :2], axis=-1)
    assert rims == pytest.approx(0.5)
    points = shapes.capsule(0.5, 3.0).reshape(-1, 3)
    from_axis = np.linalg.norm(points - np.clip(points, [0, 0, -1.5], [0, 0, 1.5]), axis=1)
    assert from_axis == pytest.approx(0.5)
    assert np.abs(points[:, 2]).max() == pytest.approx(2.0)


def test_a_box_has_twelve_edges_along_its_axes():
    edges = shapes.cuboid(np.zeros(3), np.array([1.0, 2.0, 3.0]))
    lengths = np.sort(np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1))
    assert lengths == pytest.approx([1.0] * 4 + [2.0] * 4 + [3.0] * 4)


@pytest.mark.parametrize("low, high", [(-0.5, 1.0), (0.2, 0.4), (-pi, pi)])
def test_an_arc_ends_at_its_angles(low, high):
    axis, zero = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.3])
    points = shapes.arc(axis, zero, low, high, 2.0).reshape(-1, 3)
    far = points[np.linalg.norm(points, axis=1) > 1.0]
    angles = np.arctan2(far[:, 1], far[:, 0])
    assert np.linalg.norm(far, axis=1) == pytest.approx(2.0)
    assert (angles.min(), angles.max()) == pytest.approx((low, high))
    assert far[:, 2] == pytest.approx(0.0)


def test_a_coil_begins_and_ends_where_the_spring_does():
    a, b = np.array([1.0, 2.0, 3.0]), np.array([-1.0, 0.5, 4.0])
    segments = shapes.coil(a, b, 0.1)
    assert segments[0, 0] == pytest.approx(a) and segments[-1, 1] == pytest.approx(b)
    assert segments[:-1, 1] == pytest.approx(segments[1:, 0])


def test_colours_go_from_cool_to_hot():
    red = [shapes.ramp(value)[0] - shapes.ramp(value)[2] for value in np.linspace(0.0, 1.0, 9)]
    assert red == sorted(red) and shapes.ramp(7.0) == shapes.ramp(1.0)


# Bones. -----------------------------------------------------------------------------------------------------


def test_nothing_is_drawn_until_it_is_wanted():
    physical_chain()
    assert len(scene_lines(bpy.context.scene)) == 0
    show_only()
    assert len(scene_lines(bpy.context.scene)) == 0


def test_capsules_are_around_the_bones_where_they_are_shown():
    obj = physical_chain()
    place(obj)
    turn_bones(obj)
    show_only("bodies")
    count = len(bones.body_lines(obj.pose.bones[0]))
    for bone, found in zip(obj.pose.bones, lines().reshape(-1, count, 2, 3)):
        head, tail = (np.array(obj.matrix_world @ end) for end in (bone.head, bone.tail))
        axis = (tail - head) / np.linalg.norm(tail - head)
        along = (found - head) @ axis
        across = np.linalg.norm(found - head - along[..., None] * axis, axis=-1)
        assert across.max() == pytest.approx(bone.redmax.radius * 1.7, rel=1e-4)
        assert (along.min(), along.max()) == pytest.approx((0.0, np.linalg.norm(tail - head)), abs=1e-4)


def test_axes_are_those_of_the_joint():
    obj = physical_chain(2)
    settings = obj.pose.bones["bone1"].redmax
    settings.joint, settings.axis = "REVOLUTE", "Z"
    obj.pose.bones["bone0"].redmax.physical = False
    show_only("joints")
    (line,) = lines()
    axis = np.array(obj.matrix_world @ obj.pose.bones["bone1"].matrix)[:3, 2]
    assert abs((line[1] - line[0]) @ axis) == pytest.approx(np.linalg.norm(line[1] - line[0]), rel=1e-5)
    settings.joint = "SPHERICAL"
    assert len(lines()) == 3
    settings.joint = "FIXED"
    assert len(lines()) == 0


def test_limits_show_the_angles_that_the_bone_may_have():
    obj = physical_chain(2)
    bone = obj.pose.bones["bone1"]
    bone.redmax.joint, bone.redmax.axis = "REVOLUTE", "X"
    bone.redmax.use_limits = (True, False, True)  # there is no freedom about z
    bone.redmax.limits_min, bone.redmax.limits_max = (-0.3, -1.0, -1.0), (0.9, 1.0, 1.0)
    points = bones.limit_lines(bone).reshape(-1, 3)
    far = points[np.linalg.norm(points, axis=1) > 1e-6]
    assert far[:, 0] == pytest.approx(0.0, abs=1e-9)
    angles = np.arctan2(far[:, 2], far[:, 1])  # about x, from the bone's direction
    assert (angles.min(), angles.max()) == pytest.approx((-0.3, 0.9))


def test_a_bone_at_its_limit_is_drawn_at_the_end_of_the_arc():
    obj = physical_chain(2)
    bone = obj.pose.bones["bone1"]
    bone.rotation_mode = "XYZ"
    bone.redmax.joint, bone.redmax.axis = "REVOLUTE", "X"
    bone.redmax.use_limits = (True, False, False)
    bone.redmax.limits_min, bone.redmax.limits_max = (-0.3, 0.0, 0.0), (0.9, 0.0, 0.0)
    bone.rotation_euler.x = 0.9
    obj.pose.bones["bone0"].redmax.physical = False
    show_only("joints")
    direction = np.array(bone.matrix.col[1].to_3d())
    head = np.array(obj.matrix_world @ bone.head)
    reach = ((lines() - head) @ direction).max()
    assert reach == pytest.approx(0.4 * bone.bone.length, rel=1e-5)


def test_friction_is_drawn_in_the_size_that_is_simulated():
    obj = physical_chain(2)
    bone = obj.pose.bones["bone1"]
    show_only("friction")
    assert len(lines()) == 0, "no joint has friction"
    friction = bone.redmax.friction
    friction.coefficient, friction.radius, friction.height = 0.5, 0.03, 0.1
    bone.redmax.joint, bone.redmax.axis = "REVOLUTE", "X"
    points = bones.friction_lines(bone).reshape(-1, 3)
    assert np.abs(points[:, 0]) == pytest.approx(0.05)
    assert np.linalg.norm(points[:, 1:], axis=1) == pytest.approx(0.03)
    bone.redmax.joint = "SPHERICAL"
    assert np.linalg.norm(bones.friction_lines(bone), axis=-1) == pytest.approx(0.03)
    assert len(lines()) == len(bones.friction_lines(bone))


def test_only_what_is_selected_is_drawn_on_request():
    obj = physical_chain(3)
    for bone in obj.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name == "bone1"
    overlay = show_only("bodies")
    everything = len(lines())
    overlay.selected_only = True
    assert len(lines()) * 3 == everything


def test_hidden_armatures_are_not_drawn():
    obj = physical_chain(3)
    show_only("bodies")
    obj.hide_set(True)
    assert len(lines()) == 0


def keyed_by_hand(obj):
    for frame, seed in ((1, 3), (6, 4)):
        turn_bones(obj, seed=seed)
        for bone in obj.pose.bones:
            bone.keyframe_insert("location", frame=frame)
            for path in ("rotation_quaternion", "rotation_euler", "rotation_axis_angle"):
                bone.keyframe_insert(path, frame=frame)


def in_strips(obj):
    keyed_by_hand(obj)
    data = obj.animation_data
    data.nla_tracks.new().strips.new("Strip", 1, data.action)
    data.action = None


def led_by_ik(obj):
    goal = add_empty("Goal", (0.5, 0.5, 0.5))
    obj.pose.bones[-1].constraints.new("IK").target = goal
    for frame, x in ((1, 0.5), (6, 1.0)):
        goal.location.x = x
        goal.keyframe_insert("location", frame=frame)


def driven(obj):
    obj.pose.bones[0].rotation_mode = "XYZ"
    obj.pose.bones[0].driver_add("rotation_euler", 0).driver.expression = "frame / 10"


@pytest.mark.parametrize("animate", [keyed_by_hand, in_strips, led_by_ik, driven], ids=lambda f: f.__name__)
def test_the_ghost_is_where_blender_would_show_the_animation(animate):
    scene, obj = bpy.context.scene, physical_chain(4)
    place(obj)
    animate(obj)
    bpy.context.view_layer.update()
    scene.frame_set(4)
    shown = np.array([obj.matrix_world @ p for bone in obj.pose.bones for p in (bone.head, bone.tail)])
    set_range(1, 6, 2)
    simulate_scene(bpy.context)
    scene.frame_set(4)
    assert ghost_lines(obj, scene).reshape(-1, 3) == pytest.approx(shown, abs=1e-5)
    here = np.array([obj.matrix_world @ p for bone in obj.pose.bones for p in (bone.head, bone.tail)])
    assert np.abs(here - shown).max() > 1e-3


def test_without_animation_there_is_no_ghost():
    obj = physical_chain(3)
    set_range(1, 3, 2)
    simulate_scene(bpy.context)
    assert len(ghost_lines(obj, bpy.context.scene)) == 0


# Mechanisms. ------------------------------------------------------------------------------------------------


def test_bodies_of_a_mechanism_are_outlined():
    add_box("box", (1.0, 2.0, 3.0), (0.2, 0.4, 0.6))
    show_only("bodies")
    points = lines().reshape(-1, 3)
    assert points.min(axis=0) == pytest.approx([0.9, 1.8, 2.7])
    assert points.max(axis=0) == pytest.approx([1.1, 2.2, 3.3])


def test_joints_are_tied_to_what_they_connect():
    add_four_bar()
    show_only("joints")
    found = lines()
    hinge, left = bpy.data.objects["A"], bpy.data.objects["left"]
    ends = np.array([hinge.matrix_world.translation, left.matrix_world.translation])
    assert any(np.allclose(line, ends, atol=1e-5) for line in found)


def test_a_hinge_shows_its_axis_limits_and_friction():
    box = add_box("box", (0.0, 0.0, 0.0), (0.4, 0.2, 1.0))
    hinge = add_joint("hinge", "HINGE", None, box, (0.0, 0.0, 0.5))
    hinge.redmax.joint.limit_rotation[2] = True
    hinge.redmax.friction.coefficient, hinge.redmax.friction.radius = 0.3, 0.07
    axis, limit = objects.joint_lines(hinge)
    assert np.abs(axis[0][..., :2]).max() == pytest.approx(0.0)
    angles = np.arctan2(limit[0][..., 1], limit[0][..., 0])[np.linalg.norm(limit[0], axis=-1) > 1e-6]
    assert (angles.min(), angles.max()) == pytest.approx((-pi / 4, pi / 4), abs=1e-5)
    rims = objects.joint_friction_lines(hinge)
    assert np.linalg.norm(rims[..., :2], axis=-1) == pytest.approx(0.07)


def test_springs_and_targets_reach_from_end_to_end():
    box = add_box("box", (0.0, 0.0, 0.0))
    post = add_empty("post", (0.0, 0.0, 2.0))
    bpy.context.view_layer.update()
    add_spring([post, box], bpy.context.scene.collection, kind="CABLE", name="cable")
    box.redmax.body.target = post
    show_only("springs")
    (cable,) = lines()
    assert np.sort(cable[:, 2]) == pytest.approx([0.0, 2.0])
    show_only("targets")
    assert any(np.sort(line[:, 2]) == pytest.approx([0.0, 2.0]) for line in lines())


def test_a_target_of_a_bone_is_tied_to_the_point_that_it_leads():
    obj = physical_chain(2)
    obj.pose.bones["bone1"].redmax.control.target = add_empty("hand", (0.0, 3.0, 1.0))
    show_only("targets")
    ends = np.array([obj.matrix_world @ obj.pose.bones["bone1"].tail, (0.0, 3.0, 1.0)])
    assert any(np.allclose(line, ends, atol=1e-5) for line in lines())


def test_colliders_show_what_is_solid():
    add_box("box", (0.0, 0.0, 3.0))
    stone = add_box("stone", (5.0, 0.0, 0.0), (1.0, 2.0, 0.5), role="NONE")
    stone.redmax.collider.role, stone.redmax.collider.shape = "COLLIDER", "BOX"
    show_only("colliders")
    points = lines().reshape(-1, 3)
    assert points.min(axis=0) == pytest.approx([4.5, -1.0, -0.25])
    add_ground(bpy.context.scene, bpy.context.scene.collection, height=-2.0)
    bpy.context.view_layer.update()
    assert lines()[..., 2].min() == pytest.approx(-2.0)


def test_the_overlay_keeps_pace_with_a_large_rig():
    import time

    obj = physical_chain(160)
    show_only("bodies", "joints", "friction")
    for bone in obj.pose.bones:
        bone.redmax.friction.coefficient = 0.1
    lines()
    begin = time.process_time()
    lines()
    assert time.process_time() - begin < 0.2  # five frames a second at worst, on a loaded machine


# Recorded. --------------------------------------------------------------------------------------------------


def test_contacts_are_drawn_where_a_box_rests_on_the_ground():
    box = add_box("box", (0.0, 0.0, 0.5), (1.0, 1.0, 1.0))
    box.redmax.surface.collide = True
    add_ground(bpy.context.scene, bpy.context.scene.collection)
    bpy.context.view_layer.update()
    set_range(1, 8, substeps=10)
    simulate_scene(bpy.context)
    _, figures = figure_cache.shown(bpy.context.scene)
    rows = figures.contacts[7]
    assert np.abs(rows[:, 2]).max() < 0.01
    assert rows[:, 5].sum() == pytest.approx(9.81 * 1000.0, rel=0.02)
    bpy.context.scene.frame_set(8)
    show_only("contacts")
    assert len(lines()) == 6 * len(rows)
    assert lines()[..., 2].max() > 0.05, "forces point upwards"


def test_joints_are_coloured_by_friction_torque_once_there_is_one():
    obj = physical_chain(3)
    show_only("friction")
    for bone in obj.pose.bones[1:]:
        bone.redmax.joint, bone.redmax.axis = "REVOLUTE", "X"
        bone.redmax.friction.coefficient, bone.redmax.friction.radius = 0.3, 0.05
    before = {tuple(colour) for colour in scene_lines(bpy.context.scene).arrays()[1].tolist()}
    assert len(before) == 1
    set_range(1, 6, substeps=10)
    simulate_scene(bpy.context)
    _, figures = figure_cache.shown(bpy.context.scene)
    assert figures.largest_friction() > 0.0
    bpy.context.scene.frame_set(5)
    after = {tuple(colour) for colour in scene_lines(bpy.context.scene).arrays()[1].tolist()}
    parts = collect.friction_parts(bpy.context.scene)
    wanted = {tuple(np.float32(shapes.ramp(parts[f"Rig/{name}"])).tolist()) for name in ("bone1", "bone2")}
    assert after == wanted
