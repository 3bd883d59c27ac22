"""The figure that falls down stairs: its build, its falls, and what its check sees."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest

from redmax_blender.engine import Result, compile_scene, scene_options, simulate
from redmax_blender.engine.shots.falls import at_rest_from
from redmax_blender.engine.shots.figure import HEIGHT, MASS, SEGMENTS, Skin, figure
from redmax_blender.engine.shots.ragdoll import SETTLED, Fall, check, spec

FALLS = int(os.environ.get("REDMAX_FALLS", "2"))
"""Random falls that are tried; all twenty with REDMAX_FALLS=20."""


@pytest.fixture(scope="module", params=range(1, 1 + FALLS))
def fallen(request) -> tuple[Fall, Result]:
    fall = Fall(request.param)
    scene = spec(fall)
    model = compile_scene(scene)
    frames = simulate(model, scene_options(scene), end=scene.time.end, record=scene.time.record)
    return fall, Result.from_frames(model, frames)


def test_the_figure_has_thirty_bodies_and_the_mass_of_a_person() -> None:
    model = compile_scene(spec())
    assert len(model.bodies.names) == len(SEGMENTS) == 30
    assert model.bodies.inertia[:, 3].sum() == pytest.approx(MASS)
    top = max(part.end[2] + part.radius for part in SEGMENTS)
    assert top == pytest.approx(HEIGHT, abs=0.01)


def test_the_two_sides_are_mirror_images() -> None:
    bodies = {body.name: body for body in figure(Skin(), [0.0] * 6)}
    for name, left in bodies.items():
        if not name.endswith(".L"):
            continue
        right = bodies[name[:-1] + "R"]
        assert left.mass == right.mass and left.joint.damping == right.joint.damping
        np.testing.assert_allclose(
            np.multiply(left.joint.frame.position, (-1, 1, 1)), right.joint.frame.position
        )
        np.testing.assert_allclose(np.multiply(left.pose.position, (-1, 1, 1)), right.pose.position)


def test_every_start_is_within_the_range_of_its_joints() -> None:
    for seed in range(20):
        model = compile_scene(spec(Fall(seed)))
        limits = model.constraints.limits
        assert np.all(limits.side * (model.q0[limits.dof] - limits.bound) >= 0.0)


def test_a_fall_goes_through_nothing_bends_no_joint_too_far_and_ends_at_rest(
    fallen: tuple[Fall, Result],
) -> None:
    fall, result = fallen
    check(result, fall)
    assert result.joint_pose[-1, 0, 11] < fall.stairs.top + 0.35  # it did fall
    last = result.t > result.t[-1] - 0.5
    assert np.ptp(result.body_pose[last][:, :, 9:], axis=0).max() < 0.005 * HEIGHT  # and lies still


def test_a_fall_tells_from_when_on_nothing_moves(fallen: tuple[Fall, Result]) -> None:
    _, result = fallen
    rest = at_rest_from(result)
    assert rest is not None and rest < SETTLED
    before, after = result.t < rest, result.t >= rest
    assert result.qdot[before][-1].any() and not result.qdot[after].any()
    assert at_rest_from(replace(result, qdot=np.ones_like(result.qdot))) is None


def test_the_check_sees_what_is_wrong(fallen: tuple[Fall, Result]) -> None:
    fall, result = fallen
    q = result.q.copy()
    q[60, 2] -= 0.5
    with pytest.raises(AssertionError, match=r" is .* mm in "):
        check(replace(result, q=q), fall)
    q = result.q.copy()
    column = result.coordinates("shin.L").start
    q[60, column] = np.radians(-1.0)
    with pytest.raises(AssertionError, match=r"'shin\.L' turns 1° beyond its range"):
        check(replace(result, q=q), fall)
    qdot = result.qdot.copy()
    qdot[-1, column] = 1.0
    with pytest.raises(AssertionError, match="still turns"):
        check(replace(result, qdot=qdot), fall)
