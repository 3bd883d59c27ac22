"""Prescribed motion, in joints and in points at once: it is followed, and what it costs is reported. And letting go."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from mechanisms import end_of, line, point_of, rod
from small_scenes import pendulum

from redmax_blender.engine.algebra import se3
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.forces.applied import applied_wrenches
from redmax_blender.engine.forces.drag import drag_wrenches
from redmax_blender.engine.forces.joint import joint_force
from redmax_blender.engine.integrators.euler import EulerSteps
from redmax_blender.engine.integrators.runge_kutta import (
    acceleration_recursive,
    acceleration_redmax,
    constrained_acceleration,
    runge_kutta_recursive,
)
from redmax_blender.engine.model.control import control_at
from redmax_blender.engine.model.curves import evaluate
from redmax_blender.engine.model.records import Floats, Model
from redmax_blender.engine.model.state import Options, State
from redmax_blender.engine.scene import (
    BodySpec,
    Cuboid,
    Free,
    Guide,
    JointSpec,
    Polynomial,
    Pose,
    SceneSpec,
    Sine,
    Spherical,
    Switch,
)
from redmax_blender.engine.scene.constraints import PrescribedPoint, PrescribedPose
from redmax_blender.engine.scene.forces import Point, Spring
from redmax_blender.engine.tree.kinematics import forward_kinematics
from redmax_blender.engine.tree.recursive import inverse_dynamics

LEFT, RIGHT = (
    Point(body="left hand", position=(0.15, 0.02, 0.01)),
    Point(body="right hand", position=(0.15, 0.0, 0.0)),
)


def torso() -> SceneSpec:
    """A trunk on a prescribed hinge with two arms of ball joints; both hands follow paths; springs between."""

    def limb(name: str, parent: str, at: tuple[float, float, float], turn: list[float]) -> BodySpec:
        return BodySpec(
            name=name,
            parent=parent,
            shape=Cuboid(sides=(0.3, 0.06, 0.05)),
            mass=1.5,
            damping=0.05,
            pose=Pose(position=(0.15, 0.0, 0.0)),
            joint=JointSpec(
                type=Spherical(), frame=Pose(position=at, rotation=turn), stiffness=4.0, damping=0.3, rest=0.1
            ),
        )

    sway = Sine(amplitude=0.15, frequency=0.8)
    spec = SceneSpec(
        bodies=[
            rod("trunk", 0.6, None, (0.0, 0.0, 0.0), -1.2, mass=8.0, motion=[sway]),
            limb("left arm", "trunk", (0.6, 0.1, 0.0), [0.3, 0.0, 1.2]),
            limb("left hand", "left arm", (0.3, 0.0, 0.0), [0.0, 0.5, 0.9]),
            limb("right arm", "trunk", (0.6, -0.1, 0.0), [0.0, 0.3, -1.2]),
            limb("right hand", "right arm", (0.3, 0.0, 0.0), [0.2, 0.0, -0.5]),
        ],
        forces=[
            Spring(points=[LEFT, RIGHT], stiffness=30.0, damping=1.0, rest_length=0.5),
            Spring(points=[LEFT, Point(body="trunk"), RIGHT], stiffness=20.0, damping=0.5, rest_length=0.6),
        ],
    )
    model = compile_scene(spec)
    start = model.initial_state()
    spec.constraints = [
        PrescribedPoint(
            point=LEFT, path=[_circling(x) for x in point_of(model, start, LEFT)], name="left hand"
        ),
        PrescribedPoint(
            point=RIGHT, path=[None, None, _circling(point_of(model, start, RIGHT)[2])], name="right hand"
        ),
    ]
    return spec


def _circling(start: float) -> Sine:
    return Sine(amplitude=0.05, frequency=0.8, phase=0.7, offset=float(start - 0.05 * np.sin(0.7)))


def place(model: Model, t: float) -> Floats:
    """Values of all target curves of constraints."""
    return evaluate(model.constraints.rows.targets, t)[:, 0]


@pytest.mark.parametrize("solver", ["direct", "pcg"])
def test_a_joint_and_two_points_follow_their_motions_at_once(solver: str) -> None:
    model = compile_scene(torso())
    steps = EulerSteps(model, model.initial_state(), Options(h=1.0 / 240.0, solver=solver))
    for _ in range(240):
        s = next(steps)
        assert s.q[0] == pytest.approx(0.15 * np.sin(2.0 * np.pi * 0.8 * s.t), abs=1e-12)
        goal = place(model, s.t)
        np.testing.assert_allclose(point_of(model, s, LEFT), goal[:3], atol=2e-6)
        assert point_of(model, s, RIGHT)[2] == pytest.approx(goal[5], abs=2e-6)


def reactions(model: Model, state: State) -> tuple[Floats, Floats, Floats, Floats]:
    """Exact accelerations, multipliers and rows at a state, and what acts in each coordinate but for the motors."""
    control = control_at(model, state.t)
    free = np.ones(model.nr, bool)
    free[model.joints.motion.target] = False
    qddot = np.zeros(model.nr)
    qddot[~free] = control.motion[:, 2]
    plain = acceleration_recursive(model, state, control, qddot, free)
    np.testing.assert_allclose(
        plain, acceleration_redmax(model, state, control, qddot, free), rtol=1e-8, atol=1e-8
    )
    qddot, multipliers, rows = constrained_acceleration(model, state, plain, free, state.t, 0.0)
    kin = forward_kinematics(model, state)
    wrenches = applied_wrenches(model, kin, state.t) + drag_wrenches(model, kin.V)
    needed = inverse_dynamics(model, kin, state.qdot, qddot, wrenches)
    return qddot, multipliers, rows, needed - joint_force(model, state, control) - rows.T @ multipliers


def test_accelerations_need_nothing_but_the_motors_and_the_multipliers() -> None:
    """Inverse dynamics of the constrained acceleration: springs, dampers, motors and multipliers balance to 1e-9."""
    model = compile_scene(torso())
    rng = np.random.default_rng(1)
    for _ in range(5):
        start = model.initial_state()
        q, qdot = start.q + 0.3 * rng.normal(size=model.nr), rng.normal(size=model.nr)
        q[0], qdot[0] = start.q[0], start.qdot[0]
        qddot, multipliers, rows, motor = reactions(model, State(0.0, q, qdot, start.chart))
        scale = np.abs(rows.T @ multipliers).max()
        np.testing.assert_allclose(motor[1:], 0.0, atol=1e-9 * scale)
        assert abs(motor[0]) > 0.01
        assert qddot[0] == pytest.approx(0.0, abs=1e-12)  # the sine begins without acceleration


def test_the_acceleration_of_a_prescribed_point_is_that_of_its_path() -> None:
    model = compile_scene(torso())
    start = model.initial_state()
    qddot, *_ = reactions(model, start)
    e = 1e-5

    def along(s: float) -> Floats:
        return point_of(model, replace(start, q=start.q + s * start.qdot + 0.5 * s * s * qddot), LEFT)

    acceleration = (along(e) - 2.0 * along(0.0) + along(-e)) / (e * e)
    np.testing.assert_allclose(acceleration, -((2.0 * np.pi * 0.8) ** 2) * 0.05 * np.sin(0.7), atol=2e-5)


def test_motors_and_multipliers_of_a_step_tend_to_inverse_dynamics() -> None:
    """What a step reports is off by the order of the step from the exact reactions at the state it reaches."""
    model = compile_scene(torso())
    errors = []
    for h in (1.0 / 480.0, 1.0 / 960.0, 1.0 / 1920.0):
        steps = EulerSteps(
            model, model.initial_state(), Options(h=h, solver="direct", position_tolerance=1e-12)
        )
        for _ in range(round(0.1 / h)):
            state = next(steps)
        _, multipliers, _, motor = reactions(model, state)
        exact = np.array([motor[0], *multipliers])
        report = steps.memory.report
        assert report.motor is not None
        assert report.impulse is not None
        errors.append(
            np.abs(np.array([report.motor[0], *(report.impulse / h)]) - exact).max() / np.abs(exact).max()
        )
    assert errors[1] == pytest.approx(0.5 * errors[0], rel=0.15)
    assert errors[2] == pytest.approx(0.5 * errors[1], rel=0.15)
    assert errors[2] < 0.02


def test_the_torque_of_a_prescribed_joint_over_a_run_is_that_of_inverse_dynamics() -> None:
    """A double pendulum whose joints both follow sines: the motors of the steps against RNEA, first order in h."""

    def worst(h: float) -> float:
        spec = SceneSpec(
            bodies=[
                rod("upper", 0.5, None, (0.0, 0.0, 0.0), 1.2, motion=[Sine(amplitude=0.7, frequency=0.5)]),
                rod(
                    "lower",
                    0.4,
                    "upper",
                    (0.5, 0.0, 0.0),
                    0.4,
                    motion=[Sine(amplitude=0.9, frequency=0.8, phase=1.0)],
                ),
            ]
        )
        model = compile_scene(spec)
        steps = EulerSteps(model, model.initial_state(), Options(h=h))
        most = 0.0
        next(
            steps
        )  # begins with the exact rate, where later steps begin with the mean rate of the step before
        for _ in range(round(1.0 / h) - 1):
            s = next(steps)
            control = control_at(model, s.t)
            exact = replace(s, qdot=control.motion[:, 1])
            tau = inverse_dynamics(model, forward_kinematics(model, exact), exact.qdot, control.motion[:, 2])
            motor = steps.memory.report.motor
            assert motor is not None
            most = max(most, float(np.abs(motor - tau).max()))
        return most

    coarse, fine = worst(1.0 / 240.0), worst(1.0 / 480.0)
    assert fine == pytest.approx(0.5 * coarse, rel=0.1)
    assert fine < 0.1


def test_a_prescribed_pose_is_followed_in_place_and_orientation() -> None:
    turn = [
        Sine(amplitude=1.0, frequency=0.3),
        Polynomial(coefficients=[0.0, 0.8]),
        Sine(amplitude=0.5, frequency=0.6),
    ]
    path: list[Any] = [Sine(amplitude=0.4, frequency=0.5), line(0.0, 0.3), line(0.1, -0.2)]
    flyer = BodySpec(
        name="flyer",
        shape=Cuboid(sides=(0.1, 0.2, 0.3)),
        joint=JointSpec(type=Free(), q=[0, 0, 0.1, 0, 0, 0]),
    )
    spec = SceneSpec(bodies=[flyer], constraints=[PrescribedPose(body="flyer", position=path, rotation=turn)])
    model = compile_scene(spec)
    steps = EulerSteps(model, model.initial_state(), Options(h=1.0 / 240.0))
    for _ in range(480):
        s = next(steps)
        values = place(model, s.t)
        E = forward_kinematics(model, s).E_wj[-1]
        np.testing.assert_allclose(E[9:], values[:3], atol=1e-6)
        np.testing.assert_allclose(E[:9].reshape(3, 3), se3.exp_so3(values[3:]), atol=5e-6)


# Letting go and taking hold ----------------------------------------------------------------------------------------

SWING = Sine(amplitude=0.9, frequency=0.5)
MODES = [
    Switch(time=1.0, mode="guided"),
    Switch(time=1.6, mode="free"),
    Switch(time=2.2, mode="prescribed", over=0.5),
]


def puppet(**guide: float) -> SceneSpec:
    """A two-rod pendulum whose upper joint follows a sine, is guided, let go, and taken back."""
    gains = Guide(**({"stiffness": 200.0, "damping": 20.0} | guide))
    return SceneSpec(
        bodies=[
            rod("upper", 0.5, None, (0.0, 0.0, 0.0), 1.57, motion=[SWING], modes=MODES, guide=gains),
            rod("lower", 0.4, "upper", (0.5, 0.0, 0.0), 0.0, damping=0.1),
        ]
    )


def history(spec: SceneSpec, h: float, end: float = 3.5) -> tuple[Floats, Floats, Floats]:
    model = compile_scene(spec)
    steps = EulerSteps(model, model.initial_state(), Options(h=h))
    states = [next(steps) for _ in range(round(end / h))]
    return (
        np.array([s.t for s in states]),
        np.array([s.q for s in states]),
        np.array([s.qdot for s in states]),
    )


def test_a_joint_is_followed_guided_let_go_and_taken_back() -> None:
    t, q, _ = history(puppet(), 1.0 / 480.0)
    goal = 0.9 * np.sin(np.pi * t)
    off = np.abs(q[:, 0] - goal)
    assert off[t <= 1.0 + 1e-9].max() < 1e-12
    assert 1e-4 < off[(t > 1.1) & (t <= 1.6)].max() < 0.1
    assert off[(t > 1.9) & (t < 2.2)].max() > 0.1
    assert off[t > 2.7 + 1e-9].max() < 1e-12


def test_velocities_are_carried_over_every_switch() -> None:
    """A jump of the velocity would stay when the step is halved. Here all changes of a step shrink with it, and at the
    switches they are below a hundredth of the largest speed."""
    changes = []
    for h in (1.0 / 1920.0, 1.0 / 3840.0):
        t, _, v = history(puppet(), h, 2.8)
        jumps = np.abs(np.diff(v, axis=0)).max(axis=1)
        changes.append(jumps.max())
        for switch in (1.0, 1.6, 2.2, 2.7):
            near = np.abs(t[1:] - switch) < 3.0 * h
            assert jumps[near].max() < 0.01 * np.abs(v).max(), f"a jump at {switch} s"
    assert changes[1] < 0.6 * changes[0]


def test_a_joint_that_is_put_back_at_once_does_not_throw_its_children() -> None:
    spec = puppet()
    spec.bodies[0].joint.modes = [Switch(time=0.5, mode="free"), Switch(time=1.5, mode="prescribed")]
    t, q, v = history(spec, 1.0 / 480.0, 2.0)
    assert np.abs(q[t > 1.5 + 1e-9, 0] - 0.9 * np.sin(np.pi * t[t > 1.5 + 1e-9])).max() < 1e-12
    assert np.abs(np.diff(q[:, 0])).max() > 0.1  # it was put there
    assert np.abs(v).max() < 30.0  # a tenth of a radian in a step would be 48 rad/s


@pytest.mark.parametrize("stiffness", [10.0**k for k in range(0, 10, 3)])
@pytest.mark.parametrize("damping", [0.0, 1.0, 1e4])
def test_guided_motion_is_stable_at_any_stiffness(stiffness: float, damping: float) -> None:
    _, q, v = history(puppet(stiffness=stiffness, damping=damping), 1.0 / 48.0)
    assert np.isfinite(q).all()
    assert np.abs(v).max() < 60.0
    t, q, _ = history(puppet(stiffness=1e9, damping=damping), 1.0 / 48.0, 1.5)
    assert np.abs(q[:, 0] - 0.9 * np.sin(np.pi * t)).max() < 1e-3


def guided_hand(stiffness: float = 500.0, damping: float = 40.0) -> SceneSpec:
    """The tip of a two-rod arm is followed, guided, left and taken back along a path."""
    spec = SceneSpec(
        bodies=[
            rod("upper", 0.5, None, (0.0, 0.0, 0.0), 0.3),
            rod("lower", 0.5, "upper", (0.5, 0.0, 0.0), -1.0),
        ]
    )
    tip = end_of(0.5, "lower")
    model = compile_scene(spec)
    x, _, z = point_of(model, model.initial_state(), tip)
    path: list[Any] = [
        Sine(amplitude=0.1, frequency=0.8, offset=float(x)),
        None,
        Sine(amplitude=0.1, frequency=0.5, offset=float(z)),
    ]
    spec.constraints = [
        PrescribedPoint(
            point=tip, path=path, modes=MODES, guide=Guide(stiffness=stiffness, damping=damping), name="tip"
        )
    ]
    return spec


def tip_errors(spec: SceneSpec, h: float, end: float = 3.5) -> tuple[Floats, Floats, Floats]:
    model = compile_scene(spec)
    steps = EulerSteps(model, model.initial_state(), Options(h=h))
    t, off, v = [], [], []
    for _ in range(round(end / h)):
        s = next(steps)
        t.append(s.t)
        off.append(np.abs(point_of(model, s, end_of(0.5, "lower"))[[0, 2]] - place(model, s.t)[[0, 2]]).max())
        v.append(s.qdot)
    return np.array(t), np.array(off), np.array(v)


def test_a_point_is_followed_guided_let_go_and_taken_back() -> None:
    t, off, _ = tip_errors(guided_hand(), 1.0 / 480.0)
    assert off[t <= 1.0 + 1e-9].max() < 2e-6
    assert 1e-4 < off[(t > 1.1) & (t <= 1.6)].max() < 0.1
    assert off[(t > 1.9) & (t < 2.2)].max() > 0.1
    assert off[t > 2.7 + 1e-9].max() < 2e-6


def test_velocities_of_a_point_are_carried_over_every_switch() -> None:
    h = 1.0 / 1920.0
    t, _, v = tip_errors(guided_hand(), h, 2.8)
    jumps = np.abs(np.diff(v, axis=0)).max(axis=1)
    for switch in (1.0, 1.6, 2.2, 2.7):
        near = np.abs(t[1:] - switch) < 3.0 * h
        assert jumps[near].max() < 0.02 * np.abs(v).max(), f"a jump at {switch} s"


@pytest.mark.parametrize("stiffness", [1.0, 1e3, 1e6, 1e9])
def test_a_guided_point_is_stable_at_any_stiffness(stiffness: float) -> None:
    spec = guided_hand(stiffness, 1.0)
    spec.constraints[0].modes = [Switch(time=0.2, mode="guided")]  # type: ignore[union-attr]
    _, off, v = tip_errors(spec, 1.0 / 48.0)
    assert np.isfinite(v).all()
    assert np.abs(v).max() < 60.0
    if stiffness >= 1e6:
        assert off.max() < 0.02


def test_adaptive_runs_and_steps_agree_through_the_modes() -> None:
    spec = puppet(stiffness=50.0, damping=5.0)
    spec.bodies[0].joint.modes = MODES[:2]
    model = compile_scene(spec)
    exact = runge_kutta_recursive(model, model.initial_state(), Options(h=2.0, rtol=1e-9, atol=1e-10))
    _, q, _ = history(spec, 1.0 / 1920.0, 2.0)
    np.testing.assert_allclose(q[-1], next(exact).q, atol=1e-2)


def test_a_free_joint_with_a_motion_is_as_free_as_one_without() -> None:
    a = pendulum(q=1.0, qdot=0.5)
    b = pendulum(q=1.0, qdot=0.5, motion=[SWING], modes=[Switch(time=-1.0, mode="free")])
    a.gravity = b.gravity = (0.0, 0.0, -9.81)
    ends = [history(spec, 0.01, 1.0)[1][-1] for spec in (a, b)]
    np.testing.assert_array_equal(ends[0], ends[1])
