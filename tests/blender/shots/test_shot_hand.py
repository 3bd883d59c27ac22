"""The Hand in Blender: keyed elbow, fingertips on empties, coupled bones, friction that one can change."""

import bpy
import numpy as np
import pytest
from blender_fixtures import make_chain, set_range, snapshot

from redmax_blender.bridge.read.coupling import read_couplings
from redmax_blender.bridge.read.scene import read_scene
from redmax_blender.bridge.rig.make_physical import make_physical
from redmax_blender.bridge.run.simulate_scene import simulate_scene
from redmax_blender.engine.errors import SceneError
from redmax_blender.engine.scene import Term
from redmax_blender.engine.shots import hand as shot
from redmax_blender.examples.shots.hand_rig import build_hand, check_hand

FRAMES = 6


def simulated(friction: float):
    scene = bpy.context.scene
    rig = build_hand(scene, shot.Hand(friction=friction), soft=False)
    scene.redmax.frame_end = scene.redmax.frame_start + FRAMES - 1
    outcome = simulate_scene(bpy.context)
    assert outcome.recording.frame_count == FRAMES
    return rig


def test_the_simulated_hand_does_as_it_is_told():
    rig = simulated(0.3)
    check_hand(bpy.context.scene, rig, FRAMES)
    check_hand(bpy.context.scene, rig, FRAMES, gap=2e-6)
    bpy.context.scene.frame_set(FRAMES)
    elbow = rig.armature.pose.bones["forearm"]
    action = rig.armature.animation_data.action
    assert action is not None
    assert elbow.rotation_euler.x == pytest.approx(
        shot.pose(np.array([(FRAMES - 1) / 24.0]))["forearm"][0, 0], abs=0.01
    )


def test_the_check_sees_a_fingertip_off_its_empty():
    rig = simulated(0.0)
    rig.leads[2].delta_location.x = 0.001
    with pytest.raises(AssertionError, match=r"ring\.3"):
        check_hand(bpy.context.scene, rig, FRAMES)


def test_the_rig_is_read_as_the_shot_says():
    scene = bpy.context.scene
    rig = build_hand(scene, soft=False)
    read = read_scene(bpy.context, [rig.armature]).scene
    wanted = shot.spec()
    assert {body.name for body in read.bodies} == {f"Hand/{body.name}" for body in wanted.bodies}
    by_name = {body.name: body for body in read.bodies}
    for body in wanted.bodies:
        mine = by_name[f"Hand/{body.name}"].joint
        assert type(mine.type) is type(body.joint.type)
        if body.joint.friction is None:
            assert mine.friction is None
        else:
            assert mine.friction.coefficient == pytest.approx(body.joint.friction.coefficient)
            assert mine.friction.radius == pytest.approx(body.joint.friction.radius, rel=1e-5)
    assert len(read.constraints) == len(wanted.constraints) == 5
    assert len(read.couplings) == len(wanted.couplings) == 4
    for mine, theirs in zip(read.constraints, wanted.constraints):
        for a, b in zip(mine.path, theirs.path):
            start = a.values[0] if hasattr(a, "values") else a.value
            assert start == pytest.approx(b.values[0], abs=1e-6)


def test_a_soft_skin_changes_nothing_of_what_the_hand_was_told():
    scene = bpy.context.scene
    rig = build_hand(scene, shot.Hand(friction=0.0))
    assert rig.skin.redmax.flesh.soft
    scene.redmax.frame_end = scene.redmax.frame_start + 2
    recording = simulate_scene(bpy.context).recording
    assert recording.meshes[rig.skin.name].shape == (3, len(rig.skin.data.vertices), 3)
    check_hand(scene, rig, 3)


def test_the_operator_adds_the_hand():
    assert bpy.ops.redmax.add_shot(shot="hand") == {"FINISHED"}
    assert sorted(obj.name for obj in bpy.data.objects if obj.name.startswith("Lead")) == [
        "Lead index", "Lead little", "Lead middle", "Lead ring", "Lead thumb",
    ]  # fmt: skip


# Coupled bones ------------------------------------------------------------------------------------------------


def hinges(count: int = 4) -> bpy.types.Object:
    obj = make_chain(count)
    make_physical(obj, bpy.context.scene)
    for bone in obj.pose.bones:
        bone.redmax.joint = "REVOLUTE"
    return obj


def couple(obj: bpy.types.Object, bone: str, to: str, ratio: float = 1.0) -> None:
    settings = obj.pose.bones[bone].redmax.coupling
    settings.bone, settings.ratio = to, ratio


def test_couplings_are_followed_to_their_end():
    obj = hinges()
    couple(obj, "bone3", "bone2", -1.5)
    couple(obj, "bone2", "bone1", 2.0)
    (coupling,) = read_couplings(obj)
    assert coupling.terms == [Term("Rig/bone1", 1.0), Term("Rig/bone2", 2.0), Term("Rig/bone3", -3.0)]


def test_coupled_bones_turn_together():
    obj = hinges()
    couple(obj, "bone2", "bone1", 0.5)
    set_range(1, 8)
    simulate_scene(bpy.context)
    for bone in ("bone1", "bone2"):
        obj.pose.bones[bone].rotation_mode = "XYZ"
    angles = []
    for frame in range(1, 9):
        bpy.context.scene.frame_set(frame)
        angles.append([obj.pose.bones[bone].rotation_euler.x for bone in ("bone1", "bone2")])
    moved = np.array(angles) - angles[0]
    assert np.abs(moved[:, 0]).max() > 0.01
    assert moved[:, 1] == pytest.approx(0.5 * moved[:, 0], abs=1e-5)


@pytest.mark.parametrize(
    ("spoil", "match"),
    [
        (lambda obj: couple(obj, "bone1", "nobody"), "no physical bone 'nobody'"),
        (lambda obj: couple(obj, "bone1", "bone1"), "circle"),
        (lambda obj: [couple(obj, "bone1", "bone2"), couple(obj, "bone2", "bone1")], "circle"),
        (lambda obj: couple(obj, "bone1", "bone2", 0.0), "ratio is zero"),
        (lambda obj: setattr(obj.pose.bones["bone2"].redmax, "joint", "SPHERICAL"), "spherical"),
        (lambda obj: setattr(obj.pose.bones["bone2"], "redmax_control", "KEYFRAMED"), "keyframed"),
        (lambda obj: setattr(obj.pose.bones["bone2"].redmax, "physical", False), "no physical bone 'bone2'"),
    ],
)
def test_impossible_couplings_are_told_and_nothing_changes(spoil, match):
    obj = hinges()
    couple(obj, "bone1", "bone2")
    set_range(1, 8)
    spoil(obj)
    before = snapshot()
    with pytest.raises(SceneError, match=match):
        simulate_scene(bpy.context)
    assert snapshot() == before


def test_a_coupling_is_not_copied_to_other_bones():
    from redmax_blender.bridge.rig.copy_settings import copy_settings

    obj = hinges()
    couple(obj, "bone1", "bone2")
    copy_settings(obj.pose.bones["bone1"], [obj.pose.bones["bone2"]])
    assert obj.pose.bones["bone2"].redmax.coupling.bone == ""
