"""Shots that are made by saying what they should be."""

from dataclasses import replace

import pytest

from redmax_blender.engine.shots import shot
from redmax_blender.engine.shots.goals import reach, throw
from redmax_blender.engine.shots.inertia.bones import play


def test_a_figure_that_is_thrown_ends_with_its_hand_on_the_mark():
    result = play(shot("throw").spec())
    throw.check(result)
    # the trunk has hit the ground and slid: it is not where a flight would have taken it
    assert result.joint_pose[-1, 0, 11] < 0.4
    missed = result.joint_pose.copy()
    missed[..., 9] += 0.1
    with pytest.raises(AssertionError, match="cm from the mark"):
        throw.check(replace(result, joint_pose=missed))


def test_as_it_was_thrown_at_first_the_hand_misses():
    with pytest.raises(AssertionError, match="from the mark"):
        throw.check(play(throw.task()))


def test_torques_bring_the_hand_of_an_arm_with_muscles_to_the_target():
    result = play(shot("reach").spec())
    reach.check(result)
    assert len(result.muscles) == 2
    with pytest.raises(AssertionError, match="from the target"):
        reach.check(play(reach.task()))
