"""Joint limits: never passed, with restitution, on top of loops, and springy."""

from __future__ import annotations

import numpy as np
import pytest
from mechanisms import NO_GRAVITY, arm, four_bar, line, open_by, rod, run
from small_scenes import pendulum

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.scene import (
    BodySpec,
    Constant,
    Cuboid,
    JointSpec,
    Limits,
    Prismatic,
    SceneSpec,
    Sine,
)

SOLVERS = ["direct", "pcg"]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("h", [1.0 / 24.0, 1.0 / 240.0])
def test_joints_never_pass_their_limits(solver: str, h: float) -> None:
    """A three-rod arm that is thrown about for ten seconds, each joint with a narrow range."""
    spec = arm()
    spec.bodies.append(rod("hand", 0.3, "lower", (0.5, 0.0, 0.0), 0.2))
    for i, body in enumerate(spec.bodies):
        body.joint.limits = Limits(lower=-0.4, upper=0.3 + 0.1 * i)
        body.joint.torque = [Sine(amplitude=40.0 / (i + 1), frequency=0.7 + 0.3 * i)]
    states, _ = run(compile_scene(spec), h, 10.0, solver=solver)
    q = np.array([s.q for s in states])
    assert (q >= -0.4 - 1e-9).all()
    assert (q <= np.array([0.3, 0.4, 0.5]) + 1e-9).all()
    assert (q.min(axis=0) < -0.4 + 1e-9).all()  # all of them were touched
    assert (q.max(axis=0) > np.array([0.3, 0.4, 0.5]) - 1e-9).all()


def test_a_stop_that_is_far_away_is_not_jumped_over() -> None:
    """One step is enough to carry the joint far beyond a stop that it was far from."""
    spec = pendulum(limits=Limits(upper=2.0), torque=[Constant(value=1e5)])
    states, _ = run(compile_scene(spec), 0.05, 0.2)
    assert max(s.q[0] for s in states) <= 2.0 + 1e-9


def test_limits_hold_where_positions_are_projected_onto_a_loop() -> None:
    spec = four_bar(torque=[Constant(value=6.0)])
    spec.bodies[2].joint.limits = Limits(lower=-0.25, upper=0.25)
    states, steps = run(compile_scene(spec), 1.0 / 60.0, 4.0)
    q = np.array([s.q[2] for s in states])
    assert np.abs(q).max() <= 0.25 + 1e-9
    assert np.abs(q).max() > 0.25 - 1e-6
    assert max(open_by(compile_scene(spec), s) for s in states) < 1e-5
    assert steps.memory.report.residual < 1e-5


@pytest.mark.parametrize("restitution", [0.0, 0.4, 0.9, 1.0])
def test_a_joint_comes_back_from_its_stop_with_the_given_part_of_its_speed(restitution: float) -> None:
    spec = pendulum(limits=Limits(lower=-0.3, restitution=restitution), qdot=-2.0)
    spec.gravity = NO_GRAVITY
    states, _ = run(compile_scene(spec), 1.0 / 240.0, 0.5)
    assert states[10].qdot[0] == pytest.approx(-2.0)
    assert states[-1].qdot[0] == pytest.approx(2.0 * restitution, abs=1e-9)


def test_a_ball_bounces_lower_and_lower_and_comes_to_rest() -> None:
    spec = SceneSpec(
        bodies=[
            BodySpec(
                name="ball",
                shape=Cuboid(sides=(0.1, 0.1, 0.1)),
                joint=JointSpec(
                    type=Prismatic(axis=(0.0, 0.0, 1.0)), q=1.0, limits=Limits(lower=0.0, restitution=0.7)
                ),
            )
        ]
    )
    states, _ = run(compile_scene(spec), 1.0 / 480.0, 5.0)
    q, v = np.array([(s.q[0], s.qdot[0]) for s in states]).T
    assert q.min() >= -1e-9
    hits = np.flatnonzero((v[1:] > 0.5) & (v[:-1] < 0.0))
    assert len(hits) >= 3
    for i in hits[:3]:
        assert v[i + 1] == pytest.approx(-0.7 * v[i], rel=1e-6)
    assert abs(v[-1]) < 0.01
    assert q[-1] < 1e-3


def test_a_joint_that_begins_beyond_its_limit_comes_back_gently() -> None:
    spec = pendulum(limits=Limits(lower=0.4), q=0.0)
    states, _ = run(compile_scene(spec), 1.0 / 240.0, 1.5)
    assert max(abs(s.qdot[0]) for s in states) < 5.0  # not 0.4 rad in one step
    assert states[-1].q[0] == pytest.approx(0.4, abs=1e-4)


def test_a_motion_goes_where_it_goes_whatever_the_limits() -> None:
    spec = pendulum(limits=Limits(upper=0.2), motion=[line(0.0, 1.0)])
    states, _ = run(compile_scene(spec), 0.01, 1.0)
    assert states[-1].q[0] == pytest.approx(1.0, abs=1e-12)
