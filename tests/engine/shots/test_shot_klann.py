"""The walking machine: its linkages, its walk, and what friction inside its joints costs the motor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from redmax_blender.engine import Result, compile_scene, scene_options, simulate
from redmax_blender.engine.errors import InputError
from redmax_blender.engine.scene import Fixed
from redmax_blender.engine.shots.klann import LEGS, Klann, check, crank_torque, spec

STEP = 1.0 / 240.0


def run(klann: Klann, turns: float) -> Result:
    end = round((klann.start + turns * klann.revolution) / STEP) * STEP
    scene = spec(klann, end=end, step=STEP)
    model = compile_scene(scene)
    return Result.from_frames(model, simulate(model, scene_options(scene), end=end))


@pytest.fixture(scope="module")
def walks() -> dict[float, Result]:
    """A revolution and a half, without friction in the joints and with more and more of it."""
    return {mu: run(Klann(friction=mu), 1.5) for mu in (0.0, 0.4, 0.8)}


def test_coordinates_rows_and_loops_are_as_many_as_published() -> None:
    model = compile_scene(spec())
    assert model.nr == 6 + 26
    assert len(model.constraints.rows.type) == 24
    assert int((~model.joints.free).sum()) == 2


def test_half_a_turn_of_the_crank_is_one_nearly_straight_stride() -> None:
    """As the patent says of its proportions."""
    klann = Klann(stride=1.0)
    stance = np.array([klann.linkage(-1, a).foot for a in np.linspace(0.0, np.pi, 91)])
    swing = np.array([klann.linkage(-1, a).foot for a in np.linspace(np.pi, 2.0 * np.pi, 91)])
    assert stance[0] - stance[-1] == pytest.approx(1.0, abs=2e-3)
    assert np.ptp(stance.imag) < 0.06
    assert swing.imag.max() - stance.imag.max() > 0.4
    mirrored = np.array([klann.linkage(1, np.pi - a).foot for a in np.linspace(0.0, np.pi, 91)])
    np.testing.assert_allclose(mirrored, -stance.conjugate(), atol=1e-14)


def test_held_in_the_air_every_foot_follows_the_path_of_its_linkage() -> None:
    """A linkage has one freedom: geometry alone tells where the foot is."""
    klann = Klann(friction=0.0)
    scene = spec(klann, end=2.0, step=STEP)
    scene.bodies[0].joint.type = Fixed()
    scene.colliders = []
    for body in scene.bodies:
        body.surface = None
    model = compile_scene(scene)
    result = Result.from_frames(model, simulate(model, scene_options(scene), end=2.0, record=8))
    for leg in LEGS:
        at = klann.linkage(leg.facing, klann.pin_angle(leg))
        pose = result.joint_pose[:, result.bodies.index(f"leg.{leg.name}")]
        arm = at.foot - at.knee
        foot = pose[:, 9:] + pose[:, :9].reshape(-1, 3, 3) @ np.array([arm.real, 0.0, arm.imag])
        angle = result.q[:, result.coordinates(klann.crank(leg.side)).start]
        path = np.array([klann.linkage(leg.facing, klann.pin_angle(leg) + a).foot for a in angle])
        np.testing.assert_allclose(foot[:, 0], path.real, atol=2e-5)
        np.testing.assert_allclose(foot[:, 2], path.imag + klann.height, atol=2e-5)
        np.testing.assert_allclose(foot[:, 1], klann.lane(leg), atol=1e-12)


def test_it_walks_whatever_the_friction_in_its_joints(walks: dict[float, Result]) -> None:
    for mu, result in walks.items():
        check(result, Klann(friction=mu))


def test_the_motor_needs_more_torque_the_more_its_joints_rub(walks: dict[float, Result]) -> None:
    """Fig. 5c: at every phase of a revolution, in twenty parts of it. In sixty parts it may miss once: the blow of a
    foot that lands a step sooner or later, which rounding decides, moves from one part to the next."""
    means = []
    for mu, result in walks.items():
        angle, torque = crank_torque(result, Klann(friction=mu))
        phase = np.floor((angle - np.pi) / (2.0 * np.pi) * 60.0).astype(int)
        means.append([torque[phase == k].mean() for k in range(60)])
    grows = np.diff(means, axis=0)
    assert np.all(grows.reshape(len(grows), 20, 3).mean(axis=2) > 0.0)
    assert np.all(np.count_nonzero(grows <= 0.0, axis=1) <= 1)


def test_without_friction_the_legs_push_the_motor_ahead_some_of_the_time(walks: dict[float, Result]) -> None:
    """Negative work at μ = 0, and none of it where the joints rub hard."""
    work = {}
    for mu, result in walks.items():
        angle, torque = crank_torque(result, Klann(friction=mu))
        whole = (angle > np.pi) & (angle <= 3.0 * np.pi)
        step = np.diff(angle, prepend=0.0)
        work[mu] = np.array([part(torque * step, 0.0)[whole].sum() for part in (np.minimum, np.maximum)])
    assert work[0.0][0] < -0.02 * work[0.0][1]
    assert abs(work[0.8][0]) < 0.01 * abs(work[0.0][0])
    assert work[0.8].sum() > work[0.4].sum() > work[0.0].sum() > 0.0


def test_the_cranks_follow_their_motion_exactly(walks: dict[float, Result]) -> None:
    klann, result = Klann(friction=0.4), walks[0.4]
    steady = result.t >= klann.start
    wanted = klann.speed * (result.t[steady] - 0.5 * klann.start)
    for side in ("L", "R"):
        angle = result.q[steady, result.coordinates(klann.crank(side)).start]
        np.testing.assert_allclose(angle, wanted, atol=1e-9)


def test_the_check_sees_what_is_wrong(walks: dict[float, Result]) -> None:
    klann, result = Klann(friction=0.4), walks[0.4]

    def spoiled(body: str, column: int, by: float) -> Result:
        poses = result.joint_pose.copy()
        poses[200, result.bodies.index(body), column] += by
        return replace(result, joint_pose=poses)

    with pytest.raises(AssertionError, match=r"loop 'hip\.outer\.R' opens"):
        check(spoiled("upper.outer.R", 9, 1e-3), klann)
    sunk = result.joint_pose.copy()
    sunk[:, :, 11] -= 0.02 * klann.height
    with pytest.raises(AssertionError, match="below the floor"):
        check(replace(result, joint_pose=sunk), klann)
    still = np.broadcast_to(result.joint_pose[:1], result.joint_pose.shape)
    with pytest.raises(AssertionError, match="leaves the path of its linkage"):
        check(replace(result, joint_pose=still), klann)


def test_negative_friction_is_an_error() -> None:
    with pytest.raises(InputError, match="zero or more"):
        Klann(friction=-0.1)
