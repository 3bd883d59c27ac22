"""Gradients through contact and friction: as exact as differences are, away from changes of what touches and slides."""

from __future__ import annotations

import numpy as np
import pytest

from redmax_blender.engine.gradients.problem import Problem
from redmax_blender.engine.scene import spec as sc
from redmax_blender.engine.scene import task as st

H = 0.005
SHAPES = {
    "ball": (sc.Sphere(radius=0.1), 0.13, (0.0, 0.0, 0.0), (1.0, 0.3, -0.5)),
    "box": (sc.Cuboid(sides=(0.2, 0.3, 0.1)), 0.22, (0.5, 0.4, 0.2), (0.5, 0.3, -1.0)),
    "capsule": (sc.Capsule(radius=0.05, height=0.3), 0.14, (0.5, 0.4, 0.2), (0.5, 0.3, -1.0)),
}


def thrown(kind: str, friction: float, integrator: str = "euler-midway") -> sc.SceneSpec:
    """Something that is thrown to the ground with a spin, and what it is to do then."""
    shape, height, rotation, velocity = SHAPES[kind]
    body = sc.BodySpec(
        name="thing",
        shape=shape,
        density=1000.0,
        joint=sc.JointSpec(
            type=sc.Free(),
            frame=sc.Pose(position=(0.0, 0.0, height), rotation=list(rotation)),
            qdot=[*velocity, 0.0, 2.0, 1.0],
        ),
        surface=sc.Surface(friction=friction),
    )
    return sc.SceneSpec(
        bodies=[body],
        colliders=[sc.ColliderSpec(name="ground", shape=sc.Plane(), friction=0.6)],
        integrator=integrator,
        time=sc.TimeSpec(end=0.12, step=H),
        task=st.TaskSpec(
            parameters=[
                st.StartVelocityParameter(joint="thing"),
                st.ValueParameter(path="bodies.thing.surface.friction"),
                st.ValueParameter(path="bodies.thing.density", scale=1000.0),
            ],
            objectives=[
                st.PointGoal(body="thing", target=[1.0, 0.5, 0.3], position=(0.03, 0.02, 0.01)),
                st.VelocityGoal(body="thing", weight=0.1),
                st.SpinGoal(body="thing", weight=0.01),
            ],
            derivatives="adjoint",
        ),
    )


def error(problem: Problem, distances: tuple[float, ...] = (1e-4, 1e-5, 1e-6)) -> float:
    """Of the gradient against differences, as a fraction of its largest entry; the best of several distances."""
    x, scale = problem.parameters.initial, problem.parameters.scale
    exact = problem.evaluate(x).gradient * scale
    off = [np.abs(problem.differences(x, d) * scale - exact) for d in distances]
    return float(np.min(off, axis=0).max() / np.abs(exact).max())


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("friction", [0.05, 0.8])
def test_gradients_through_contact_agree_with_differences(kind: str, friction: float) -> None:
    assert error(Problem(thrown(kind, friction))) < 1e-6


def test_gradients_through_a_chain_that_falls_agree_with_differences() -> None:
    spec = thrown("capsule", 0.5, "euler")
    spec.bodies.append(
        sc.BodySpec(
            name="tail",
            parent="thing",
            shape=sc.Capsule(radius=0.04, height=0.3),
            pose=sc.Pose(position=(0.0, 0.0, 0.2)),
            joint=sc.JointSpec(
                type=sc.Spherical(), frame=sc.Pose(position=(0.0, 0.0, 0.2)), damping=0.02, stiffness=0.5
            ),
            surface=sc.Surface(),
        )
    )
    assert error(Problem(spec)) < 1e-6


def test_gradients_are_good_to_a_micrometre_from_a_change_of_what_touches() -> None:
    """The height of a fall is changed until the ball touches a step earlier; on both sides of that the gradient is the
    one of its side."""

    def at(height: float) -> sc.SceneSpec:
        spec = thrown("ball", 0.8, "euler")
        spec.bodies[0].joint.frame.position = (0.0, 0.0, height)
        spec.time = sc.TimeSpec(end=10 * H, step=H)
        return spec

    def touches(height: float) -> int:
        """The first step that ends with another velocity than that of a fall."""
        problem = Problem(at(height))
        _, states = problem.states(problem.parameters.initial, range(11))
        falls = [abs(s.qdot[2] - (-0.5 - 9.81 * H * n)) < 1e-9 for n, s in enumerate(states)]
        return falls.index(False)

    low, high = 0.12, 0.13
    first = touches(low)
    while touches(high) == first:
        high += 0.002
    while high - low > 1e-8:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if touches(middle) == first else (low, middle)
    for height in (low - 1e-6, high + 1e-6):
        assert error(Problem(at(height)), (1e-7, 1e-8)) < 1e-4


def test_what_has_no_adjoint_where_things_touch_is_told() -> None:
    spec = thrown("ball", 0.5)
    assert spec.task is not None
    spec.task.derivatives = "auto"
    spec.colliders[0].motion = [sc.Constant(0.0)] * 6
    assert "colliders that move" in str(Problem(spec).reason)
    spec.colliders[0].motion, spec.colliders[0].restitution = [], 0.5
    assert "bounces" in str(Problem(spec).reason)


def test_few_parameters_are_searched_by_differences_where_things_touch() -> None:
    spec = thrown("ball", 0.3)
    exact = Problem(spec)
    gradient = exact.evaluate(exact.parameters.initial).gradient
    assert spec.task is not None
    spec.task.derivatives = "auto"
    problem = Problem(spec)
    assert not problem.by_adjoint and "faster" in str(problem.reason)
    found = problem.evaluate(problem.parameters.initial).gradient
    np.testing.assert_allclose(found, gradient, atol=1e-5 * np.abs(gradient).max())


def test_a_number_that_an_adjoint_does_not_know_is_found_by_differences() -> None:
    limits = sc.Limits(lower=-0.1, restitution=0.5)
    joint = sc.JointSpec(type=sc.Revolute(axis=(0, 1, 0)), q=0.1, qdot=-2.0, limits=limits)
    bar = sc.BodySpec(
        name="bar", shape=sc.Cuboid(sides=(0.1, 0.1, 0.4)), pose=sc.Pose(position=(0, 0, -0.2)), joint=joint
    )
    path = "bodies.bar.joint.limits.restitution"
    spec = sc.SceneSpec(
        bodies=[bar],
        time=sc.TimeSpec(end=0.2, step=H),
        task=st.TaskSpec(
            parameters=[st.StartVelocityParameter(joint="bar"), st.ValueParameter(path=path)],
            objectives=[st.CoordinatesGoal(joint="bar", target=[0.3])],
        ),
    )
    problem = Problem(spec)
    found = problem.evaluate(problem.parameters.initial)
    assert problem.by_adjoint and problem.by_differences == [path]
    known = problem.differences(problem.parameters.initial)
    assert found.gradient == pytest.approx(known, rel=1e-6) and known[1] != 0.0
