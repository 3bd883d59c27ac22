"""The umbrella: what was published of it, its check, how it opens, and the solvers on it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from redmax_blender.engine import Result, compile_scene, scene_options, simulate
from redmax_blender.engine.errors import InputError
from redmax_blender.engine.integrators.euler import EulerSteps, euler
from redmax_blender.engine.model.curves import evaluate
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.shots.umbrella import RUNNER_AT, STABILISATION, TUBE_HEIGHT, Umbrella, check, spec


def run(umbrella: Umbrella, end: float) -> Result:
    scene = spec(umbrella, end=end)
    model = compile_scene(scene)
    return Result.from_frames(model, simulate(model, scene_options(scene), end=end, record=4))


def advance(umbrella: Umbrella, solver: str, steps: int) -> tuple[EulerSteps, list[int]]:
    """As published, with the iterations of every solve."""
    model = compile_scene(spec(umbrella))
    stepping = euler(
        model, model.initial_state(), Options(h=0.01, solver=solver, stabilisation=STABILISATION)
    )
    iterations: list[int] = []
    for _ in range(steps):
        next(stepping)
        iterations += stepping.memory.report.iterations
    return stepping, iterations


@pytest.fixture(scope="module")
def opened() -> Result:
    return run(Umbrella(driven="runner"), 3.6)


@pytest.mark.parametrize(
    ("n", "bodies", "coordinates"), [(4, 50, 97), (8, 98, 193), (16, 194, 385), (32, 386, 769)]
)
def test_bodies_coordinates_and_rows_are_as_many_as_published(n: int, bodies: int, coordinates: int) -> None:
    model = compile_scene(spec(Umbrella(n)))
    assert (len(model.bodies.names), model.nr) == (bodies, coordinates)
    assert len(model.constraints.rows.type) == 16
    assert len(model.springs.rest) == 8 * n
    assert model.springs.stiffness * model.springs.rest == pytest.approx(6.0)


def test_sizes_are_as_published() -> None:
    umbrella = Umbrella(4)
    assert umbrella.stretcher == pytest.approx(2 * 15.851245716836504, rel=1e-12)
    assert umbrella.rib_rod == 12.5
    with pytest.raises(InputError, match=r"1 rods.*at least 2"):
        Umbrella(1)


def test_the_push_lifts_the_runner_as_in_the_published_code() -> None:
    """10.9819 by the C++ program of the paper after a second; its dampers have a wrong sign and do not brake."""
    stepping, _ = advance(Umbrella(4), "pcg", 100)
    height = RUNNER_AT + stepping.state.q[0]
    assert 10.9 < height < 10.9819


@pytest.mark.parametrize("umbrella", [Umbrella(), Umbrella(up="z"), Umbrella(9, parameters="sim")])
def test_pushed_it_passes_its_own_check(umbrella: Umbrella) -> None:
    check(run(umbrella, 1.0), umbrella)


@pytest.mark.parametrize("umbrella", [Umbrella(2, driven="runner"), Umbrella(6, driven="runner", up="z")])
def test_a_moved_runner_opens_it(umbrella: Umbrella) -> None:
    check(run(umbrella, 3.6), umbrella)


def test_the_runner_follows_its_curve_exactly(opened: Result) -> None:
    umbrella = Umbrella(driven="runner")
    curve = compile_scene(spec(umbrella)).joints.motion
    wanted = np.array([evaluate(curve, float(t))[0, 0] for t in opened.t])
    assert np.abs(opened.q[:, opened.coordinates("runner")][:, 0] - wanted).max() < 1e-9
    assert wanted[-1] == pytest.approx(umbrella.travel)


def test_the_check_sees_what_is_wrong(opened: Result) -> None:
    umbrella = Umbrella(driven="runner")
    check(opened, umbrella)
    poses = opened.body_pose.copy()
    poses[30, opened.bodies.index("stretcher.3.002"), 10] += 1e-3 * TUBE_HEIGHT
    with pytest.raises(AssertionError, match="stretcher 3 leaves its rib"):
        check(replace(opened, body_pose=poses), umbrella)
    poses = opened.joint_pose.copy()
    poses[30, opened.bodies.index("rib.5.004"), 9] += 0.1
    with pytest.raises(AssertionError, match="symmetric"):
        check(replace(opened, joint_pose=poses), umbrella)
    closed = np.repeat(opened.joint_pose[:1], len(opened), axis=0)
    with pytest.raises(AssertionError, match="its tips are only"):
        check(replace(opened, joint_pose=closed), umbrella)
    pushed = run(Umbrella(), 0.4)
    energy = pushed.energy.copy()
    energy[-1, 0] *= 10.0
    with pytest.raises(AssertionError, match="more than the push has given"):
        check(replace(pushed, energy=energy))


def test_solvers_agree() -> None:
    states = {solver: advance(Umbrella(5), solver, 60)[0].state for solver in ("direct", "pcg", "auto")}
    for solver in ("pcg", "auto"):
        assert np.abs(states[solver].q - states["direct"].q).max() < 1e-6, solver


def test_iterations_do_not_grow_with_size() -> None:
    means = [np.mean(advance(Umbrella(n), "pcg", 40)[1]) for n in (4, 16, 46)]
    assert max(means) <= 3.0
    assert max(means) - min(means) < 1.0
