"""Colliders: what is solid, where, and how it moves."""

import bpy
import numpy as np
import pytest
from blender_fixtures import make_armature, make_chain, set_range
from flesh_fixtures import soft_suzanne
from mechanism_fixtures import add_box, add_empty, add_joint, make_blenders

from redmax_blender.bridge.mechanism.add_ground import add_ground
from redmax_blender.bridge.read.scene import read_scene
from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.rig.rig import physical_armatures
from redmax_blender.bridge.run.simulate_scene import simulate_scene
from redmax_blender.engine.compile.poses import pose_parts
from redmax_blender.engine.errors import SceneError
from redmax_blender.engine.scene import spec


def read():
    bpy.context.view_layer.update()
    return read_scene(bpy.context, physical_armatures(bpy.context.scene))


def colliders():
    return {collider.name: collider for collider in read().scene.colliders}


def falling_box():
    box = add_box("box", (0.0, 0.0, 3.0))
    box.redmax.surface.collide = True
    return box


def add_plane(name="plane", at=(0.0, 0.0, 0.0), size=4.0):
    plane = add_box(name, at, role="NONE")
    mesh = bpy.data.meshes.new(name)
    half = 0.5 * size
    mesh.from_pydata(
        [(-half, -half, 0), (half, -half, 0), (half, half, 0), (-half, half, 0)], [], [(0, 1, 2, 3)]
    )
    plane.data = mesh
    return plane


def test_nothing_is_solid_unless_the_user_says_so():
    falling_box()
    add_plane()
    assert colliders() == {}


def test_ground_is_a_plane_with_the_objects_z_axis_as_normal():
    falling_box()
    ground = add_empty("ground", (0.0, 0.0, -1.0), (0.3, 0.0, 0.0))
    ground.redmax.collider.role = "GROUND"
    ground.scale = (-2.0, 3.0, 4.0)
    found = colliders()["ground"]
    assert isinstance(found.shape, spec.Plane)
    R, p = pose_parts(found.pose, "ground")
    assert R[:, 2] == pytest.approx([0.0, -np.sin(0.3), np.cos(0.3)], abs=1e-6)
    assert p == pytest.approx([0.0, 0.0, -1.0])
    assert np.linalg.det(R) == pytest.approx(1.0)


def test_add_ground_makes_an_object_that_is_solid():
    falling_box()
    bpy.context.scene.cursor.location.z = -0.5
    assert bpy.ops.redmax.add_ground() == {"FINISHED"}
    found = colliders()["Ground"]
    assert isinstance(found.shape, spec.Plane)
    assert found.pose.position == pytest.approx((0.0, 0.0, -0.5))


@pytest.mark.parametrize("way", ["marked", "modifier", "passive"])
def test_an_open_mesh_collides_with_all_its_triangles(way):
    falling_box()
    plane = add_plane(at=(0.0, 0.0, 0.25))
    if way == "marked":
        plane.redmax.collider.role = "COLLIDER"
    elif way == "modifier":
        plane.modifiers.new("Collision", "COLLISION")
    else:
        make_blenders(plane, kind="PASSIVE", shape="MESH")
    (found,) = colliders().values()
    assert isinstance(found.shape, spec.Mesh)
    assert len(found.shape.triangles) == 2
    R, p = pose_parts(found.pose, "plane")
    world = np.array(found.shape.vertices) @ R.T + p
    assert np.ptp(world[:, :2], axis=0) == pytest.approx([4.0, 4.0])
    assert world[:, 2] == pytest.approx(0.25)


@pytest.mark.parametrize(
    "shape, kind",
    [("BOX", spec.Cuboid), ("SPHERE", spec.Sphere), ("CYLINDER", spec.Cylinder), ("CONVEX_HULL", spec.Hull)],
)
def test_a_collider_has_the_shape_that_was_chosen(shape, kind):
    falling_box()
    stone = add_box("stone", (1.0, 0.0, 0.0), (1.0, 2.0, 0.5), role="NONE")
    stone.redmax.collider.role, stone.redmax.collider.shape = "COLLIDER", shape
    assert isinstance(colliders()["stone"].shape, kind)


def test_friction_bounciness_and_group_of_a_collider_are_read():
    falling_box()
    plane = add_plane()
    plane.redmax.collider.role = "COLLIDER"
    surface = plane.redmax.surface
    surface.friction, surface.restitution, surface.group = 0.9, 0.2, "stairs"
    found = colliders()["plane"]
    assert (found.friction, found.restitution) == pytest.approx((0.9, 0.2))
    assert found.groups == ["stairs"]
    assert ("stairs", "stairs") in read().scene.self_collision.ignore


def test_colliders_are_copied_to_selected_objects():
    stairs = [add_plane(f"stair{i}", (0.0, 0.0, float(i))) for i in range(3)]
    stairs[0].redmax.collider.role, stairs[0].redmax.surface.friction = "COLLIDER", 0.9
    for stair in stairs:
        stair.select_set(True)
    bpy.context.view_layer.objects.active = stairs[0]
    assert bpy.ops.redmax.copy_part(part="collider") == {"FINISHED"}
    assert [stair.redmax.collider.role for stair in stairs] == ["COLLIDER"] * 3
    assert [stair.redmax.surface.friction for stair in stairs] == pytest.approx([0.9] * 3)


def test_an_animated_collider_is_where_blender_shows_it_at_every_frame():
    falling_box()
    settings = bpy.context.scene.redmax
    settings.frame_start, settings.frame_end = 1, 20
    plane = add_plane()
    plane.redmax.collider.role = "COLLIDER"
    for frame, height, angle in ((1, 0.0, 0.0), (20, 1.0, 2.5)):
        plane.location.z, plane.rotation_euler.x = height, angle
        plane.keyframe_insert("location", frame=frame)
        plane.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(1)
    found = colliders()["plane"]
    assert len(found.motion) == 6
    for frame in (1, 7, 20):
        bpy.context.scene.frame_set(frame)
        shown = plane.matrix_world
        assert found.motion[2].values[frame - 1] == pytest.approx(shown.translation.z, abs=1e-6)
        assert found.motion[3].values[frame - 1] == pytest.approx(shown.to_euler().x, abs=1e-5)
    assert found.motion[2].times[-1] == pytest.approx(19.0 / 24.0)


def test_a_collider_that_stands_still_has_a_pose_and_no_curves():
    falling_box()
    plane = add_plane(at=(0.0, 0.0, -2.0))
    plane.redmax.collider.role = "COLLIDER"
    found = colliders()["plane"]
    assert found.motion == []
    assert found.pose.position == pytest.approx((0.0, 0.0, -2.0))


def test_an_anchored_body_collides_when_it_shall_and_not_with_what_hangs_on_it():
    wall = add_box("wall", (0.0, 0.0, 0.0), role="ANCHORED")
    box = falling_box()
    assert colliders() == {}
    wall.redmax.surface.collide = True
    assert list(colliders()) == ["wall (collider)"]
    add_joint("hinge", "HINGE", wall, box, (0.0, 0.0, 1.0))
    assert ("box", "wall (collider)") in read().scene.self_collision.ignore


def test_the_skin_of_a_simulated_armature_is_left_out_and_told():
    obj = make_chain(2)
    make_physical(obj, bpy.context.scene)
    skin = add_plane("skin")
    skin.modifiers.new("Armature", "ARMATURE").object = obj
    skin.modifiers.new("Collision", "COLLISION")
    reading = read()
    assert reading.scene.colliders == []
    assert any("'skin'" in warning for warning in reading.warnings)


def test_a_collider_without_faces_is_named():
    falling_box()
    plane = add_plane()
    plane.data = bpy.data.meshes.new("points")
    plane.data.from_pydata([(0, 0, 0), (1, 0, 0)], [(0, 1)], [])
    plane.redmax.collider.role = "COLLIDER"
    with pytest.raises(SceneError, match=r"'plane'.*without faces"):
        read()


def test_flesh_collides_when_it_shall_but_not_with_the_bones_inside_it():
    suzanne, _ = soft_suzanne()
    add_ground(bpy.context.scene, bpy.context.scene.collection, height=-2.0)
    assert read().scene.flesh[0].surface is None
    suzanne.redmax.surface.collide, suzanne.redmax.surface.friction = True, 0.7
    suzanne.modifiers.new("Collision", "COLLISION")  # says nothing about something soft
    found = read().scene
    assert found.flesh[0].surface.friction == pytest.approx(0.7)
    assert [collider.name for collider in found.colliders] == ["Ground"]
    for attachment in found.flesh[0].attachments:
        assert ("Suzanne", attachment.body) in found.self_collision.ignore


def test_a_bone_falls_on_the_ground_and_stays_there():
    bones = [("bone", None, (0.0, 0.0, 0.4), (0.5, 0.0, 0.4))]
    obj = make_armature(bones)
    make_physical(obj, bpy.context.scene, Choices(root="FREE"))
    obj.pose.bones["bone"].redmax.radius = 0.1
    add_ground(bpy.context.scene, bpy.context.scene.collection)
    set_range(1, 24, substeps=20)
    simulate_scene(bpy.context)
    bpy.context.scene.frame_set(24)
    head = obj.matrix_world @ obj.pose.bones["bone"].head
    assert head.z == pytest.approx(0.1, abs=2e-3)
