"""Limits that Make Physical gives the joints of a person: where a knee or an elbow goes, and where it stops."""

from math import radians

import bpy
import numpy as np
import pytest
from blender_fixtures import make_armature

from redmax_blender.bridge.rig.anatomy.freedoms import body_of, freedoms_of
from redmax_blender.bridge.rig.anatomy.names import part_of
from redmax_blender.bridge.rig.joint_rules import Freedom
from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.rig.rig import physical_parents
from redmax_blender.examples.shots.human_rig import BONES, add_human, from_table

LEFT, FRONT, UP = np.eye(3) * ((1.0,), (-1.0,), (1.0,))
BENDS = {
    "forearm": (FRONT, -22.0, 120.0, 145.0),
    "shin": (-FRONT, -12.0, 125.0, 145.0),
    "thigh": (FRONT, -25.0, 100.0, 125.0),
    "spine.001": (FRONT, -11.0, 24.0, 26.0),
}
"""A direction; furthest that a bone turns away from it [°]; and least and furthest that it turns towards it.

From the rest pose, in which elbows are bent by 21° and knees by 10°."""


@pytest.fixture
def person() -> bpy.types.Object:
    return add_human(bpy.context.scene, 1.75)


def freedoms(obj: bpy.types.Object) -> dict[str, Freedom]:
    for bone in obj.pose.bones:
        bone.redmax.physical = True
    bones, carriers = list(obj.pose.bones), physical_parents(obj)
    body = body_of(bones, carriers)
    return {} if body is None else freedoms_of(body, bones, carriers)


def turned(obj: bpy.types.Object, name: str, axis: int, angle: float) -> np.ndarray:
    """Where a bone points when it alone is turned about one of its own axes."""
    bone = obj.pose.bones[name]
    bone.rotation_mode = "XYZ"
    bone.rotation_euler[axis] = angle
    bpy.context.view_layer.update()
    found = np.array(bone.vector.normalized())
    bone.rotation_euler[axis] = 0.0
    return found


def ends(obj: bpy.types.Object, name: str, freedom: Freedom, towards: np.ndarray) -> tuple[float, float]:
    """How far a bone turns away from a direction and towards it, about the axis that turns it there [°]."""
    bone = obj.data.bones[name]
    rest = np.array((bone.tail_local - bone.head_local).normalized())
    about = np.array(bone.matrix_local.to_3x3()).T @ np.cross(rest, towards)
    axis = int(np.argmax(np.abs(about * freedom.free)))
    small = turned(obj, name, axis, 0.05) - rest
    low, high = np.degrees((freedom.low[axis], freedom.high[axis]))
    return (low, high) if small @ towards > 0.0 else (-high, -low)


@pytest.mark.parametrize("side", ["L", "R"])
@pytest.mark.parametrize("part", BENDS)
def test_limbs_bend_the_way_that_those_of_people_do(person, part, side):
    towards, away, least, most = BENDS[part]
    name = part if part.startswith("spine") else f"{part}.{side}"
    back, forth = ends(person, name, freedoms(person)[name], towards)
    assert away <= back <= 0.0
    assert least <= forth <= most


def test_elbows_and_knees_are_hinges_and_what_has_no_joint_is_held(person):
    make_physical(person, bpy.context.scene, Choices(root="FREE"))
    kinds = {bone.name: bone.redmax.joint for bone in person.pose.bones}
    assert {kinds[f"{part}.{side}"] for part in ("forearm", "shin", "toe") for side in "LR"} == {"REVOLUTE"}
    assert {kinds[f"{part}.{side}"] for part in ("thigh", "upper_arm", "hand") for side in "LR"} == {
        "SPHERICAL"
    }
    assert {kinds[f"{part}.L"] for part in ("heel.02", "palm.01", "breast", "pelvis")} == {"FIXED"}
    assert kinds["spine"] == "FREE"


def test_the_two_sides_have_the_same_ranges(person):
    found = freedoms(person)
    for name, left in found.items():
        if not name.endswith(".L"):
            continue
        right = found[name[:-1] + "R"]
        assert left.free == right.free
        for k in range(3):
            pair = (right.low[k], right.high[k])
            mirrored = [pair, (-pair[1], -pair[0])]
            assert any(np.allclose((left.low[k], left.high[k]), p, atol=0.03) for p in mirrored), name


def test_what_the_rig_itself_says_comes_first(person):
    shin = person.pose.bones["shin.L"]
    shin.use_ik_limit_x, shin.ik_min_x, shin.ik_max_x = True, radians(-10.0), radians(20.0)
    make_physical(person, bpy.context.scene)
    assert shin.redmax.joint == "SPHERICAL"  # as its IK limits leave it
    assert person.pose.bones["shin.R"].redmax.joint == "REVOLUTE"


def test_without_the_choice_joints_are_as_free_as_the_rig_says(person):
    make_physical(person, bpy.context.scene, Choices(human_limits=False))
    assert person.pose.bones["shin.L"].redmax.joint == "SPHERICAL"
    assert not any(person.pose.bones["shin.L"].redmax.use_limits)


def test_a_rig_that_is_no_person_has_no_human_joints():
    dog = make_armature(
        [
            ("spine", None, (0, 0, 1.0), (0, -0.5, 1.0)),
            ("thigh.L", "spine", (0.1, 0, 1.0), (0.1, 0, 0.5)),
            ("thigh.R", "spine", (-0.1, 0, 1.0), (-0.1, 0, 0.5)),
            ("upper_arm.L", "spine", (0.1, -0.5, 1.0), (0.1, -0.5, 0.5)),
            ("upper_arm.R", "spine", (-0.1, -0.5, 1.0), (-0.1, -0.5, 0.5)),
        ]
    )
    assert freedoms(dog) == {}
    tail = make_armature(
        [("tail.1", None, (0, 0, 1.0), (0, 0, 0.8)), ("tail.2", "tail.1", (0, 0, 0.8), (0, 0, 0.6))]
    )
    assert freedoms(tail) == {}


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("forearm.L", "forearm"),
        ("DEF-forearm.R", "forearm"),
        ("mixamorig:LeftForeArm", "forearm"),
        ("mixamorig:RightUpLeg", "thigh"),
        ("mixamorig:LeftLeg", "shin"),
        ("J_Bip_L_UpperArm", "upper arm"),
        ("clavicle_r", "shoulder"),
        ("f_index.02.L", "finger"),
        ("LeftHandThumb1", "thumb"),
        ("Hat", None),
        ("skirt.003", None),
    ],
)
def test_names_say_what_a_bone_is(name, part):
    assert part_of(name) == part


def test_the_table_is_the_metarig():
    """Where Rigify is off, the person has the same bones."""
    bpy.ops.preferences.addon_enable(module="rigify")
    made, own = add_human(bpy.context.scene, 1.98), from_table(bpy.context.scene)
    assert {bone.name for bone in made.data.bones} == {bone.name for bone in own.data.bones}
    assert len(BONES) < len(own.data.bones)  # of pairs it has the left one
    for bone in made.data.bones:
        mine = own.data.bones[bone.name]
        np.testing.assert_allclose(mine.head_local, bone.head_local, atol=2e-3)
        np.testing.assert_allclose(mine.matrix_local.to_3x3(), bone.matrix_local.to_3x3(), atol=0.03)
        assert (mine.parent and mine.parent.name) == (bone.parent and bone.parent.name)
