"""A cache knows what it was made from: any edit that would change a simulation makes it outdated, playing does not."""

import bpy
import numpy as np
import pytest
from blender_fixtures import make_chain, set_range
from mechanism_fixtures import add_box, add_empty, add_joint, make_blenders

from redmax_blender.bridge.bake.actions import curves_of
from redmax_blender.bridge.mechanism.export_scene import read_for_export
from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.run.fingerprint import fingerprint
from redmax_blender.bridge.run.simulate_scene import Simulation, simulate_scene
from redmax_blender.engine.scene.file import encode_scene

FRAMES = {1: 0.0, 8: 1.0}


def make_rig():
    """Three bones that hang on a hinge; the one in the middle follows its animation."""
    rig = make_chain(3)
    make_physical(rig, bpy.context.scene, Choices(root="HINGED"))
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.pose.bones["bone1"].rotation_mode = "XYZ"
    rig.pose.bones["bone1"].redmax_control = "KEYFRAMED"
    set_range(1, 8, 2)
    return rig, rig.pose.bones["bone1"]


def make_wall(role="COLLIDER"):
    make_rig()
    wall = add_box("Wall", (0.0, 0.0, -1.0), role="NONE")
    wall.redmax.collider.role = role
    return wall


def key(owner, name, index=-1):
    for frame, value in FRAMES.items():
        current = getattr(owner, name)
        setattr(owner, name, (value, 0.0, 0.0) if hasattr(current, "__len__") else type(current)(value))
        owner.keyframe_insert(name, index=index, frame=frame)


def drive(owner, name, index, source=None, path="", expression="value"):
    driver = owner.driver_add(name, index).driver if index >= 0 else owner.driver_add(name).driver
    if source is not None:
        variable = driver.variables.new()
        variable.name = "value"
        variable.type = "SINGLE_PROP" if path else "TRANSFORMS"
        target = variable.targets[0]
        if path:
            target.id_type = source.id_type
        target.id = source
        if path:
            target.data_path = path
        else:
            target.transform_type = "LOC_Z"
    driver.expression = expression
    return driver


def make_path():
    data = bpy.data.curves.new("Path", "CURVE")
    data.dimensions, data.use_path = "3D", True
    spline = data.splines.new("POLY")
    spline.points.add(2)
    for k, point in enumerate(spline.points):
        point.co = (k, 0.0, k * k, 1.0)
    path = bpy.data.objects.new("Path", data)
    bpy.context.scene.collection.objects.link(path)
    return path


def follow(path):
    rig, _ = make_rig()
    constraint = rig.constraints.new("FOLLOW_PATH")
    constraint.target, constraint.use_fixed_location, constraint.offset_factor = path, True, 0.6
    return constraint


# Edits: each makes a scene, waits, and changes something in it. --------------------------------------------------


def a_wall_with_a_collision_modifier_is_moved():
    wall = make_wall("NONE")
    wall.modifiers.new("Collision", "COLLISION")
    yield
    wall.location.z -= 0.2


def a_passive_body_becomes_rough():
    wall = make_wall("NONE")
    make_blenders(wall, kind="PASSIVE")
    yield
    wall.rigid_body.friction = 0.9


def a_rigid_body_becomes_heavy():
    wall = make_wall("NONE")
    make_blenders(wall)
    yield
    wall.rigid_body.mass = 9.0


def a_driver_reads_another_object():
    _, bone = make_rig()
    near, far = add_empty("Near", (0.0, 0.0, 0.3)), add_empty("Far", (0.0, 0.0, 0.9))
    driver = drive(bone, "rotation_euler", 0, near)
    yield
    driver.variables[0].targets[0].id = far


def what_a_driver_reads_is_moved():
    _, bone = make_rig()
    source = add_empty("Source", (0.0, 0.0, 0.3))
    drive(bone, "rotation_euler", 0, source)
    yield
    source.location.z = 1.0


def a_custom_property_that_drives_a_bone_changes():
    rig, bone = make_rig()
    rig["turn"] = 0.2
    drive(bone, "rotation_euler", 0, rig, '["turn"]')
    yield
    rig["turn"] = 0.9
    rig.update_tag()


def a_setting_of_the_scene_that_drives_a_bone_changes():
    _, bone = make_rig()
    drive(bone, "rotation_euler", 0, bpy.context.scene, "render.resolution_x", "value / 4000")
    yield
    bpy.context.scene.render.resolution_x = 3000


def noise_on_a_curve_becomes_stronger():
    rig, bone = make_rig()
    key(bone, "rotation_euler")
    noise = curves_of(rig)[0].modifiers.new("NOISE")
    yield
    noise.strength = 3.0


def a_strip_fades():
    rig, bone = make_rig()
    key(bone, "rotation_euler")
    data = rig.animation_data
    strip = data.nla_tracks.new().strips.new("Strip", 1, data.action)
    data.action = None
    yield
    strip.use_animated_influence = True
    strip.influence = 0.3
    strip.keyframe_insert("influence", frame=3)


def a_collider_becomes_round():
    modifier = make_wall().modifiers.new("Subdivision", "SUBSURF")
    modifier.levels = 1
    yield
    modifier.levels = 2


def with_nodes(wall, kind):
    """A node of one kind between the input and the output of a modifier's tree."""
    tree = bpy.data.node_groups.new("Nodes", "GeometryNodeTree")
    for name in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=name, socket_type="NodeSocketGeometry")
    ends = [tree.nodes.new(f"NodeGroup{name}") for name in ("Input", "Output")]
    node = tree.nodes.new(kind)
    tree.links.new(ends[0].outputs[0], node.inputs["Geometry"])
    tree.links.new(node.outputs["Geometry"], ends[1].inputs[0])
    wall.modifiers.new("Nodes", "NODES").node_group = tree
    return tree, node


def a_value_inside_the_nodes_of_a_collider_changes():
    _, node = with_nodes(make_wall(), "GeometryNodeTransform")
    yield
    node.inputs["Translation"].default_value = (0.0, 0.0, 0.3)


def the_nodes_of_a_collider_are_linked_otherwise():
    tree, node = with_nodes(make_wall(), "GeometryNodeTransform")
    node.inputs["Scale"].default_value = (2.0, 2.0, 2.0)
    yield
    ends = {other.bl_idname: other for other in tree.nodes}
    tree.links.new(ends["NodeGroupInput"].outputs[0], ends["NodeGroupOutput"].inputs[0])


def an_object_that_nodes_read_is_moved():
    tree, node = with_nodes(make_wall(), "GeometryNodeTransform")
    info = tree.nodes.new("GeometryNodeObjectInfo")
    info.inputs["Object"].default_value = add_empty("Goal", (0.0, 0.0, 0.1))
    tree.links.new(info.outputs["Location"], node.inputs["Translation"])
    yield
    bpy.data.objects["Goal"].location.z = 0.4


def what_the_nodes_of_a_collider_are_given_changes():
    wall = make_wall()
    tree, node = with_nodes(wall, "GeometryNodeTransform")
    given = tree.interface.new_socket("Height", in_out="INPUT", socket_type="NodeSocketVector").identifier
    start = next(other for other in tree.nodes if other.bl_idname == "NodeGroupInput")
    tree.links.new(start.outputs["Height"], node.inputs["Translation"])
    yield
    modifier = wall.modifiers["Nodes"]
    if hasattr(modifier, "properties"):
        getattr(modifier.properties.inputs, given).value = (0.0, 0.0, 0.3)
    else:
        modifier[given] = (0.0, 0.0, 0.3)
    wall.update_tag()


def a_shape_key_of_a_collider_is_turned_on():
    wall = make_wall()
    wall.shape_key_add(name="Basis")
    block = wall.shape_key_add(name="Higher")
    block.value = 0.0
    for point in block.data:
        point.co.z += 0.2
    yield
    block.value = 1.0


def a_path_that_carries_the_rig_is_bent():
    path = make_path()
    follow(path)
    yield
    path.data.splines[0].points[2].co = (2.0, 1.0, 0.0, 1.0)


def the_rig_goes_along_its_path():
    constraint = follow(make_path())
    yield
    constraint.offset_factor = 0.2


def a_bone_is_locked_for_ik():
    rig, _ = make_rig()
    for bone in rig.pose.bones:
        bone.redmax_control = "KEYFRAMED"
    rig.pose.bones["bone2"].constraints.new("IK").target = add_empty("Goal", (1.0, 0.3, 0.0))
    yield
    rig.pose.bones["bone0"].lock_ik_x = rig.pose.bones["bone0"].lock_ik_z = True


def the_pole_of_an_ik_chain_is_moved():
    rig, _ = make_rig()
    for bone in rig.pose.bones:
        bone.redmax_control = "KEYFRAMED"
    constraint = rig.pose.bones["bone2"].constraints.new("IK")
    constraint.target, constraint.pole_target = (
        add_empty("Goal", (0.9, 0.3, 0.0)),
        add_empty("Pole", (1, 0, 1)),
    )
    yield
    constraint.pole_target.location = (1.0, 1.0, -1.0)


def a_posed_channel_of_a_keyed_helper_changes():
    _, bone = make_rig()
    bone.redmax.physical = False
    key(bone, "location")
    yield
    bone.rotation_euler.x = 0.4


EDITS = (
    a_wall_with_a_collision_modifier_is_moved,
    a_passive_body_becomes_rough,
    a_rigid_body_becomes_heavy,
    a_driver_reads_another_object,
    what_a_driver_reads_is_moved,
    a_custom_property_that_drives_a_bone_changes,
    a_setting_of_the_scene_that_drives_a_bone_changes,
    noise_on_a_curve_becomes_stronger,
    a_strip_fades,
    a_collider_becomes_round,
    a_value_inside_the_nodes_of_a_collider_changes,
    the_nodes_of_a_collider_are_linked_otherwise,
    an_object_that_nodes_read_is_moved,
    what_the_nodes_of_a_collider_are_given_changes,
    a_shape_key_of_a_collider_is_turned_on,
    a_path_that_carries_the_rig_is_bent,
    the_rig_goes_along_its_path,
    a_bone_is_locked_for_ik,
    the_pole_of_an_ik_chain_is_moved,
    a_posed_channel_of_a_keyed_helper_changes,
)


def meant() -> bytes:
    """What a simulation would be given."""
    return encode_scene(read_for_export(bpy.context).scene)


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_what_changes_a_simulation_makes_its_cache_outdated(edit):
    steps = edit()
    next(steps)
    bpy.context.scene.frame_set(1)
    before, made_from = meant(), fingerprint(bpy.context.scene)
    assert next(steps, None) is None
    bpy.context.scene.frame_set(1)
    assert meant() != before
    assert fingerprint(bpy.context.scene) != made_from


# Playing ------------------------------------------------------------------------------------------------------


def a_keyed_influence():
    _, bone = make_rig()
    constraint = bone.constraints.new("COPY_ROTATION")
    constraint.target = add_empty("Goal", (1.0, 1.0, 0.0))
    key(constraint, "influence")


def a_driven_influence():
    _, bone = make_rig()
    constraint = bone.constraints.new("COPY_ROTATION")
    constraint.target = add_empty("Goal", (1.0, 1.0, 0.0))
    drive(constraint, "influence", -1, expression="frame / 8")


def a_driven_bone():
    drive(make_rig()[1], "rotation_euler", 0, expression="frame / 8")


def a_driven_helper():
    _, bone = make_rig()
    bone.redmax.physical = False
    drive(bone, "rotation_euler", 0, expression="frame / 8")


def a_driven_collider():
    drive(make_wall(), "location", 2, expression="frame / 8 - 1")


def keyed_gravity():
    make_rig()
    key(bpy.context.scene, "gravity")


def a_path_followed_by_keys():
    key(follow(make_path()), "offset_factor")


def a_keyed_shape():
    wall = make_wall()
    wall.shape_key_add(name="Basis")
    key(wall.shape_key_add(name="Higher"), "value")


def a_keyed_body_target():
    box = add_box("Box", (0.0, 0.0, 0.0))
    box.redmax.body.target = add_empty("Goal", (0.0, 0.0, 1.0))
    key(box.redmax.body, "follow")
    set_range(1, 8, 2)


def a_keyed_motor():
    boxes = [add_box(f"Box{k}", (1.2 * k, 0.0, 0.0)) for k in range(2)]
    joint = add_joint("Hinge", "HINGE", *boxes, at=(0.6, 0.0, 0.0)).redmax.joint
    joint.use_motor, joint.motor_kind = True, "KEYED"
    key(joint, "motor_angle")
    set_range(1, 8, 2)


PLAYED = (
    a_keyed_influence,
    a_driven_influence,
    a_driven_bone,
    a_driven_helper,
    a_driven_collider,
    keyed_gravity,
    a_path_followed_by_keys,
    a_keyed_shape,
    a_keyed_body_target,
    a_keyed_motor,
)


@pytest.mark.parametrize("make", PLAYED, ids=lambda make: make.__name__)
def test_what_differs_from_frame_to_frame_is_not_outdated(make):
    make()
    scene = bpy.context.scene
    simulate_scene(bpy.context)
    for frame in (1, 3, 8, 11):
        scene.frame_set(frame)
        assert cache.is_current(scene), frame
    bpy.ops.redmax.free_cache()


def test_a_body_that_is_anchored_after_a_run_is_where_it_started():
    """It shows its recording until the next run, which must not read it there, nor be outdated when it is back."""
    box, other = add_box("Box", (0.0, 0.0, 2.0)), add_box("Other", (3.0, 0.0, 2.0))
    set_range(1, 8, 2)
    simulate_scene(bpy.context)
    bpy.context.scene.frame_set(8)
    assert box.location.z < 1.9
    box.redmax.body.role, box.redmax.surface.collide = "ANCHORED", True
    simulation = Simulation(bpy.context)
    (collider,) = simulation.reading.scene.colliders
    assert collider.pose.position == pytest.approx((0.0, 0.0, 2.0))
    simulate_scene(bpy.context)
    assert box.location.z == pytest.approx(2.0)
    assert other.redmax.result and cache.is_current(bpy.context.scene)


def test_a_bone_that_is_left_out_of_the_next_run_goes_back_to_where_it_started():
    """Nothing shows it any more: it must not stay in the pose of the last recording."""
    rig, bone = make_rig()
    bone.redmax_control = "FREE"
    last = rig.pose.bones["bone2"]
    before = last.matrix_basis.copy()
    simulate_scene(bpy.context)
    bpy.context.scene.frame_set(8)
    assert np.abs(np.array(last.matrix_basis) - np.array(before)).max() > 1e-3
    last.redmax.physical = False
    simulate_scene(bpy.context)
    assert np.array(last.matrix_basis) == pytest.approx(np.array(before), abs=1e-6)
    assert cache.is_current(bpy.context.scene)
