"""Constraints in a run: closing at the start, waking up, limits, what they push with, and what cannot hold."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mechanisms import NO_GRAVITY, Y, end_of, four_bar, rod
from small_scenes import mixed_tree, pendulum
from test_loops import open_by, run

from redmax_blender.engine.compile import compile_scene
from redmax_blender.engine.errors import ConstraintError, SceneError
from redmax_blender.engine.integrators.euler import EulerSteps
from redmax_blender.engine.integrators.runge_kutta import runge_kutta_recursive
from redmax_blender.engine.kinematics import forward_kinematics
from redmax_blender.engine.model import Floats, Model, Options, State
from redmax_blender.engine.scene import (
    BodySpec,
    Constant,
    Cuboid,
    Free,
    JointSpec,
    Limits,
    Polynomial,
    Pose,
    Prismatic,
    SceneSpec,
    Sine,
    Universal,
)
from redmax_blender.engine.scene_constraints import (
    ConstraintSpec,
    Gear,
    Interval,
    LoopDistance,
    LoopHinge,
    LoopPoint,
    LoopSlider,
    LoopWeld,
    PrescribedPoint,
    PrescribedPose,
    PrescribedTwist,
    Term,
)
from redmax_blender.engine.scene_forces import Point
from redmax_blender.engine.tally import constraint_forces

SOLVERS = ["direct", "pcg"]


def line(start: float, speed: float) -> Polynomial:
    return Polynomial(coefficients=[float(start), float(speed)])


def arm() -> SceneSpec:
    """Two rods of half a metre in the plane y = 0."""
    return SceneSpec(
        bodies=[
            rod("upper", 0.5, None, (0.0, 0.0, 0.0), 0.3),
            rod("lower", 0.5, "upper", (0.5, 0.0, 0.0), -1.0),
        ]
    )


def where(spec: SceneSpec, point: Point) -> Floats:
    """World position of a point in the initial pose."""
    model = compile_scene(SceneSpec(bodies=spec.bodies))
    return point_of(model, model.initial_state(), point)


def point_of(model: Model, state: State, point: Point) -> Floats:
    kin = forward_kinematics(model, state)
    i = model.bodies.names.index(str(point.body))
    E, S = kin.E_wj[model.bodies.link[i]], model.bodies.E_js[i]
    local = S[:9].reshape(3, 3) @ point.position + S[9:]
    return E[:9].reshape(3, 3) @ local + E[9:]


TIP = end_of(0.5, "lower")


# What cannot hold ------------------------------------------------------------------------------------------------


def two_paths() -> SceneSpec:
    spec = arm()
    x = where(spec, TIP)[0]
    spec.constraints = [
        PrescribedPoint(point=TIP, path=[line(x, 1.0), None, None], name="to the right"),
        PrescribedPoint(point=TIP, path=[line(x, -1.0), None, None], name="to the left"),
    ]
    return spec


def out_of_reach() -> SceneSpec:
    spec = arm()
    x, _, z = where(spec, TIP)
    spec.constraints = [PrescribedPoint(point=TIP, path=[line(x, 1.0), None, line(z, 0.0)], name="reach")]
    return spec


def locking() -> SceneSpec:
    """Three rods that cannot let the driven one turn all the way."""
    spec = arm()
    spec.bodies[0].joint.motion = [line(0.0, 2.0)]
    spec.bodies.append(rod("third", 0.4, "lower", (0.5, 0.0, 0.0), -1.0))
    foot = end_of(0.4, "third")
    spec.constraints = [LoopPoint(a=foot, b=Point(position=tuple(where(spec, foot))), name="foot")]
    return spec


def gear_against_limit() -> SceneSpec:
    spec = arm()
    spec.bodies[1].joint.motion = [line(0.0, 1.0)]
    spec.bodies[0].joint.limits = Limits(upper=0.5)
    spec.constraints = [
        Gear(terms=[Term(joint="upper", factor=1.0), Term(joint="lower", factor=-1.0)], name="mesh")
    ]
    return spec


def coupled_limits() -> SceneSpec:
    """A gear turns two joints against each other, and both have a stop where they would have to part."""
    spec = arm()
    spec.bodies[0].joint.limits = Limits(lower=0.1)
    spec.bodies[1].joint.limits = Limits(lower=0.1)
    spec.bodies[0].joint.q = spec.bodies[1].joint.q = 0.05
    terms = [Term(joint="upper", factor=1.0), Term(joint="lower", factor=1.0)]
    spec.constraints = [Gear(terms=terms, offset=0.1, name="mesh")]
    return spec


def nothing_left_to_move() -> SceneSpec:
    spec = arm()
    for body in spec.bodies:
        body.joint.motion = [line(0.0, 1.0)]
    x = where(spec, TIP)[0]
    spec.constraints = [PrescribedPoint(point=TIP, path=[line(x, 0.0), None, None], name="held")]
    return spec


def too_short_a_rod() -> SceneSpec:
    spec = arm()
    spec.constraints = [LoopDistance(a=TIP, b=Point(position=(0.0, 0.0, 2.0)), length=0.2, name="strut")]
    return spec


def far_apart() -> SceneSpec:
    spec = arm()
    spec.constraints = [LoopHinge(a=TIP, b=Point(position=(0.2, 0.0, 0.3)), axis=Y, name="hook")]
    return spec


def facing_away() -> SceneSpec:
    """Half a turn from where the curve begins: every row of the orientation is zero, and still it is wrong."""
    flyer = BodySpec(name="flyer", shape=Cuboid(sides=(0.1, 0.2, 0.3)), joint=JointSpec(type=Free()))
    still = [Constant(value=0.0)] * 3
    about = [Constant(value=float(np.pi)), Constant(value=0.0), Constant(value=0.0)]
    return SceneSpec(
        bodies=[flyer],
        constraints=[PrescribedPose(body="flyer", position=still, rotation=about, name="pose")],
    )


CONTRADICTIONS: dict[str, tuple[Callable[[], SceneSpec], set[str], bool]] = {
    "two prescriptions of one point": (two_paths, {"to the right", "to the left"}, True),
    "a point beyond reach": (out_of_reach, {"reach"}, False),
    "a crank that locks": (locking, {"foot", "motion of upper"}, False),
    "a gear into a limit": (gear_against_limit, {"mesh", "motion of lower", "limit of upper"}, False),
    "limits against each other": (coupled_limits, {"mesh", "limit of upper", "limit of lower"}, True),
    "a prescribed point on prescribed joints": (
        nothing_left_to_move,
        {"held", "motion of upper", "motion of lower"},
        True,
    ),
    "a rod that is too short": (too_short_a_rod, {"strut"}, True),
    "a loop that is far open": (far_apart, {"hook"}, True),
    "an orientation half a turn away": (facing_away, {"pose"}, True),
}


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_contradictions_end_in_an_error_that_names_them(name: str, solver: str) -> None:
    make, names, at_once = CONTRADICTIONS[name]
    model = compile_scene(make())
    count, fastest = 0, 0.0
    with pytest.raises(ConstraintError) as caught:
        steps = EulerSteps(model, model.initial_state(), Options(h=1.0 / 120.0, solver=solver))
        for count in range(360):  # noqa: B007
            state = next(steps)
            assert np.isfinite(state.q).all()
            fastest = max(fastest, float(np.abs(state.qdot).max()))
    assert set(caught.value.names) == names
    assert caught.value.residual > 1e-4
    assert re.search(r"residual [\d.e-]+ (m|rad|m/s)", str(caught.value))
    assert (count == 0) == at_once
    assert fastest < 30.0, "the frames before the error are good"


@pytest.mark.parametrize("solver", SOLVERS)
def test_contradictions_are_seen_with_rows_that_repeat_each_other_as_well(solver: str) -> None:
    """A thrice repeated row is no contradiction; the same row with another goal is."""
    spec = two_paths()
    spec.constraints = [spec.constraints[0]] * 3
    model = compile_scene(spec)
    state = next(EulerSteps(model, model.initial_state(), Options(h=0.01, solver=solver)))
    assert np.isfinite(state.q).all()
    spec.constraints = [*spec.constraints, two_paths().constraints[1]]
    with pytest.raises(ConstraintError):
        next(EulerSteps(compile_scene(spec), model.initial_state(), Options(h=0.01, solver=solver)))


# The start -------------------------------------------------------------------------------------------------------


def slightly_open(by: float) -> SceneSpec:
    spec = four_bar()
    loop = spec.constraints[0]
    assert isinstance(loop, LoopHinge)
    x, y, z = loop.b.position
    spec.constraints = [LoopHinge(a=loop.a, b=Point(position=(x + by, y, z)), axis=Y, name="foot")]
    return spec


def test_a_loop_that_is_a_little_open_is_closed_before_the_first_step() -> None:
    model = compile_scene(slightly_open(0.005))
    start = model.initial_state()
    assert open_by(model, start) > 1e-3
    steps = EulerSteps(model, start, Options(h=0.01))
    assert open_by(model, steps.state) < 1e-6
    assert np.abs(steps.state.q - start.q).max() < 0.05
    np.testing.assert_array_equal(steps.state.qdot, start.qdot)
    state = next(steps)
    # falling from rest: the closing has left no speed behind
    assert np.abs(state.qdot).max() < 0.01 * 9.81 / 0.3 * 3.0


def test_the_adaptive_integrators_begin_closed_as_well() -> None:
    model = compile_scene(slightly_open(0.005))
    steps = runge_kutta_recursive(model, model.initial_state(), Options(h=0.1, rtol=1e-8, atol=1e-9))
    assert open_by(model, next(steps)) < 1e-6
    model = compile_scene(far_apart())
    with pytest.raises(ConstraintError):
        next(runge_kutta_recursive(model, model.initial_state(), Options(h=0.1)))


def test_how_far_open_a_loop_is_stands_in_the_error() -> None:
    model = compile_scene(slightly_open(0.1))
    with pytest.raises(ConstraintError, match=r"'foot'.*residual 0\.1 m"):
        EulerSteps(model, model.initial_state(), Options(h=0.01))


def test_the_size_of_a_scene_is_that_of_its_bodies_when_there_is_only_one() -> None:
    spec = SceneSpec(
        bodies=[BodySpec(name="dice", shape=Cuboid(sides=(0.02, 0.02, 0.02)), joint=JointSpec(type=Free()))]
    )
    assert 0.005 < compile_scene(spec).constraints.size < 0.05
    still = [Constant(value=0.0)] * 3
    spec.constraints = [PrescribedPose(body="dice", position=still, rotation=still)]
    states, _ = run(compile_scene(spec), 0.01, 0.5)
    np.testing.assert_allclose(states[-1].q, 0.0, atol=1e-9)


# Intervals -------------------------------------------------------------------------------------------------------


GRIP = (0.25, 0.1, -1.5)


def grabbed(over: float) -> SceneSpec:
    """A falling weight whose corner is caught by the world after half a second, some way from where it is then."""
    weight = BodySpec(
        name="weight",
        shape=Cuboid(sides=(0.2, 0.2, 0.2)),
        mass=1.0,
        joint=JointSpec(type=Free(), qdot=[0.3, 0.0, 0.0, 0.0, 1.0, 0.0]),
    )
    corner = Point(body="weight", position=(0.1, 0.1, 0.1))
    target = Point(position=GRIP)
    return SceneSpec(
        bodies=[weight],
        constraints=[
            LoopPoint(a=corner, b=target, active=[Interval(start=0.5, end=1.5, over=over)], name="grip")
        ],
    )


def test_a_constraint_holds_in_its_interval_only() -> None:
    model = compile_scene(grabbed(0.2))
    states, _ = run(model, 1.0 / 240.0, 2.0)
    corner = Point(body="weight", position=(0.1, 0.1, 0.1))
    gaps = np.array([np.linalg.norm(point_of(model, s, corner) - GRIP) for s in states])
    times = np.array([s.t for s in states])
    assert gaps[times < 0.5].min() > 0.05
    assert gaps[(times > 0.7) & (times <= 1.5 + 1e-9)].max() < 1e-5
    assert gaps[times > 1.9].min() > 0.1


@pytest.mark.parametrize("over", [0.25, 0.4])
def test_a_constraint_that_takes_hold_over_some_time_carries_the_speed_over(over: float) -> None:
    """No jump of the velocity when it wakes up, nor when it is closed: half the step, half of every change of speed."""
    largest = []
    for h in (1.0 / 480.0, 1.0 / 960.0):
        model = compile_scene(grabbed(over))
        states, _ = run(model, h, 1.0)
        v = np.array([forward_kinematics(model, s).V[-1] for s in states])
        largest.append(np.abs(np.diff(v, axis=0)).max())
    assert largest[1] < 0.6 * largest[0]


def test_a_constraint_that_takes_hold_at_once_throws_nothing_about() -> None:
    """The gap is closed in one step, but its length over the step is not taken for a velocity."""
    spec = grabbed(0.0)
    loop = spec.constraints[0]
    assert isinstance(loop, LoopPoint)
    model = compile_scene(spec)
    before = run(model, 1.0 / 240.0, 0.5)[0][-1]
    here = point_of(model, before, loop.a)
    loop.b = Point(position=(float(here[0] + 0.003), float(here[1]), float(here[2])))
    states, _ = run(compile_scene(spec), 1.0 / 240.0, 0.55)
    speeds = [float(np.abs(s.qdot[:3]).max()) for s in states]
    assert max(speeds[120:]) < 1.05 * speeds[119] + 0.1
    assert open_by(compile_scene(spec), states[-1]) < 1e-5


# Limits ----------------------------------------------------------------------------------------------------------


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


# What they push with ---------------------------------------------------------------------------------------------


def settled(spec: SceneSpec, seconds: float = 6.0) -> tuple[Model, EulerSteps, Options]:
    options = Options(h=1.0 / 120.0)
    model = compile_scene(spec)
    steps = EulerSteps(model, model.initial_state(), options)
    for _ in range(round(seconds / options.h)):
        next(steps)
    return model, steps, options


@pytest.mark.parametrize("kind", ["rod", "ball", "weld"])
def test_what_holds_a_hanging_mass_pulls_with_its_weight(kind: str) -> None:
    weight = BodySpec(
        name="weight",
        shape=Cuboid(sides=(0.2, 0.2, 0.2)),
        mass=3.0,
        damping=5.0,
        joint=JointSpec(type=Free()),
    )
    top, hook = Point(body="weight", position=(0.0, 0.0, 0.1)), Point(position=(0.0, 0.0, 0.5))
    loops: dict[str, ConstraintSpec] = {
        "rod": LoopDistance(a=top, b=hook),
        "ball": LoopPoint(a=top, b=Point(position=(0.0, 0.0, 0.1))),
        "weld": LoopWeld(a=top, b=hook),
    }
    model, steps, options = settled(SceneSpec(bodies=[weight], constraints=[loops[kind]]))
    report = steps.memory.report
    assert report.rows is not None
    assert report.impulse is not None
    pull = constraint_forces(model, report, options.h)
    assert pull[0] == pytest.approx(3.0 * 9.81, rel=1e-6)
    # and the sign: a tension is negative along the rod from the hook to the weight
    if kind == "rod":
        assert report.impulse[0] / options.h == pytest.approx(-3.0 * 9.81, rel=1e-6)


def test_a_motor_that_holds_an_arm_level_needs_its_weight_times_its_lever() -> None:
    spec = pendulum(length=0.7, mass=2.0, motion=[Constant(value=float(-np.pi / 2))])
    _, steps, _ = settled(spec, 0.5)
    motor = steps.memory.report.motor
    assert motor is not None
    assert abs(motor[0]) == pytest.approx(2.0 * 9.81 * 0.7, rel=1e-9)


def test_two_struts_share_a_weight_as_statics_says() -> None:
    """A mass on two rods at 30 and 60 degrees from the vertical: tensions mg cos 30 and mg cos 60."""
    bob = BodySpec(
        name="bob", shape=Cuboid(sides=(1e-3,) * 3), mass=2.0, damping=3.0, joint=JointSpec(type=Free())
    )
    a, b = np.radians(30.0), np.radians(60.0)
    left = Point(position=(float(-np.sin(a)), 0.0, float(np.cos(a))))
    right = Point(position=(float(np.sin(b)), 0.0, float(np.cos(b))))
    here = Point(body="bob")
    spec = SceneSpec(
        bodies=[bob],
        constraints=[LoopDistance(a=here, b=left, name="left"), LoopDistance(a=here, b=right, name="right")],
    )
    model, steps, options = settled(spec)
    np.testing.assert_allclose(
        constraint_forces(model, steps.memory.report, options.h),
        2.0 * 9.81 * np.array([np.cos(a), np.cos(b)]),
        rtol=1e-6,
    )


def test_a_gear_carries_torque_to_a_weight() -> None:
    """A motor holds a pendulum through a gear of ratio 3: the motor needs a third of mgl."""
    spec = pendulum(length=0.5, mass=2.0, q=float(-np.pi / 2))
    spec.bodies.append(
        BodySpec(
            name="wheel",
            shape=Cuboid(sides=(0.1, 0.1, 0.1)),
            joint=JointSpec(type=Universal(), motion=[Constant(value=0.0), None]),
        )
    )
    terms = [Term(joint="bob", factor=3.0), Term(joint="wheel", factor=1.0, index=0)]
    spec.constraints = [Gear(terms=terms, name="gear")]
    _, steps, _ = settled(spec, 0.5)
    motor = steps.memory.report.motor
    assert motor is not None
    assert abs(motor[1]) == pytest.approx(2.0 * 9.81 * 0.5 / 3.0, rel=1e-6)


# Errors of the scene ----------------------------------------------------------------------------------------------

HAND, TAIL = Point(body="hand"), Point(body="tail")
HERE = Constant(value=0.0)
BAD: list[tuple[Any, str, str]] = [
    (LoopPoint(a=HAND, b=Point(body="foot")), "constraints[0].b.body", "there is no body 'foot'"),
    (LoopPoint(a=HAND, b=HAND, name="ring"), "constraints[0] 'ring'", "both ends are on the same body"),
    (LoopPoint(a=Point(), b=Point()), "constraints[0]", "both ends are on the same body"),
    (LoopPoint(a=HAND, b=TAIL, perpendicular_to=(0.0, 0.0, 0.0)), "perpendicular_to", "the axis is"),
    (LoopHinge(a=HAND, b=TAIL, axis=(0.0, 0.0, 0.0)), "constraints[0].axis", "the axis is"),
    (LoopSlider(a=HAND, b=TAIL, axis=(0.0, 0.0, 0.0)), "constraints[0].axis", "the axis is"),
    (LoopDistance(a=HAND, b=TAIL, length=0.0), "constraints[0].length", "the length is 0"),
    (LoopPoint(a=HAND, b=TAIL, active=[Interval(start=2.0, end=1.0)]), "active[0]", "it ends at 1.0 s"),
    (LoopPoint(a=HAND, b=TAIL, active=[Interval(start=2.0, over=-1.0)]), "active[0].over", "over -1.0 s"),
    (LoopPoint(a=HAND, b=TAIL, active=[Interval(over=1.0)]), "active[0].over", "has no start"),
    (Gear(terms=[Term(joint="foot", factor=1.0)]), "terms[0].joint", "there is no joint 'foot'"),
    (Gear(terms=[Term(joint="hand", factor=1.0, index=1)]), "terms[0].index", "has 1 coordinates"),
    (Gear(terms=[Term(joint="post", factor=1.0)]), "terms[0].index", "has 0 coordinates"),
    (PrescribedPoint(point=Point(), path=[HERE] * 3), "point.body", "fixed in the world"),
    (PrescribedPoint(point=HAND, path=[HERE]), "constraints[0].path", "there are 1 curves"),
    (PrescribedPoint(point=HAND, path=[None] * 3), "constraints[0].path", "all its curves are null"),
    (PrescribedPoint(point=HAND, path=[HERE] * 3, direction=Y), "constraints[0].path", "a single curve"),
    (PrescribedPoint(point=HAND, path=[HERE], direction=(0.0, 0.0, 0.0)), "direction", "the axis is"),
    (PrescribedPose(body="hand", position=[HERE]), "constraints[0].position", "there are 1 curves"),
    (PrescribedPose(body="hand", position=[None] * 3), "constraints[0]", "neither position nor rotation"),
    (PrescribedPose(body="foot", position=[HERE] * 3), "constraints[0].body", "there is no body 'foot'"),
    (PrescribedPose(body="hand", position=[HERE] * 3, rotation=[HERE]), "rotation", "there are 1 curves"),
    (PrescribedTwist(body="hand"), "constraints[0]", "no component"),
    (PrescribedTwist(body="hand", angular=[HERE]), "constraints[0].angular", "there are 1 curves"),
]  # fmt: skip


@pytest.mark.parametrize(("constraint", "place", "problem"), BAD)
def test_a_constraint_that_cannot_be_is_named(constraint: Any, place: str, problem: str) -> None:
    with pytest.raises(SceneError) as caught:
        compile_scene(SceneSpec(bodies=mixed_tree(), constraints=[constraint]))
    assert place in caught.value.place
    assert problem in caught.value.problem


def test_a_twist_is_prescribed_in_the_components_that_have_curves() -> None:
    def parts(**given: Any) -> list[int]:
        spec = SceneSpec(bodies=mixed_tree(), constraints=[PrescribedTwist(body="hand", **given)])
        return compile_scene(spec).constraints.rows.part.tolist()

    assert parts(angular=[HERE, None, HERE]) == [0, 2]
    assert parts(linear=[None, HERE, None]) == [3, 4, 5]
    assert parts(angular=[HERE] * 3, linear=[HERE] * 3) == [0, 1, 2, 3, 4, 5]
    assert parts(components=[1, 4]) == [1, 4]


def test_poses_are_reachable_by_name() -> None:
    """The frame of a joint in a scene is where its loops are: a loop at the origin of a posed body."""
    spec = arm()
    spec.bodies[1].pose = Pose(position=(0.25, 0.0, 0.0))
    np.testing.assert_allclose(
        where(spec, Point(body="lower", position=(0.25, 0.0, 0.0))), where(arm(), TIP), atol=1e-12
    )
