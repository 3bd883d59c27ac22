"""Smooth tubes: which chains of bones and objects collide with themselves as one."""

import bpy
import pytest
from blender_fixtures import make_chain
from mechanism_fixtures import ABOUT_Y, add_box, add_joint

from redmax_blender.bridge.mechanism.import_scene import add_scene
from redmax_blender.bridge.read.scene import Reading, read_scene
from redmax_blender.bridge.read.tubes import chains
from redmax_blender.bridge.rig.make_physical import make_physical
from redmax_blender.bridge.rig.rig import physical_armatures
from redmax_blender.engine.scene import (
    BodySpec,
    Capsule,
    JointSpec,
    Pose,
    Revolute,
    SceneSpec,
    TimeSpec,
    Tube,
)


def read() -> Reading:
    bpy.context.view_layer.update()
    return read_scene(bpy.context, physical_armatures(bpy.context.scene))


def tail(count: int = 4) -> bpy.types.Object:
    """A chain of bones that is to be a tube."""
    obj = make_chain(count)
    make_physical(obj, bpy.context.scene)
    obj.redmax.self_collision = True
    for bone in obj.pose.bones:
        bone.redmax.surface.collide = bone.redmax.surface.tube = True
    return obj


@pytest.mark.parametrize(
    ("parents", "expected"),
    [
        ({"a": None, "b": "a", "c": "b"}, [["a", "b", "c"]]),
        ({"b": "not a tube", "c": "b"}, [["b", "c"]]),
        ({"a": None, "left": "a", "right": "a", "end": "right"}, [["a", "left"], ["right", "end"]]),
        ({"c": "b", "b": "a", "a": None}, [["a", "b", "c"]]),
        ({}, []),
    ],
)
def test_chains_follow_what_carries_what(parents, expected):
    assert chains(parents) == expected


def test_bones_are_a_tube_of_their_own_radii():
    obj = tail()
    for i, bone in enumerate(obj.pose.bones):
        bone.redmax.radius, bone.redmax.surface.margin = 0.05 + 0.01 * i, 0.002
    surface = obj.pose.bones[0].redmax.surface
    surface.friction, surface.restitution = 0.3, 0.2
    (tube,) = read().scene.tubes
    assert tube.bodies == [f"Rig/bone{i}" for i in range(4)]
    assert tube.radius == pytest.approx([0.052 + 0.01 * i for i in range(4)])
    assert (tube.friction, tube.restitution) == pytest.approx((0.3, 0.2))


def test_an_armature_that_does_not_collide_with_itself_has_no_tubes():
    tail().redmax.self_collision = False
    assert not read().scene.tubes


def test_a_bone_that_does_not_collide_ends_a_tube():
    obj = tail(5)
    obj.pose.bones["bone2"].redmax.surface.collide = False
    assert [tube.bodies for tube in read().scene.tubes] == [
        ["Rig/bone0", "Rig/bone1"],
        ["Rig/bone3", "Rig/bone4"],
    ]


def test_a_lonely_bone_is_no_tube_and_the_user_is_told():
    obj = tail()
    for bone in obj.pose.bones:
        bone.redmax.surface.tube = bone.name == "bone1"
    reading = read()
    assert not reading.scene.tubes
    assert any("Rig/bone1" in warning for warning in reading.warnings)


def test_objects_on_hinges_are_a_tube():
    """A box is as thick as its two shorter sides are on average."""
    boxes = [add_box(f"box{i}", (float(i), 0.0, 0.0), (0.8, 0.2, 0.3)) for i in range(3)]
    for a, b in zip([None, *boxes], boxes):
        add_joint(f"{b.name} hinge", "HINGE", a, b, (b.location.x - 0.5, 0.0, 0.0), ABOUT_Y)
        b.redmax.surface.collide = b.redmax.surface.tube = True
    (tube,) = read().scene.tubes
    assert tube.bodies == ["box0", "box1", "box2"]
    assert tube.radius == pytest.approx([0.125] * 3)


def test_copy_to_selected_makes_a_tube_of_many_bones():
    obj = tail()
    for bone in obj.pose.bones:
        bone.redmax.surface.tube = bone.name == "bone0"
        (bone if hasattr(bone, "select") else bone.bone).select = True
    obj.data.bones.active = obj.data.bones["bone0"]
    assert bpy.ops.redmax.copy_part(part="surface") == {"FINISHED"}
    assert len(read().scene.tubes[0].bodies) == 4


def test_a_tube_of_a_scene_file_comes_back():
    names = ["worm", "middle", "end"]  # not in alphabetical order
    bodies = [
        BodySpec(
            name=name,
            parent=parent,
            shape=Capsule(0.03, 0.2),
            joint=JointSpec(type=Revolute((0.0, 1.0, 0.0)), frame=Pose((0.0, 0.0, 0.2))),
            pose=Pose((0.0, 0.0, 0.1)),
        )
        for parent, name in zip([None, *names], names)
    ]
    skin = Tube(name="skin", bodies=names, radius=0.04, friction=0.1)
    add_scene(bpy.context.scene, SceneSpec(bodies=bodies, tubes=[skin], time=TimeSpec(end=0.1)))
    (tube,) = read().scene.tubes
    assert tube.bodies == names
    assert tube.radius == pytest.approx([0.04] * 3, rel=2e-3)  # measured on a mesh, which has corners
    assert tube.friction == pytest.approx(0.1)
