"""Secondary motion: one click, the same at any size; mirroring; settings of other add-ons."""

import bpy
import numpy as np
import pytest
from blender_fixtures import make_armature, set_range

from redmax_blender.bridge.recording import cache
from redmax_blender.bridge.rig.other_jiggles import feel_of
from redmax_blender.bridge.rig.secondary_motion import FEELS, Feel, add_secondary_motion
from redmax_blender.bridge.run.simulate_scene import simulate_scene

KINDS = tuple(FEELS)
TAIL = ("tail0", "tail1", "tail2")


def animal(size: float = 1.0) -> bpy.types.Object:
    """A body with a tail of three bones, and ears left and right."""
    s = size
    rig = make_armature(
        [
            ("body", None, (0, 0, 0), (0, s, 0)),
            ("tail0", "body", (0, s, 0), (0, 1.5 * s, 0)),
            ("tail1", "tail0", (0, 1.5 * s, 0), (0, 2 * s, 0)),
            ("tail2", "tail1", (0, 2 * s, 0), (0, 2.5 * s, 0)),
            ("ear.L", "body", (0.3 * s, 0, 0), (0.6 * s, 0, 0.2 * s)),
            ("ear.R", "body", (-0.3 * s, 0, 0), (-0.6 * s, 0, 0.2 * s)),
        ]
    )
    return rig


def select(rig: bpy.types.Object, names) -> None:
    for bone in rig.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name in names
    rig.data.bones.active = rig.data.bones[names[0]]


def tip(rig: bpy.types.Object, feel: Feel, size: float, frames: int = 12) -> np.ndarray:
    """Where the tail's last bone is at each frame [sizes of the rig], shape (nf, 3)."""
    add_secondary_motion(rig, bpy.context.scene, [rig.pose.bones[name] for name in TAIL], feel)
    scene = bpy.context.scene
    scene.render.fps = 24
    set_range(1, frames, substeps=20)
    outcome = simulate_scene(bpy.context)
    assert not outcome.diverged
    track = cache.track_of(rig, scene)[1]
    return track.pose[:, track.bones.index("tail2"), :3, 3] / size


@pytest.mark.parametrize("kind", KINDS)
def test_one_click_lets_a_tail_swing_on_a_body_that_stays(kind):
    rig = animal()
    select(rig, TAIL)
    assert bpy.ops.redmax.secondary_motion("INVOKE_DEFAULT", kind=kind) == {"FINISHED"}
    physical = {bone.name for bone in rig.pose.bones if bone.redmax.physical}
    assert physical == {"body", *TAIL}
    assert rig.pose.bones["body"].redmax_control == "KEYFRAMED"
    set_range(1, 10, substeps=20)
    assert not simulate_scene(bpy.context).diverged
    track = cache.track_of(rig, bpy.context.scene)[1]
    moved = np.abs(track.pose - track.pose[0]).max(axis=(0, 2, 3))
    assert moved[track.bones.index("body")] < 1e-6
    assert moved[track.bones.index("tail2")] > 1e-4


def test_the_gains_are_scaled_with_the_size():
    """Lengths times s: weight torque goes with s⁴, and damping with s⁴ √s, as in a world that is s times larger."""
    found = {}
    for size in (1.0, 4.0):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        rig = animal(size)
        add_secondary_motion(rig, bpy.context.scene, [rig.pose.bones[n] for n in TAIL], FEELS["TAIL"])
        bones = [rig.pose.bones[name].redmax for name in TAIL]
        found[size] = np.array([[b.stiffness, b.damping, b.control.response] for b in bones])
    assert found[4.0] / found[1.0] == pytest.approx(np.tile([4.0**4, 4.0**4.5, 2.0], (3, 1)), rel=1e-3)


def test_sliders_do_what_they_say():
    def swing(feel: Feel) -> np.ndarray:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        return tip(animal(), feel, 1.0, 48)[:, 2]

    loose, stiff, dragged = swing(Feel(0.2, 0.0, 0.1)), swing(Feel(0.7, 0.0, 0.1)), swing(Feel(0.2, 0.0, 0.9))
    assert np.ptp(stiff) < 0.5 * np.ptp(loose)
    assert np.abs(np.diff(dragged)).sum() < 0.7 * np.abs(np.diff(loose)).sum()
    followed = swing(Feel(0.2, 0.9, 0.1))
    assert np.ptp(followed) < 0.7 * np.ptp(loose)


def test_settings_are_mirrored_with_their_signs():
    rig = animal()
    select(rig, ("ear.L",))
    bpy.ops.redmax.secondary_motion(kind="EARS")
    left, right = rig.pose.bones["ear.L"].redmax, rig.pose.bones["ear.R"].redmax
    left.use_limits = (True, True, True)
    left.limits_min, left.limits_max = (-0.1, -0.2, -0.3), (0.4, 0.5, 0.6)
    left.rest_angles = (0.1, 0.2, 0.3)
    left.friction.coefficient = 0.7
    select(rig, ("ear.L",))
    assert bpy.ops.redmax.mirror_settings() == {"FINISHED"}
    assert right.physical and right.stiffness == left.stiffness
    assert right.friction.coefficient == pytest.approx(0.7)
    # The mirror image of a rotation, in the bones' own axes, is the other bone's rotation.
    mirror = np.diag([-1.0, 1.0, 1.0])
    A, B = (np.array(rig.data.bones[n].matrix_local.to_3x3()) for n in ("ear.L", "ear.R"))
    turn = -B.T @ mirror @ A
    assert np.array(right.rest_angles) == pytest.approx(turn @ np.array(left.rest_angles), abs=1e-5)
    ends = np.sort([turn @ np.array(left.limits_min), turn @ np.array(left.limits_max)], axis=0)
    assert np.array(right.limits_min) == pytest.approx(ends[0], abs=1e-5)
    assert np.array(right.limits_max) == pytest.approx(ends[1], abs=1e-5)


def test_what_wiggle_and_jiggle_left_is_taken_over():
    rig = animal()
    bones = rig.pose.bones
    bones["tail0"]["wiggle_tail"], bones["tail0"]["wiggle_stiff"], bones["tail0"]["wiggle_damp"] = (
        1,
        1600.0,
        1.0,
    )
    bones["ear.L"]["jiggle_angle_elasticity"] = 0.6
    assert feel_of(bones["tail1"]) is None
    assert feel_of(bones["tail0"]).stiffness == pytest.approx(2.0 * FEELS["TAIL"].stiffness)
    assert feel_of(bones["ear.L"]).stiffness == pytest.approx(FEELS["TAIL"].stiffness)
    assert bpy.ops.redmax.read_jiggles() == {"FINISHED"}
    assert {bone.name for bone in bones if bone.redmax.physical} == {"body", "tail0", "ear.L"}
    assert bones["tail0"].redmax.stiffness > 0.0


def test_nothing_to_take_over_is_said():
    animal()
    assert bpy.ops.redmax.read_jiggles() == {"CANCELLED"}
