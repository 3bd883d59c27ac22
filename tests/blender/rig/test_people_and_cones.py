"""People without a skin weigh as people do; joints of which nothing is known turn within cones; hair is no face."""

import bpy
import numpy as np
import pytest
from blender_fixtures import Bone, make_armature
from test_ragdoll_button import leg

from redmax_blender.bridge.rig.make_physical import Choices, bone_mass, make_physical


def person(scale: float = 1.0) -> bpy.types.Object:
    """Bones of a person of 1.75 m, as few as tell it."""
    bones: list[Bone] = [
        ("hips", None, (0, 0, 0.95), (0, 0, 1.15)),
        ("chest", "hips", (0, 0, 1.15), (0, 0, 1.45)),
        ("neck", "chest", (0, 0, 1.45), (0, 0, 1.55)),
        ("head", "neck", (0, 0, 1.55), (0, 0, 1.75)),
    ]
    for side, s in (("L", 1), ("R", -1)):
        bones += [
            (f"upper_arm.{side}", "chest", (0.2 * s, 0, 1.42), (0.48 * s, 0, 1.42)),
            (f"forearm.{side}", f"upper_arm.{side}", (0.48 * s, 0, 1.42), (0.74 * s, -0.01, 1.42)),
            (f"hand.{side}", f"forearm.{side}", (0.74 * s, -0.01, 1.42), (0.92 * s, -0.01, 1.42)),
            (f"thigh.{side}", "hips", (0.1 * s, 0, 0.92), (0.1 * s, -0.01, 0.5)),
            (f"shin.{side}", f"thigh.{side}", (0.1 * s, -0.01, 0.5), (0.1 * s, 0, 0.08)),
            (f"foot.{side}", f"shin.{side}", (0.1 * s, 0, 0.08), (0.1 * s, -0.15, 0.0)),
        ]
    scaled = [(n, p, tuple(scale * x for x in a), tuple(scale * x for x in b)) for n, p, a, b in bones]
    return make_armature(scaled, connect=False)


@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_a_person_without_a_skin_weighs_75_kg_and_others_by_their_size(scale):
    obj = person(scale)
    make_physical(obj, bpy.context.scene)
    mass = {bone.name: bone_mass(bone, 1.0) for bone in obj.pose.bones}
    whole = sum(mass.values())
    assert whole == pytest.approx(75.0 * scale**3, rel=1e-4)
    assert mass["hips"] + mass["chest"] == pytest.approx(0.43 * whole, rel=0.02)
    assert mass["head"] + mass["neck"] == pytest.approx(0.068 * whole, rel=0.02)
    assert mass["thigh.L"] == pytest.approx(mass["thigh.R"]) == pytest.approx(0.145 * whole, rel=0.02)
    assert mass["foot.R"] == pytest.approx(0.013 * whole, rel=0.02)
    radius = {bone.name: bone.redmax.radius / scale for bone in obj.pose.bones}
    assert 0.08 < radius["thigh.L"] < 0.11
    assert 0.035 < radius["forearm.R"] < 0.06
    assert 0.1 < radius["chest"] < 0.17


def test_a_ragdolls_joints_turn_within_cones_where_nothing_says_how_far():
    obj = leg()
    make_physical(obj, bpy.context.scene)
    assert not any(obj.pose.bones["shin"].redmax.use_limits)
    bpy.ops.redmax.ragdoll()
    shin = obj.pose.bones["shin"].redmax
    assert all(shin.use_limits)
    along = int(np.argmax(np.abs(np.array(shin.direction))))
    others = [shin.limits_max[k] for k in range(3) if k != along]
    assert shin.limits_max[along] < min(others) < 1.0
    assert list(shin.limits_min) == pytest.approx([-high for high in shin.limits_max])


def face(hair: bool) -> bpy.types.Object:
    bones: list[Bone] = [("spine", None, (0, 0, 1), (0, 0, 1.5)), ("head", "spine", (0, 0, 1.5), (0, 0, 1.8))]
    for i in range(21):
        x = 0.008 * (i - 10)
        bones.append((f"feature{i}", "head", (x, -0.1, 1.6), (x, -0.12, 1.6)))
    if hair:
        for i in range(4):
            x = 0.02 * i
            for k in range(4):
                above = "head" if k == 0 else f"hair{i}.{k - 1}"
                bones.append((f"hair{i}.{k}", above, (x, 0.1, 1.65 - 0.05 * k), (x, 0.1, 1.6 - 0.05 * k)))
    return make_armature(bones, connect=False)


@pytest.mark.parametrize("hair", [False, True])
def test_hair_on_a_head_moves_and_the_face_below_it_is_held(hair):
    obj = face(hair)
    make_physical(obj, bpy.context.scene, Choices(root="FREE"))
    joints = {bone.name: bone.redmax.joint for bone in obj.pose.bones}
    assert {kind for name, kind in joints.items() if name.startswith("feature")} == {"FIXED"}
    assert {kind for name, kind in joints.items() if name.startswith("hair")} == (
        {"SPHERICAL"} if hair else set()
    )


def test_a_head_without_a_skin_is_as_long_as_its_bone_whatever_hangs_on_it():
    obj = face(hair=True)
    make_physical(obj, bpy.context.scene)
    assert obj.pose.bones["head"].redmax.use_bone_length
