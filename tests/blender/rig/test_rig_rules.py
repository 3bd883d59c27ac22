"""Rigs as they are: which bones are limbs, which are held, which are left out, and overruling that."""

import time

import bpy
import numpy as np
import pytest
from blender_fixtures import distance_from_cache, make_armature, set_range, snapshot

from redmax_blender.bridge.rig.decide import decide, decide_all
from redmax_blender.bridge.rig.make_physical import Choices, make_physical, report_lines
from redmax_blender.bridge.rig.rig import physical_parents
from redmax_blender.bridge.run.simulate_scene import simulate_scene
from redmax_blender.engine.errors import SceneError


def add_skin(obj: bpy.types.Object, bones: list[str], radius: float = 0.04) -> bpy.types.Object:
    """Rings around bones, each weighted to its bone."""
    mesh, points, owners = bpy.data.meshes.new("Skin"), [], []
    for name in bones:
        bone = obj.data.bones[name]
        for along in np.linspace(0.1, 0.9, 4):
            for angle in np.linspace(0.0, 2.0 * np.pi, 6, endpoint=False):
                ring = (radius * np.cos(angle), along * bone.length, radius * np.sin(angle))
                points.append(bone.matrix_local @ _vector(ring))
                owners.append(name)
    mesh.from_pydata(points, [], [])
    skin = bpy.data.objects.new("Skin", mesh)
    bpy.context.scene.collection.objects.link(skin)
    for name in bones:
        group = skin.vertex_groups.new(name=name)
        group.add([i for i, owner in enumerate(owners) if owner == name], 1.0, "REPLACE")
    skin.modifiers.new("Armature", "ARMATURE").object = obj
    return skin


def _vector(xyz):
    from mathutils import Vector

    return Vector(xyz)


def joints(obj: bpy.types.Object) -> dict[str, str]:
    return {bone.name: bone.redmax.joint if bone.redmax.physical else "" for bone in obj.pose.bones}


def mmd_leg() -> bpy.types.Object:
    """A leg as MMD has it: bones that are posed, doubles with the skin that copy them, an IK target, a twist bone."""
    obj = make_armature(
        [
            ("lower body", None, (0, 0, 1.0), (0, 0, 0.9)),
            ("leg", "lower body", (0, 0, 0.9), (0, 0.01, 0.5)),
            ("knee", "leg", (0, 0.01, 0.5), (0, 0, 0.1)),
            ("leg D", "lower body", (0, 0, 0.9), (0, 0.01, 0.5)),
            ("knee D", "leg D", (0, 0.01, 0.5), (0, 0, 0.1)),
            ("leg twist", "leg D", (0, 0.0025, 0.8), (0, 0.0075, 0.6)),
            ("ankle D", "knee D", (0, 0, 0.1), (0, -0.1, 0.02)),
            ("leg IK", None, (0, 0, 0.1), (0, 0.1, 0.1)),
        ],
        connect=False,
    )
    for double in ("leg", "knee"):
        copy = obj.pose.bones[f"{double} D"].constraints.new("COPY_ROTATION")
        copy.target, copy.subtarget = obj, double
    ik = obj.pose.bones["knee"].constraints.new("IK")
    ik.target, ik.subtarget, ik.chain_count = obj, "leg IK", 2
    add_skin(obj, ["lower body", "leg D", "knee D", "leg twist", "ankle D"])
    bpy.context.view_layer.update()
    return obj


def test_the_weighted_chain_is_simulated_and_helpers_that_no_skin_follows_are_left_out():
    obj = mmd_leg()
    decisions = make_physical(obj, bpy.context.scene)
    assert joints(obj) == {
        "lower body": "FIXED", "leg": "", "knee": "", "leg IK": "",
        "leg D": "SPHERICAL", "knee D": "SPHERICAL", "ankle D": "SPHERICAL", "leg twist": "FIXED",
    }  # fmt: skip
    parents = physical_parents(obj)
    assert (parents["leg D"].name, parents["leg twist"].name) == ("lower body", "leg D")
    text = "\n".join(report_lines(obj, decisions))
    for bone in ("leg", "knee", "leg IK"):
        assert f"{bone}: helper: no skin follows it" in text
    set_range(1, 8)
    simulate_scene(bpy.context)
    assert distance_from_cache(obj, 8) < 1e-5


def test_without_a_skin_for_most_bones_none_counts_as_a_helper():
    obj = mmd_leg()
    bpy.data.objects.remove(bpy.data.objects["Skin"])
    make_physical(obj, bpy.context.scene)
    assert [name for name, kind in joints(obj).items() if not kind] == ["leg IK"]  # nothing but a handle


def divided_limb(tail: bool) -> bpy.types.Object:
    """A thigh of two halves and a shin, or a straight tail of three such bones."""
    third = ("thigh.002", "thigh.001", (0, 0, 0.4), (0, 0, 0.1))
    if not tail:
        third = ("shin", "thigh.001", (0, 0, 0.4), (0, 0.1, 0.1))
    obj = make_armature(
        [
            ("hip", None, (0, 0, 1.1), (0, 0, 1.0)),
            ("thigh", "hip", (0, 0, 1.0), (0, 0, 0.7)),
            ("thigh.001", "thigh", (0, 0, 0.7), (0, 0, 0.4)),
            third,
        ]
    )
    for bone in obj.data.bones:
        bone.bbone_segments = 4
    return obj


def test_halves_of_a_limb_are_one_body_and_a_straight_tail_is_not():
    assert joints_of(divided_limb(tail=False)) == ["FIXED", "SPHERICAL", "FIXED", "SPHERICAL"]
    bpy.ops.wm.read_homefile(use_empty=True)
    assert joints_of(divided_limb(tail=True)) == ["FIXED", "SPHERICAL", "SPHERICAL", "SPHERICAL"]


def joints_of(obj: bpy.types.Object) -> list[str]:
    make_physical(obj, bpy.context.scene)
    return list(joints(obj).values())


def test_every_deform_bone_is_a_limb_when_the_user_wants_all():
    obj = divided_limb(tail=False)
    make_physical(obj, bpy.context.scene, Choices(detail="ALL"))
    assert list(joints(obj).values()) == ["FIXED", "SPHERICAL", "SPHERICAL", "SPHERICAL"]


def test_what_the_simulation_leaves_aside_is_said():
    obj = divided_limb(tail=False)
    stretch = obj.pose.bones["shin"].constraints.new("STRETCH_TO")
    stretch.target = obj
    make_physical(obj, bpy.context.scene)
    assert "keeps its length" in obj.pose.bones["shin"].redmax.decision
    assert "B-bone" in obj.pose.bones["thigh"].redmax.decision


@pytest.mark.parametrize(
    ("bone", "verdict", "joint"),
    [
        ("leg IK", "MOVE", "SPHERICAL"),
        ("leg IK", "HOLD", "FIXED"),
        ("leg twist", "MOVE", "SPHERICAL"),
        ("knee D", "HOLD", "FIXED"),
        ("knee D", "LEAVE_OUT", ""),
    ],
)
def test_a_decision_can_be_overruled_by_operator_and_function_alike(bone, verdict, joint):
    obj = mmd_leg()
    make_physical(obj, bpy.context.scene)
    bpy.context.view_layer.objects.active = obj
    others = {name: kind for name, kind in joints(obj).items() if name != bone}
    assert bpy.ops.redmax.decide(bone=bone, verdict=verdict) == {"FINISHED"}
    by_operator = snapshot()
    assert joints(obj)[bone] == joint
    assert others == {name: kind for name, kind in joints(obj).items() if name != bone}
    make_physical(obj, bpy.context.scene, Choices(keep=False))
    decide(obj, bpy.context.scene, bone, verdict)
    assert snapshot() == by_operator


def many_strands(strands: int, bones: int) -> bpy.types.Object:
    """Hair on a head."""
    found = [("skull", None, (0, 0, 1.0), (0, 0, 1.3))]
    for i in range(strands):
        x = 0.02 * i
        for k in range(bones):
            above = "skull" if k == 0 else f"hair{i}.{k - 1}"
            found.append((f"hair{i}.{k}", above, (x, 0, 1.3 - 0.02 * k), (x, 0, 1.28 - 0.02 * k)))
    return make_armature(found, connect=False)


@pytest.mark.parametrize("verdict", ["MOVE", "HOLD", "LEAVE_OUT"])
def test_overruling_many_bones_at_once_is_as_one_by_one_and_takes_no_time(verdict):
    obj = many_strands(30, 10)
    make_physical(obj, bpy.context.scene)
    hair = [bone.name for bone in obj.pose.bones if bone.name.startswith("hair")]
    for name in hair[:30]:
        decide(obj, bpy.context.scene, name, verdict)
    one_by_one = snapshot()
    make_physical(obj, bpy.context.scene, Choices(keep=False))
    decide_all(obj, bpy.context.scene, hair[:30], verdict)
    assert snapshot() == one_by_one
    make_physical(obj, bpy.context.scene, Choices(keep=False))
    begin = time.process_time()
    decide_all(obj, bpy.context.scene, hair, verdict)
    assert time.process_time() - begin < 3.0  # a tenth of a second each would be 30 s


def test_the_button_overrules_all_that_is_selected():
    obj = mmd_leg()
    make_physical(obj, bpy.context.scene)
    bpy.context.view_layer.objects.active = obj
    for bone in obj.pose.bones:
        select(bone, bone.name in ("knee D", "ankle D"))
    assert bpy.ops.redmax.decide(verdict="HOLD") == {"FINISHED"}
    assert {name for name, kind in joints(obj).items() if kind == "FIXED"} >= {"knee D", "ankle D"}
    for bone in obj.pose.bones:
        select(bone, False)
    with pytest.raises(RuntimeError, match="No bone is selected"):
        bpy.ops.redmax.decide(verdict="HOLD")


def select(bone: bpy.types.PoseBone, on: bool) -> None:
    """Selection moved from Bone to PoseBone in Blender 5.0."""
    owner = bone if hasattr(bone, "select") else bone.bone
    owner.select = on


def test_overruling_a_bone_that_is_not_there_is_named():
    obj = mmd_leg()
    with pytest.raises(SceneError, match="no bone 'wing'"):
        decide(obj, bpy.context.scene, "wing", "MOVE")
