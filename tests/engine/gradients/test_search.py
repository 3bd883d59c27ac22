"""Ways to search: each finds what closed forms and known parameters say, keeps to bounds and ends when told to."""

from __future__ import annotations

import numpy as np
import pytest
from gradient_scenes import random_scene

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import FAILURES, InputError
from redmax_blender.engine.gradients.problem import Problem
from redmax_blender.engine.gradients.run import run
from redmax_blender.engine.gradients.search.search import Search, search
from redmax_blender.engine.run.simulate import scene_options
from redmax_blender.engine.scene import spec as sc
from redmax_blender.engine.scene import task as st

METHODS = ("l-bfgs-b", "least-squares", "cma-es")
H = 0.01


def thrown(method: str, **more: object) -> sc.SceneSpec:
    """A ball that is to be at a place half a second after it is thrown."""
    ball = sc.BodySpec(name="ball", shape=sc.Sphere(radius=0.05), joint=sc.JointSpec(type=sc.Free()))
    goal = st.PointGoal(body="ball", target=[1.0, -0.5, 0.75])
    velocity = st.StartVelocityParameter(
        joint="ball", coordinates=[0, 1, 2], lower=-8.0, upper=8.0, scale=4.0
    )
    return sc.SceneSpec(
        bodies=[ball],
        gravity=(0.0, 0.0, -10.0),
        integrator="euler-midway",
        time=sc.TimeSpec(end=0.5, step=H),
        task=st.TaskSpec(parameters=[velocity], objectives=[goal], method=method, iterations=200, **more),  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("method", METHODS)
def test_a_throw_is_found(method: str) -> None:
    found = search(Problem(thrown(method, enough=1e-10)))
    assert found.status == "converged" and found.best is not None
    # steps of Euler fall by g t (t + h) / 2
    np.testing.assert_allclose(found.best.values, [2.0, -1.0, 1.5 + 0.5 * 10.0 * (0.5 + H)], atol=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_bounds_are_kept_and_the_nearest_is_found(method: str) -> None:
    spec = thrown(method)
    assert spec.task is not None
    spec.task.parameters[0].upper = [1.0, 8.0, 8.0]
    problem = Problem(spec)
    seen: list[float] = []

    def watch(state: Search) -> None:
        assert state.best is not None
        seen.append(float(state.best.values[0]))

    found = search(problem, watch)
    assert found.best is not None and max(seen) <= 1.0
    np.testing.assert_allclose(found.best.values, [1.0, -1.0, 4.05], atol=1e-3)


def test_a_cancelled_search_keeps_the_best() -> None:
    found = search(Problem(thrown("cma-es")), lambda s: len(s.history) == 20)
    assert found.status == "cancelled" and found.best is not None
    assert found.best.objective == found.history[-1] < found.history[0]


def test_stiffness_and_damping_are_found_from_a_motion() -> None:
    def pendulum(stiffness: float, damping: float) -> sc.SceneSpec:
        joint = sc.JointSpec(
            type=sc.Revolute(axis=(0, 1, 0)), q=0.6, rest=0.0, stiffness=stiffness, damping=damping
        )
        bar = sc.BodySpec(
            name="bar",
            shape=sc.Cuboid(sides=(0.1, 0.1, 0.4)),
            pose=sc.Pose(position=(0, 0, -0.2)),
            joint=joint,
        )
        return sc.SceneSpec(bodies=[bar], integrator="euler-midway", time=sc.TimeSpec(end=0.6, step=H))

    known = pendulum(30.0, 0.7)
    states = run(compile_scene(known), scene_options(known), 60).states
    seen = sc.Sampled(times=[s.t for s in states], values=[float(s.q[0]) for s in states])
    spec = pendulum(5.0, 0.1)
    spec.task = st.TaskSpec(
        parameters=[
            st.ValueParameter(path="bodies.bar.joint.stiffness", lower=0.0, scale=10.0),
            st.ValueParameter(path="bodies.bar.joint.damping", lower=0.0),
        ],
        objectives=[st.CoordinatesGoal(joint="bar", target=[seen], start=0.0)],
        method="least-squares",
    )
    problem = Problem(spec)
    found = search(problem)
    assert found.best is not None
    np.testing.assert_allclose(found.best.values, [30.0, 0.7], rtol=0.01)
    assert problem.simulations < 60


def test_half_the_squares_are_the_objective() -> None:
    checked = 0
    for seed in range(20):
        problem = Problem(random_scene(seed, "euler-midway"))
        try:
            here, squared = problem.residuals(problem.parameters.initial)
        except InputError as error:
            assert "no sum of squares" in str(error)
            continue
        except FAILURES:
            continue  # some draw more than the step can do
        assert 0.5 * float(squared @ squared) == pytest.approx(here.objective, rel=1e-9)
        checked += 1
    assert checked > 5


def test_a_pose_is_the_sum_of_its_joints() -> None:
    spec = random_scene(30, "euler-midway")  # one universal joint
    name = spec.bodies[0].name
    assert spec.task is not None
    spec.task.objectives = [st.PoseGoal(joints=[name], targets=[[0.1, None]])]
    pose = Problem(spec).measure(Problem(spec).parameters.initial).objective
    spec.task.objectives = [st.CoordinatesGoal(joint=name, target=[0.1, None])]
    assert pose == Problem(spec).measure(Problem(spec).parameters.initial).objective


@pytest.mark.parametrize("times", [[], [0.0, 0.3]])
def test_any_curve_may_change(times: list[float]) -> None:
    spec = thrown("l-bfgs-b", enough=1e-12)
    assert spec.task is not None
    spec.forces = [sc.PointForce(body="ball", force=[sc.Constant(0.0), sc.Constant(0.0), sc.Constant(0.0)])]
    spec.task.parameters = [
        st.CurveParameter(path=f"forces.0.force.{k}", times=times, scale=5.0) for k in range(3)
    ]
    found = search(Problem(spec))
    assert found.best is not None and found.best.objective < 1e-8
    names = Problem(spec).parameters.names
    assert names[0] == "forces.0.force.0" + (" at 0 s" if times else "")


def test_a_path_without_a_curve_gets_clear_words() -> None:
    spec = thrown("l-bfgs-b")
    assert spec.task is not None
    spec.task.parameters = [st.CurveParameter(path="bodies.ball.pose")]
    with pytest.raises(InputError, match="leads to no curve"):
        Problem(spec)


@pytest.mark.parametrize("start", [1.0, 0.5])
def test_the_weight_of_a_body_is_found_from_its_fall(start: float) -> None:
    """Also from 1, where a body feels all of gravity and nothing makes up for it."""
    spec = thrown("l-bfgs-b", enough=1e-12)
    assert spec.task is not None
    spec.bodies[0].weight = start
    spec.bodies[0].joint.qdot = [0.0] * 6
    spec.task.parameters = [st.ValueParameter(path="bodies.ball.weight")]
    spec.task.objectives = [
        st.PointGoal(body="ball", target=[None, None, -0.25 * 0.5 * 10.0 * 0.5 * (0.5 + H)])
    ]
    found = search(Problem(spec))
    assert found.best is not None
    np.testing.assert_allclose(found.best.values, [0.25], atol=1e-6)
