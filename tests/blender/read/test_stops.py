"""Limits of joints that bounce and rub: what the user sets is what is simulated."""

from math import cos, radians, sin

import bpy
import numpy as np
import pytest
from blender_fixtures import make_chain, place, set_range
from mechanism_fixtures import add_box, add_constraint, add_joint, make_blenders, world
from panel_fixtures import draw

from redmax_blender.bridge.mechanism.export_scene import export_scene
from redmax_blender.bridge.mechanism.import_scene import import_scene
from redmax_blender.bridge.read.scene import read_scene
from redmax_blender.bridge.rig.make_physical import make_physical
from redmax_blender.bridge.rig.rig import physical_armatures
from redmax_blender.bridge.run.simulate_scene import simulate_scene
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import SceneError
from redmax_blender.engine.scene import BodySpec, Cuboid, JointSpec, Limits, Pose, Revolute, SceneSpec
from redmax_blender.engine.scene.file import encode_scene

LONELY = "One axis: limits bounce, and have no friction"


def read():
    bpy.context.view_layer.update()
    return read_scene(bpy.context, physical_armatures(bpy.context.scene)).scene


def limits(name):
    return next(body.joint.limits for body in read().bodies if body.name == name)


def limited_bone(joint):
    """The second bone of a chain, active, with a limit about its x axis."""
    obj = make_chain(3)
    make_physical(obj, bpy.context.scene)
    obj.data.bones.active = obj.data.bones["bone1"]
    settings = obj.pose.bones["bone1"].redmax
    settings.joint, settings.axis, settings.second_axis = joint, "X", "Z"
    settings.use_limits = (True, False, False)
    settings.limits_min, settings.limits_max = (-0.5, 0.0, 0.0), (0.5, 0.0, 0.0)
    return obj, settings


def piston(tilt=0.0, offset=0.0):
    """A box that stands on the lower end of an upright piston's way, its middle beside the axis by an offset."""
    box = add_box("box", (0.0, offset, 0.0), (0.2, 0.2, 0.2))
    joint = add_joint("piston", "PISTON", None, box, (0.0, 0.0, 0.0), (0.0, tilt - np.pi / 2, 0.0))
    joint.redmax.joint.limit_location[0] = True
    joint.redmax.joint.location_min[0], joint.redmax.joint.location_max[0] = 0.0, 1.0
    bpy.context.view_layer.objects.active = joint
    return joint


def labels(panel):
    return [text for kind, text, _ in draw(panel) if kind == "label"]


def shown(panel):
    return {name for kind, name, _ in draw(panel) if kind == "prop"}


@pytest.mark.parametrize("joint", ["UNIVERSAL", "SPHERICAL"])
def test_stops_of_a_bone_are_read_and_can_be_simulated(joint):
    obj, settings = limited_bone(joint)
    place(obj, unit_scale=0.01)
    settings.friction.stop_friction, settings.friction.stop_restitution = 0.3, 0.25
    found = limits("Rig/bone1")
    assert (found.friction, found.restitution) == pytest.approx((0.3, 0.25))
    assert limits("Rig/bone2") is None
    model = compile_scene(read())
    assert model.friction is not None and len(model.friction.stops) == 2 * (2 if joint == "SPHERICAL" else 1)
    assert labels(bpy.types.VIEW3D_PT_redmax_limits) == []
    assert "stop_radius" not in shown(bpy.types.VIEW3D_PT_redmax_limits), "limits of bones are angles"


def test_the_stop_of_a_hinge_only_bounces_and_its_box_says_so():
    _, settings = limited_bone("REVOLUTE")
    settings.friction.stop_friction, settings.friction.stop_restitution = 0.3, 0.25
    found = limits("Rig/bone1")
    assert (found.friction, found.restitution) == pytest.approx((0.0, 0.25))
    assert labels(bpy.types.VIEW3D_PT_redmax_limits) == [LONELY]
    settings.use_limits = (False, False, False)
    assert "Nothing is limited" in labels(bpy.types.VIEW3D_PT_redmax_limits)[0]
    assert limits("Rig/bone1") is None


def test_a_stop_radius_is_in_metres_or_that_of_the_joint():
    joint = piston()
    bpy.context.scene.unit_settings.scale_length = 0.1
    joint.redmax.friction.stop_friction = 0.4
    assert limits("box").radius == pytest.approx(0.005)  # a quarter of the shortest side
    joint.redmax.friction.radius = 0.3
    assert limits("box").radius == pytest.approx(0.03)
    joint.redmax.friction.stop_radius = 0.7
    assert limits("box").radius == pytest.approx(0.07)
    assert limits("box").friction == pytest.approx(0.4)
    assert "stop_radius" in shown(bpy.types.VIEW3D_PT_redmax_joint)
    joint.redmax.joint.kind = "SLIDER"
    assert limits("box").friction == 0.0
    assert LONELY in labels(bpy.types.VIEW3D_PT_redmax_joint)
    assert "stop_radius" not in shown(bpy.types.VIEW3D_PT_redmax_joint)


@pytest.mark.parametrize("locked", [False, True])
def test_limits_of_blenders_constraints_rub_as_well(locked):
    boxes = [add_box("base", (0.0, 0.0, 0.0)), add_box("box", (0.0, 0.0, 2.0))]
    for box, kind in zip(boxes, ("PASSIVE", "ACTIVE")):
        make_blenders(box, kind)
    joint = add_constraint("joint", "GENERIC", *boxes, (0.0, 0.0, 1.0))
    settings = joint.rigid_body_constraint
    for what in ("lin_x", "lin_y", "lin_z", "ang_x", "ang_y"):
        setattr(settings, f"use_limit_{what}", True)
        setattr(settings, f"limit_{what}_lower", 0.0)
        setattr(settings, f"limit_{what}_upper", 0.0)
    settings.limit_lin_x_upper = 0.0 if locked else 1.0
    settings.use_limit_ang_z, settings.limit_ang_z_upper = True, 1.0
    joint.redmax.friction.stop_friction = 0.4
    bpy.context.view_layer.objects.active = joint
    assert limits("box").friction == pytest.approx(0.0 if locked else 0.4)
    assert (LONELY in labels(bpy.types.VIEW3D_PT_redmax_joint)) == locked


@pytest.mark.parametrize("name", ["stop_friction", "stop_radius", "stop_restitution"])
def test_a_number_that_is_none_is_named(name):
    setattr(piston().redmax.friction, name, float("nan"))
    with pytest.raises(SceneError, match=r"Joint 'piston', Stop"):
        read()


def test_stops_come_back_from_a_file(tmp_path):
    settings = piston().redmax.friction
    settings.stop_friction, settings.stop_radius, settings.stop_restitution = 0.4, 0.07, 0.3
    written = export_scene(bpy.context, tmp_path / "scene.json").bodies[0].joint.limits
    bpy.ops.wm.read_factory_settings(use_empty=True)
    import_scene(bpy.context, tmp_path / "scene.json")
    again = export_scene(bpy.context, tmp_path / "again.json").bodies[0].joint.limits
    assert (again.friction, again.radius, again.restitution) == pytest.approx((0.4, 0.07, 0.3))
    assert (again.friction, again.radius, again.restitution) == pytest.approx(
        (written.friction, written.radius, written.restitution)
    )


def test_limits_of_a_joint_that_starts_turned_stay_where_they_are(tmp_path):
    hinge = JointSpec(type=Revolute((0.0, 1.0, 0.0)), q=0.3, limits=Limits(lower=-0.5, upper=0.4))
    bar = BodySpec("bar", Cuboid((1.0, 0.1, 0.1)), joint=hinge, pose=Pose((0.5, 0.0, 0.0)))
    (tmp_path / "scene.json").write_bytes(encode_scene(SceneSpec(bodies=[bar])))
    import_scene(bpy.context, tmp_path / "scene.json")
    found = limits("bar")  # from where it starts, as empties measure
    assert (found.lower, found.upper) == (pytest.approx([-0.8]), pytest.approx([0.1]))


def test_stops_are_copied_and_set_by_presets():
    first = piston()
    second = add_joint("other", "PISTON", None, add_box("other box", (3.0, 0.0, 0.0)), (3.0, 0.0, 0.0))
    file = bpy.utils.preset_find("Rusty Hinge", "redmax/friction", display_name=True)
    bpy.ops.script.execute_preset(filepath=file, menu_idname="REDMAX_PT_friction_presets")
    assert first.redmax.friction.stop_friction == pytest.approx(0.5)
    first.redmax.friction.stop_radius = 0.03
    for joint in (first, second):
        joint.select_set(True)
    assert bpy.ops.redmax.copy_part(part="friction") == {"FINISHED"}
    assert (second.redmax.friction.stop_friction, second.redmax.friction.stop_radius) == pytest.approx(
        (0.5, 0.03)
    )


@pytest.mark.parametrize(("mu", "holds"), [(0.35, True), (0.25, False)])
def test_a_body_on_a_stop_turns_when_friction_cannot_hold_it(mu, holds):
    """On an axis that leans by 30° it presses on the stop with m g cos 30°, and m g sin 30° has a lever to turn it."""
    tilt, offset, radius = radians(30.0), 0.1, 0.2
    joint = piston(tilt, offset)
    joint.redmax.friction.stop_friction, joint.redmax.friction.stop_radius = mu, radius
    assert (mu * radius * cos(tilt) > offset * sin(tilt)) == holds
    set_range(1, 8)
    before = world(bpy.data.objects["box"])
    simulate_scene(bpy.context)
    bpy.context.scene.frame_set(8)
    moved = float(np.abs(world(bpy.data.objects["box"]) - before).max())
    assert moved < 1e-5 if holds else moved > 0.01


def test_a_slider_bounces_off_its_stop():
    joint = piston()
    joint.redmax.joint.kind = "SLIDER"
    joint.redmax.joint.location_min[0] = -0.2
    joint.redmax.friction.stop_restitution = 0.5
    set_range(1, 15, substeps=16)
    simulate_scene(bpy.context)
    heights = []
    for frame in range(1, 16):
        bpy.context.scene.frame_set(frame)
        heights.append(bpy.data.objects["box"].matrix_world.translation.z)
    assert min(heights) >= -0.2 - 1e-5
    # it lands at 0.2 s, before the sixth frame, with the speed of a fall of 0.2 m
    assert max(heights[5:]) + 0.2 == pytest.approx(0.5**2 * 0.2, abs=0.01)
