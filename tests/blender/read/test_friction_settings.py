"""Joint friction and surfaces: what the user sets is what the engine is told, in metres."""

import bpy
import pytest
from blender_fixtures import make_chain, place
from mechanism_fixtures import add_box, add_constraint, add_four_bar, add_joint, make_blenders

from redmax_blender.bridge.read.scene import read_scene
from redmax_blender.bridge.rig.make_physical import make_physical
from redmax_blender.bridge.rig.rig import physical_armatures
from redmax_blender.engine.errors import SceneError


def read():
    bpy.context.view_layer.update()
    return read_scene(bpy.context, physical_armatures(bpy.context.scene))


def bodies():
    return {body.name: body for body in read().scene.bodies}


def physical_chain(count=3):
    obj = make_chain(count)
    make_physical(obj, bpy.context.scene)
    return obj


def select(obj, *names):
    for bone in obj.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name in names


def test_a_joint_without_friction_tells_the_engine_nothing():
    physical_chain()
    assert all(body.joint.friction is None for body in bodies().values())


def test_friction_of_a_bone_is_read_in_metres_at_every_scale():
    obj = physical_chain()
    place(obj, unit_scale=0.01)
    friction = obj.pose.bones["bone1"].redmax.friction
    friction.coefficient, friction.static, friction.radius, friction.height = 0.3, 0.5, 0.04, 0.06
    found = bodies()["Rig/bone1"].joint.friction
    assert (found.coefficient, found.static) == pytest.approx((0.3, 0.5))
    assert (found.radius, found.height) == pytest.approx((0.04 * 1.7 * 0.01, 0.06 * 1.7 * 0.01))


def test_sizes_of_zero_follow_from_the_body():
    obj = physical_chain()
    settings = obj.pose.bones["bone1"].redmax
    settings.friction.coefficient, settings.radius = 0.3, 0.08
    found = bodies()["Rig/bone1"].joint.friction
    assert (found.radius, found.height) == pytest.approx((0.04, 0.08))


def test_static_friction_below_that_of_motion_counts_as_none_of_its_own():
    obj = physical_chain()
    settings = obj.pose.bones["bone1"].redmax.friction
    settings.coefficient, settings.static = 0.3, 0.1
    assert bodies()["Rig/bone1"].joint.friction.static is None


def test_joints_that_cannot_move_have_no_friction():
    obj = physical_chain()
    for bone in obj.pose.bones:
        bone.redmax.friction.coefficient = 0.3
    obj.pose.bones["bone1"].redmax.joint = "FIXED"
    found = bodies()
    assert found["Rig/bone1"].joint.friction is None
    assert found["Rig/bone2"].joint.friction is not None


def test_friction_of_a_joint_between_objects_is_read():
    box = add_box("box", (0.0, 0.0, 0.0), (0.4, 0.2, 1.0))
    hinge = add_joint("hinge", "HINGE", None, box, (0.0, 0.0, 0.5))
    hinge.redmax.friction.coefficient = 0.4
    found = bodies()["box"].joint.friction
    assert found.coefficient == pytest.approx(0.4)
    assert (found.radius, found.height) == pytest.approx((0.05, 0.1))  # a quarter of the shortest side
    hinge.redmax.friction.radius = 0.02
    assert bodies()["box"].joint.friction.radius == pytest.approx(0.02)


def test_a_fixed_joint_of_blenders_has_no_friction():
    first, second = add_box("first", (0.0, 0.0, 0.0)), add_box("second", (0.0, 0.0, 2.0))
    for box in (first, second):
        make_blenders(box)
    weld = add_constraint("weld", "FIXED", first, second, (0.0, 0.0, 1.0))
    hinge = add_constraint("hinge", "HINGE", first, second, (0.0, 0.0, 1.0))
    weld.redmax.friction.coefficient = 0.4
    assert all(body.joint.friction is None for body in bodies().values())
    hinge.redmax.friction.coefficient = 0.4
    bpy.data.objects.remove(weld)
    assert [b.joint.friction.coefficient for b in bodies().values() if b.joint.friction] == pytest.approx(
        [0.4]
    )


def test_friction_is_simulated_or_its_loss_is_told():
    add_four_bar()
    for name in "ABCD":
        bpy.data.objects[name].redmax.friction.coefficient = 0.4
    reading = read()
    rubbing = {body.joint.name for body in reading.scene.bodies if body.joint.friction is not None}
    rubbing |= {c.name for c in reading.scene.constraints if getattr(c, "friction", None) is not None}
    told = {name for name in "ABCD" if any(f"'{name}'" in warning for warning in reading.warnings)}
    assert rubbing | told == set("ABCD")
    assert reading.cut


@pytest.mark.parametrize("name", ["coefficient", "static", "radius", "height"])
def test_a_number_that_is_none_is_named(name):
    obj = physical_chain()
    settings = obj.pose.bones["bone1"].redmax.friction
    settings.coefficient = 0.5
    setattr(settings, name, float("nan"))
    with pytest.raises(SceneError, match=r"Bone 'bone1' of 'Rig'"):
        read()


def test_friction_needs_an_integrator_that_knows_it():
    obj = physical_chain()
    bpy.context.scene.redmax.integrator = "bdf2"
    assert read().scene.integrator == "bdf2"
    obj.pose.bones["bone1"].redmax.friction.coefficient = 0.3
    reading = read()
    assert reading.scene.integrator == "euler-midway"
    assert any("friction" in warning for warning in reading.warnings)


def test_friction_is_copied_to_selected_bones_and_nothing_else_is():
    obj = physical_chain(4)
    source = obj.pose.bones["bone1"].redmax
    source.friction.coefficient, source.friction.radius, source.density = 0.7, 0.01, 5.0
    obj.data.bones.active = obj.data.bones["bone1"]
    select(obj, "bone1", "bone3")
    assert bpy.ops.redmax.copy_part(part="friction") == {"FINISHED"}
    copy = obj.pose.bones["bone3"].redmax
    assert (copy.friction.coefficient, copy.friction.radius) == pytest.approx((0.7, 0.01))
    assert copy.density == 1000.0
    assert obj.pose.bones["bone2"].redmax.friction.coefficient == 0.0


def test_in_object_mode_too_settings_are_copied_from_bone_to_bones():
    """The panels are about the active bone there, so their button is."""
    obj = physical_chain(3)
    obj.pose.bones["bone1"].redmax.friction.coefficient = 0.7
    obj.data.bones.active = obj.data.bones["bone1"]
    select(obj, "bone1", "bone2")
    bpy.ops.object.mode_set(mode="OBJECT")
    assert bpy.ops.redmax.copy_part(part="friction") == {"FINISHED"}
    assert obj.pose.bones["bone2"].redmax.friction.coefficient == pytest.approx(0.7)


def test_with_the_skin_active_the_bones_of_its_rig_are_meant():
    """Blender's active bone is then that of the armature in pose mode that deforms the skin."""
    obj = physical_chain(3)
    obj.pose.bones["bone1"].redmax.density = 123.0
    obj.data.bones.active = obj.data.bones["bone1"]
    select(obj, "bone1", "bone2")
    skin = add_box("skin", (0.0, 0.0, 0.0), role="NONE")
    skin.modifiers.new("Armature", "ARMATURE").object = obj
    bpy.context.view_layer.objects.active = skin
    bpy.context.view_layer.update()
    assert bpy.context.object == skin and bpy.context.active_pose_bone is not None
    assert bpy.ops.redmax.copy_to_selected() == {"FINISHED"}
    assert obj.pose.bones["bone2"].redmax.density == 123.0


def test_friction_is_copied_to_selected_joints():
    boxes = [add_box(f"box{i}", (i, 0.0, 0.0)) for i in range(2)]
    joints = [add_joint(f"joint{i}", "HINGE", None, boxes[i], (i, 0.0, 0.5)) for i in range(2)]
    joints[0].redmax.friction.coefficient = 0.7
    for joint in joints:
        joint.select_set(True)
    bpy.context.view_layer.objects.active = joints[0]
    assert bpy.ops.redmax.copy_part(part="friction") == {"FINISHED"}
    assert joints[1].redmax.friction.coefficient == pytest.approx(0.7)


def test_all_settings_of_a_bone_are_copied_with_friction_and_contact_among_them():
    obj = physical_chain(3)
    source = obj.pose.bones["bone1"].redmax
    source.friction.coefficient, source.surface.friction = 0.7, 0.9
    source.control.target = add_box("goal", (0.0, 0.0, 0.0), role="NONE")
    obj.data.bones.active = obj.data.bones["bone1"]
    select(obj, "bone1", "bone2")
    assert bpy.ops.redmax.copy_to_selected() == {"FINISHED"}
    copy = obj.pose.bones["bone2"].redmax
    assert (copy.friction.coefficient, copy.surface.friction) == pytest.approx((0.7, 0.9))
    assert copy.control.target is None  # two bones cannot both be where it is


def test_bones_collide_once_they_are_made_physical_but_not_with_each_other():
    obj = physical_chain()
    assert all(bone.redmax.surface.collide for bone in obj.pose.bones)
    assert all(body.surface is None for body in bodies().values()), "there is nothing to collide with"
    bpy.ops.redmax.add_ground()
    found = read().scene
    assert all(body.surface is not None for body in found.bodies)
    group = found.bodies[0].surface.groups[0]
    assert all(body.surface.groups == [group] for body in found.bodies)
    assert (group, group) in found.self_collision.ignore
    obj.redmax.self_collision = True
    found = read().scene
    assert found.self_collision.ignore == []
    assert all(body.surface.groups == [] for body in found.bodies)


def test_bones_of_two_characters_collide_with_each_other():
    for name in ("One", "Two"):
        bpy.ops.object.mode_set(mode="OBJECT") if bpy.context.object else None
        make_physical(make_chain(2, name=name), bpy.context.scene)
    found = read().scene
    groups = {body.name: set(body.surface.groups) for body in found.bodies}
    assert groups["One/bone0"].isdisjoint(groups["Two/bone0"])
    assert all(a == b for a, b in found.self_collision.ignore)


def test_surface_of_an_object_is_read_in_metres():
    bpy.context.scene.unit_settings.scale_length = 0.1
    boxes = [add_box(f"box{i}", (0.0, 0.0, 3.0 * i)) for i in range(2)]
    for box in boxes:
        box.select_set(True)
    assert bpy.ops.redmax.set_role(role="ACTIVE") == {"FINISHED"}
    surface = boxes[0].redmax.surface
    surface.friction, surface.restitution, surface.margin, surface.group = 0.8, 0.3, 0.02, "left"
    found = bodies()["box0"].surface
    assert (found.friction, found.restitution, found.margin) == pytest.approx((0.8, 0.3, 0.002))
    assert found.groups == ["left"]


def test_blenders_rigid_bodies_collide_as_they_say():
    for i in range(2):
        box = add_box(f"box{i}", (0.0, 0.0, 3.0 * i))
        make_blenders(box)
        box.rigid_body.friction, box.rigid_body.restitution = 0.2 + 0.1 * i, 0.4
    found = bodies()
    assert [found[f"box{i}"].surface.friction for i in range(2)] == pytest.approx([0.2, 0.3])
    assert found["box1"].surface.restitution == pytest.approx(0.4)
