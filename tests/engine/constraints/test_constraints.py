"""Constraints in a run: closing at the start, waking up, limits, what they push with, and what cannot hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mechanisms import Y, four_bar, open_by, point_of, run
from small_scenes import mixed_tree, pendulum

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import ConstraintError, SceneError
from redmax_blender.engine.integrators.euler import EulerSteps
from redmax_blender.engine.integrators.runge_kutta import runge_kutta_recursive
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.run.tally import constraint_forces
from redmax_blender.engine.scene import BodySpec, Constant, Cuboid, Free, JointSpec, SceneSpec, Universal
from redmax_blender.engine.scene.constraints import (
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
from redmax_blender.engine.scene.forces import Point
from redmax_blender.engine.tree.kinematics import forward_kinematics

SOLVERS = ["direct", "pcg"]


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
    model = compile_scene(slightly_open(0.1))
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
