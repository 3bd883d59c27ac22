"""Ropes and struts: inequalities between points."""

from __future__ import annotations

import numpy as np
import pytest

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import InputError, SceneError
from redmax_blender.engine.integrators.euler import euler_midway
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import Options, State
from redmax_blender.engine.run.simulate import simulate
from redmax_blender.engine.scene import (
    BodySpec,
    Free,
    Interval,
    JointSpec,
    LoopDistance,
    Point,
    Pose,
    SceneSpec,
    Sphere,
)


def stone(at: tuple[float, float, float], qdot: list[float] | None = None, **rope: object) -> SceneSpec:
    """A small heavy ball that is free, but for a rope to the origin."""
    ball = BodySpec("stone", Sphere(0.01), mass=2.0, joint=JointSpec(Free(), frame=Pose(at), qdot=qdot))
    hold = LoopDistance(Point((0.0, 0.0, 0.0)), Point(body="stone"), name="rope", **rope)  # type: ignore[arg-type]
    return SceneSpec(bodies=[ball], constraints=[hold])


def run(spec: SceneSpec, seconds: float, h: float) -> tuple[Model, list[State]]:
    model = compile_scene(spec)
    steps = euler_midway(model, model.initial_state(), Options(h=h))
    return model, [next(steps) for _ in range(round(seconds / h))]


def distances(spec: SceneSpec, states: list[State]) -> np.ndarray:
    return np.linalg.norm(spec.bodies[0].joint.frame.position + np.array([s.q[:3] for s in states]), axis=1)


def test_a_stone_on_a_rope_falls_freely_until_the_rope_is_taut_and_never_beyond() -> None:
    spec = stone((0.0, 0.0, -0.2), length=1.0, sense="at-most")
    h = 0.002
    _, states = run(spec, 2.0, h)
    d = distances(spec, states)
    falling = np.flatnonzero(d > 0.999)[0]
    assert falling * h == pytest.approx(np.sqrt(2.0 * 0.8 / 9.81), rel=0.01)
    assert d.max() < 1.0 + 1e-6
    assert np.abs(d[falling + 5 :] - 1.0).max() < 1e-6  # and it hangs there, without a bounce
    assert np.abs(states[-1].qdot).max() < 1e-7


def test_a_taut_rope_is_a_rod() -> None:
    """Swinging below its end, a stone on a rope moves as one on a rod."""
    paths = []
    for sense in ("at-most", "equal"):
        spec = stone((0.8, 0.0, -0.6), sense=sense)
        _, states = run(
            spec, 1.5, 0.001
        )  # a rod leads along its circle in every step, a rope along a tangent
        assert np.abs(distances(spec, states) - 1.0).max() < 2e-4
        paths.append(np.array([s.q[:3] for s in states]))
    assert np.ptp(paths[0], axis=0).max() > 1.0
    assert np.abs(paths[0] - paths[1]).max() < 2e-3


def test_a_slack_rope_does_nothing_where_a_rod_would_push() -> None:
    """Thrown up from below its end, the stone leaves the circle."""
    spec = stone((0.0, 0.0, -1.0), qdot=[0.0, 0.0, 3.0, 0.0, 0.0, 0.0], sense="at-most")
    model, states = run(spec, 0.25, 0.001)
    z = np.array([s.q[2] for s in states])
    t = np.array([s.t for s in states])
    assert np.abs(z - (3.0 * t - 0.5 * 9.81 * t**2)).max() < 2e-3
    assert model.ropes is not None


def test_a_strut_keeps_points_apart_and_lets_them_part() -> None:
    spec = stone((0.0, 0.0, 2.0), length=0.5, sense="at-least")
    _, states = run(spec, 1.0, 0.002)
    d = distances(spec, states)
    assert d.min() > 0.5 - 1e-6
    assert d[-1] == pytest.approx(0.5, abs=1e-6)  # it stands on its head, above the end


def test_a_rope_holds_in_its_intervals_only() -> None:
    spec = stone((0.0, 0.0, -1.0), sense="at-most", active=[Interval(end=0.5)])
    _, states = run(spec, 1.0, 0.005)
    d = distances(spec, states)
    assert np.abs(d[:98] - 1.0).max() < 1e-6
    assert d[-1] - 1.0 == pytest.approx(0.5 * 9.81 * 0.25, rel=0.03)


def test_a_rope_without_length_is_named_and_other_integrators_refuse_it() -> None:
    with pytest.raises(SceneError, match=r"'rope'.*length is 0.0 m"):
        compile_scene(stone((0.0, 0.0, 0.0), sense="at-most"))
    model = compile_scene(stone((0.0, 0.0, -1.0), sense="at-most"))
    with pytest.raises(InputError, match="rope"):
        simulate(model, Options(h=0.01, integrator="bdf2"), end=0.1)
