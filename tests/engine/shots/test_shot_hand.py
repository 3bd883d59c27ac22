"""The Hand: fingertips and elbow do as they are told, coupled joints stay coupled, and friction is felt."""

from dataclasses import replace

import numpy as np
import pytest

from redmax_blender.engine import Result, compile_scene, scene_options, simulate
from redmax_blender.engine.shots.hand import (
    FINGERS,
    FPS,
    RATIO,
    STEPS,
    TIPS,
    Hand,
    check,
    coupling_error,
    elbow_torque,
    pose,
    spec,
    tip_error,
    tips,
)

END = 12 / FPS


def run(friction: float) -> Result:
    scene = spec(Hand(friction=friction), end=END)
    model = compile_scene(scene)
    return Result.from_frames(model, simulate(model, scene_options(scene), end=END, record=STEPS))


@pytest.fixture(scope="module")
def results() -> dict[float, Result]:
    return {friction: run(friction) for friction in (0.0, 0.3)}


def test_fingertips_are_on_their_paths_and_couplings_exact(results):
    for friction, result in results.items():
        hand = Hand(friction=friction)
        check(result, hand)
        assert tip_error(result, hand) < 1e-6
        assert coupling_error(result) < 1e-12


def test_what_is_not_led_is_passive(results):
    """The wrist is led by nothing: it sags away from the pose that the paths were made with."""
    result = results[0.0]
    dof = result.dof[result.joints.index("palm")][0]
    assert np.abs(result.q[:, dof] - pose(result.t)["palm"][:, 0]).max() > 0.01


def test_friction_changes_what_the_elbow_has_to_do(results):
    smooth, dry = (elbow_torque(results[friction])[1:] for friction in (0.0, 0.3))
    assert np.abs(smooth).max() > 0.2  # it carries the arm
    assert np.abs(smooth - dry).max() > 0.005


def test_the_hand_has_a_coordinate_less_for_each_coupled_finger():
    model = compile_scene(spec())
    assert model.nr == 1 + 2 + 4 * 4 + 4
    assert model.reduction.shape == (model.nr, model.nr - len(FINGERS))
    assert len(model.constraints.rows.type) == 3 * len(TIPS)


def test_the_start_is_a_pose_of_the_coupled_joints():
    start = pose(np.zeros(1))
    for finger in FINGERS:
        assert start[f"{finger}.2"] == pytest.approx(RATIO * start[f"{finger}.3"])


def test_the_check_sees_what_is_wrong(results):
    result = results[0.0]
    off = result.joint_pose.copy()
    off[5, result.bodies.index(TIPS[0]), 9] += 2e-4
    with pytest.raises(AssertionError, match="fingertip"):
        check(replace(result, joint_pose=off), Hand(friction=0.0))
    q = result.q.copy()
    q[5, result.dof[result.joints.index("ring.3")][0]] += 1e-8
    with pytest.raises(AssertionError, match="coupled"):
        check(replace(result, q=q), Hand(friction=0.0))
    q = result.q.copy()
    q[5, 0] += 1e-6
    with pytest.raises(AssertionError, match="elbow"):
        check(replace(result, q=q), Hand(friction=0.0))


def test_paths_begin_at_the_tips(results):
    hand, result = Hand(), results[0.0]
    for bone in hand.bones():
        if bone.name in TIPS:
            row = result.joint_pose[0, result.bodies.index(bone.name)]
            end = row[9:] + bone.length * row[[2, 5, 8]]
            assert end == pytest.approx(tips(hand, np.zeros(1))[bone.name][0], abs=1e-12)
