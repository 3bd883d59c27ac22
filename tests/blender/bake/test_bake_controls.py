"""Bake to controls: the rig's own controls are keyed, the simulated bones are where they were, and edits work."""

from collections.abc import Sequence

import bpy
import numpy as np
import pytest
from blender_fixtures import all_curves, make_armature, make_chain, once, set_range, snapshot
from generated_rigs import generated, off_the_cache, open_generated, size_of
from mathutils import Quaternion

from redmax_blender.bridge.bake.actions import bones_in
from redmax_blender.bridge.controls.graph import has_controls
from redmax_blender.bridge.rig.decide import decide
from redmax_blender.bridge.rig.make_physical import Choices, make_physical
from redmax_blender.bridge.rig.rig import physical_parents
from redmax_blender.bridge.run.simulate_scene import simulate_scene

__all__ = ["generated"]
LAST = 6


def switch(rig: bpy.types.Object, fk: str | None, poles: bool = False) -> None:
    """Turn the IK_FK switch of limbs whose property bones begin so to FK, and all pole targets on or off."""
    for bone in rig.pose.bones:
        if "IK_FK" in bone:
            bone["IK_FK"] = float(fk is not None and bone.name.startswith(fk))
        if "pole_vector" in bone:
            bone["pole_vector"] = poles
    rig.update_tag()
    bpy.context.view_layer.update()


def fall(rig: bpy.types.Object, held: Sequence[str]) -> None:
    make_physical(rig, bpy.context.scene, Choices(root="HINGED"))
    for name in held:
        decide(rig, bpy.context.scene, name, "HOLD")
    set_range(1, LAST, substeps=10)
    outcome = simulate_scene(bpy.context)
    assert not outcome.diverged


HELD = {
    "human": (),
    # Its tail is made of bones that point to the body: the simulation takes their heads for their joints.
    "quadruped": (
        "DEF-spine",
        "DEF-spine.001",
        "DEF-spine.002",
        "DEF-spine.003",
        "DEF-pelvis.L",
        "DEF-pelvis.R",
    ),
}


def seen() -> str:
    """What a user would see changed; a zero is a zero, whatever its sign."""
    bpy.context.scene.frame_set(1)
    return repr(sorted(snapshot().items(), key=str)).replace("-0.0,", "0.0,").replace("-0.0)", "0.0)")


def keyed(rig: bpy.types.Object) -> set[str]:
    return bones_in(curve.data_path for _, curve in all_curves(rig.animation_data.action))


def heads(rig: bpy.types.Object, names: list[str], frame: int) -> np.ndarray:
    bpy.context.scene.frame_set(frame)
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array([shown.pose.bones[name].matrix.translation for name in names])


@pytest.mark.parametrize(
    "kind, fk, poles, expected",
    [
        (
            "human",
            "upper_arm",
            False,
            {"torso", "upper_arm_fk.L", "forearm_fk.R", "foot_ik.L", "spine_fk.002", "head"},
        ),
        pytest.param(
            "human",
            None,
            True,
            {"torso", "hand_ik.L", "upper_arm_ik_target.R", "foot_ik.L", "thigh_ik_target.L", "head"},
            marks=once,
        ),
        pytest.param(
            "quadruped",
            "",
            False,
            {"torso", "thigh_fk.L", "shin_fk.R", "front_shin_fk.L", "spine_fk.006"},
            marks=once,
        ),
        pytest.param(
            "quadruped",
            None,
            True,
            {"torso", "front_foot_ik.L", "front_thigh_ik_target.R", "foot_ik.R", "foot_heel_ik.L"},
            marks=once,
        ),
    ],
)
def test_a_generated_rig_is_baked_to_its_controls(generated, kind, fk, poles, expected):
    rig = open_generated(generated, kind)
    switch(rig, fk, poles)
    fall(rig, HELD[kind])
    before = seen()
    assert bpy.ops.redmax.bake() == {"FINISHED"}
    worst = {}
    for frame in range(1, LAST + 1):
        for name, off in off_the_cache(rig, frame).items():
            worst[name] = max(worst.get(name, 0.0), off)
    assert max(worst.values()) < 1e-4, sorted(worst.items(), key=lambda item: -item[1])[:5]
    found = keyed(rig)
    assert expected <= found
    assert not any(rig.pose.bones[name].bone.use_deform for name in found)
    assert not found & {"root", "hips", "chest"}
    assert_edits_work(rig, *EDITS[kind, fk])
    bpy.ops.redmax.delete_bake()
    assert seen() == before


EDITS = {
    ("human", "upper_arm"): ("forearm_fk.L", "DEF-forearm.L", "DEF-forearm.L"),
    ("human", None): ("hand_ik.L", "DEF-hand.L", "DEF-upper_arm.L"),
    ("quadruped", ""): ("shin_fk.L", "DEF-shin.L", "DEF-shin.L"),
    ("quadruped", None): ("front_foot_ik.R", "DEF-front_foot.R", "DEF-front_thigh.R"),
}
"""A control of each rig, a bone that it moves, and the bone that all it moves hangs on."""


def assert_edits_work(rig: bpy.types.Object, control: str, moves: str, base: str) -> None:
    """A control's key moved afterwards moves what follows it, and nothing else."""
    simulated = list(physical_parents(rig))
    first, before = heads(rig, simulated, 1), heads(rig, simulated, LAST)
    for channel, change in (
        ("rotation_quaternion", (0.98, 0.199, 0.0, 0.0)),
        ("location", (0.0, 0.02, 0.03)),
    ):
        path = f'pose.bones["{control}"].{channel}'
        curves = [curve for _, curve in all_curves(rig.animation_data.action) if curve.data_path == path]
        assert curves or channel == "location"
        values = np.array(getattr(rig.pose.bones[control], channel))
        changed = Quaternion(values) @ Quaternion(change) if len(values) == 4 else values + change
        for curve in curves:
            curve.keyframe_points[-1].co.y = changed[curve.array_index]
            curve.update()
    moved = np.linalg.norm(heads(rig, simulated, LAST) - before, axis=1) > 1e-3 * size_of(rig)
    names = {name for name, way in zip(simulated, moved) if way}
    below = {name for name in simulated if hangs_on(rig, name, base)}
    assert names <= below
    assert len(names) > 0.5 * len({name for name in below if hangs_on(rig, name, moves)})
    assert heads(rig, simulated, 1) == pytest.approx(first, abs=1e-6 * size_of(rig))


def hangs_on(rig: bpy.types.Object, name: str, above: str) -> bool:
    parents = physical_parents(rig)
    while name != above and parents[name] is not None:
        name = parents[name].name
    return name == above


def controlled_arm() -> bpy.types.Object:
    """Three deform bones that copy three controls, which hang on a root control; and a hand in IK beside them."""
    rig = make_armature(
        [
            ("root", None, (0, 0, 0), (0, 0.3, 0)),
            ("arm", "root", (0, 0, 1), (0.5, 0.15, 1)),
            ("fore", "arm", (0.5, 0.15, 1), (1.0, 0, 1)),
            ("hand", "fore", (1.0, 0, 1), (1.2, 0, 1)),
            ("aim", "root", (1.0, 0, 1), (1.2, 0, 1)),
            ("pole", "root", (0.5, 0.6, 1), (0.5, 0.8, 1)),
            ("ik arm", "root", (0, 0, 1), (0.5, 0.15, 1)),
            ("ik fore", "ik arm", (0.5, 0.15, 1), (1.0, 0, 1)),
            ("def arm", None, (0, 0, 1), (0.5, 0.15, 1)),
            ("def fore", "def arm", (0.5, 0.15, 1), (1.0, 0, 1)),
            ("def hand", "def fore", (1.0, 0, 1), (1.2, 0, 1)),
        ],
        connect=False,
    )
    for bone in rig.pose.bones:
        bone.bone.use_deform = bone.name.startswith("def ")
        if bone.name.startswith(("def ", "ik ")):
            bone.lock_location = bone.lock_rotation = (True, True, True)
    ik = rig.pose.bones["ik fore"].constraints.new("IK")
    ik.target = ik.pole_target = rig
    ik.subtarget, ik.pole_subtarget, ik.chain_count = "aim", "pole", 2
    ik.use_stretch = False
    for name, fk, by_ik in (("arm", "arm", "ik arm"), ("fore", "fore", "ik fore"), ("hand", "hand", "aim")):
        for subtarget in (fk, by_ik):
            copied = rig.pose.bones[f"def {name}"].constraints.new("COPY_TRANSFORMS")
            copied.target, copied.subtarget = rig, subtarget
    fit_pole(rig, ik)
    return rig


def fit_pole(rig: bpy.types.Object, ik: bpy.types.Constraint) -> None:
    """The pole angle at which IK leaves the rest pose."""
    fk = np.array(rig.pose.bones["fore"].head)
    angles = np.radians(np.arange(-180, 181, 15))

    def off(angle: float) -> float:
        ik.pole_angle = angle
        bpy.context.view_layer.update()
        return float(np.linalg.norm(np.array(rig.pose.bones["ik fore"].head) - fk))

    ik.pole_angle = min(angles, key=off)


def follow(rig: bpy.types.Object, by_ik: bool) -> None:
    for name in ("def arm", "def fore", "def hand"):
        rig.pose.bones[name].constraints[1].influence = float(by_ik)
    bpy.context.view_layer.update()


def swing(rig: bpy.types.Object) -> None:
    make_physical(rig, bpy.context.scene, Choices(root="HINGED"))
    for name in ("def arm", "def hand"):
        rig.pose.bones[name].redmax.joint = "SPHERICAL"
    rig.pose.bones["def fore"].redmax.joint = "REVOLUTE"
    rig.pose.bones["def fore"].redmax.axis = "X" if abs(rig.pose.bones["def fore"].x_axis.z) > 0.9 else "Z"
    set_range(1, 8, substeps=20)  # later the elbow is straight, where IK has no knee to bend
    simulate_scene(bpy.context)


@pytest.mark.parametrize("by_ik, expected", [(False, {"arm", "fore", "hand"}), (True, {"aim", "pole"})])
@pytest.mark.parametrize("into", ["COPY", "NEW", "NLA"])
def test_a_limb_is_keyed_as_it_is_switched(by_ik, expected, into):
    rig = controlled_arm()
    follow(rig, by_ik)
    rig.pose.bones["root"].location.x = 0.2
    rig.pose.bones["root"].keyframe_insert("location", frame=1)
    swing(rig)
    before = seen()
    bpy.ops.redmax.bake(into=into)
    for frame in (1, 3, 6, 8):
        assert max(off_the_cache(rig, frame).values()) < 2e-5
    action = rig.redmax.baked_action
    assert bones_in(curve.data_path for _, curve in all_curves(action)) - {"root"} == expected
    bpy.ops.redmax.delete_bake()
    assert seen() == before


def test_the_switch_may_turn_during_the_shot():
    rig = controlled_arm()
    for frame, by_ik in ((1, 0.0), (4, 0.0), (5, 1.0), (8, 1.0)):
        for name in ("def arm", "def fore", "def hand"):
            constraint = rig.pose.bones[name].constraints[1]
            constraint.influence = by_ik
            constraint.keyframe_insert("influence", frame=frame)
    bpy.context.scene.frame_set(1)
    swing(rig)
    bpy.ops.redmax.bake()
    for frame in range(1, 9):
        assert max(off_the_cache(rig, frame).values()) < 2e-5, frame


def test_without_the_option_the_bones_are_keyed():
    rig = controlled_arm()
    swing(rig)
    bpy.ops.redmax.bake(to_controls=False)
    assert keyed(rig) == {"def arm", "def fore", "def hand"}


def test_only_selected_bones_means_selected_controls():
    rig = controlled_arm()
    follow(rig, False)
    swing(rig)
    for bone in rig.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name in ("arm", "fore")
    bpy.ops.redmax.bake(only_selected_bones=True)
    assert keyed(rig) == {"arm", "fore"}


def test_a_plain_rig_has_no_controls():
    rig = make_chain(3)
    make_physical(rig, bpy.context.scene, Choices(root="HINGED"))
    assert not has_controls(rig, [bone.name for bone in rig.pose.bones])
