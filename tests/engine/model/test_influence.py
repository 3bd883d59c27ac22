"""Points that follow their paths as much as an influence says, from not at all to exactly; and what is let go."""

from __future__ import annotations

import numpy as np
import pytest
from mechanisms import end_of, point_of, rod
from small_scenes import pendulum

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import SceneError
from redmax_blender.engine.integrators.bdf import bdf2
from redmax_blender.engine.integrators.euler import EulerSteps, euler, euler_midway
from redmax_blender.engine.model.curves import evaluate
from redmax_blender.engine.model.records import Floats, Model
from redmax_blender.engine.model.state import Options, State
from redmax_blender.engine.scene import (
    BodySpec,
    Constant,
    Curve,
    Free,
    Guide,
    JointSpec,
    Piece,
    Piecewise,
    Polynomial,
    Sampled,
    SceneSpec,
    Sine,
    Sphere,
    Switch,
)
from redmax_blender.engine.scene.constraints import PrescribedPoint
from redmax_blender.engine.scene.forces import Point

RESPONSE = 0.05
TIP = end_of(0.1, "hand")
GUIDED = [Switch(time=-1.0, mode="guided")]


def limb(influence: Curve | None, path: list[Curve | None], modes: list[Switch] = GUIDED) -> SceneSpec:
    """Upper arm, lower arm and hand, 1.1 m in all, whose tip is led along a path in the plane y = 0."""
    return SceneSpec(
        bodies=[
            rod("upper", 0.5, None, (0.0, 0.0, 0.0), 0.3),
            rod("lower", 0.5, "upper", (0.5, 0.0, 0.0), -1.0),
            rod("hand", 0.1, "lower", (0.5, 0.0, 0.0), 0.0),
        ],
        constraints=[
            PrescribedPoint(
                point=TIP, path=path, modes=modes, guide=Guide(response=RESPONSE), influence=influence
            )
        ],
    )


def circle() -> list[Curve | None]:
    """A path that begins at the tip."""
    model = compile_scene(limb(None, [Constant(0.0), None, None]))
    x, _, z = point_of(model, model.initial_state(), TIP)
    return [
        Sine(amplitude=0.1, frequency=0.8, offset=float(x)),
        None,
        Sine(amplitude=0.1, frequency=0.5, offset=float(z)),
    ]


def run(spec: SceneSpec, h: float, end: float) -> tuple[Model, list[State]]:
    model = compile_scene(spec)
    steps: EulerSteps = euler_midway(model, model.initial_state(), Options(h=h))
    return model, [next(steps) for _ in range(round(end / h))]


def tips(model: Model, states: list[State]) -> Floats:
    return np.array([point_of(model, state, TIP)[[0, 2]] for state in states])


@pytest.mark.parametrize("influence", [0.2, 0.5, 0.8, 0.97])
def test_a_weight_hangs_the_less_below_its_target_the_more_influence_there_is(influence: float) -> None:
    """The time of the guide is multiplied by (1 - s) / s, and a weight hangs g · time² below."""
    spec = SceneSpec(
        bodies=[BodySpec(name="ball", shape=Sphere(0.1), mass=2.0, joint=JointSpec(type=Free()))],
        constraints=[
            PrescribedPoint(
                point=Point(body="ball"),
                path=[Constant(0.0)] * 3,
                modes=GUIDED,
                guide=Guide(response=RESPONSE),
                influence=Constant(influence),
            )
        ],
    )
    _, states = run(spec, 1 / 100, 5.0)
    time = RESPONSE * (1.0 - influence) / influence
    assert states[-1].q[2] == pytest.approx(-9.81 * time**2, rel=1e-4)


def test_no_influence_is_none() -> None:
    spec = limb(Constant(0.0), [Constant(3.0), None, Constant(1.0)])
    alone = limb(None, [Constant(3.0), None, Constant(1.0)])
    alone.constraints = []
    ends = [run(each, 1 / 240, 0.5)[1][-1].q for each in (spec, alone)]
    np.testing.assert_allclose(*ends, atol=1e-12)


def test_towards_full_influence_the_motion_becomes_the_exact_one() -> None:
    """Up to what a step does not see of the path's curvature, which bends by h² · 2.5 m/s² in it."""
    exact = tips(*run(limb(None, circle(), []), 1 / 240, 1.0))
    off = [
        np.abs(tips(*run(limb(Constant(s), circle()), 1 / 240, 1.0)) - exact)[48:].max()
        for s in (0.5, 0.8, 0.9, 0.97, 0.999)
    ]
    assert all(firmer < 0.6 * softer for softer, firmer in zip(off, off[1:], strict=False)), off
    assert off[0] > 0.005
    assert off[-1] < 2.5 / 240**2


@pytest.mark.parametrize(("h", "end"), [(1 / 960, 1.0), (1 / 96, 4.0)])
@pytest.mark.parametrize("influence", [0.5, 0.9, 0.99, 0.999])
def test_a_target_out_of_reach_shakes_nothing(influence: float, h: float, end: float) -> None:
    """The limb stretches out towards it and comes to rest, however firm the guide and however long the step; in long
    ones it takes more time."""
    model, states = run(limb(Constant(influence), [Constant(-3.0), None, Constant(1.0)]), h, end)
    assert np.abs(states[-1].qdot).max() < 0.1
    tip = tips(model, states)[-1]
    np.testing.assert_allclose(tip, 1.1 * np.array([-3.0, 1.0]) / np.sqrt(10.0), atol=0.05)
    assert np.abs(np.array([s.qdot for s in states])).max() * h < 0.25


def test_influence_that_comes_and_goes_moves_without_jerks() -> None:
    """From none to almost all and back within a second: velocities change by what shrinks with the step."""
    changes = []
    ramp = Sampled([0.0, 0.5, 1.0], [0.0, 0.95, 0.0], interpolation="linear")
    x, _, z = circle()
    assert isinstance(x, Sine) and isinstance(z, Sine)
    goal: list[Curve | None] = [Constant(x.offset - 0.1), None, Constant(z.offset + 0.1)]
    for h in (1 / 480, 1 / 960, 1 / 1920):
        model, states = run(limb(ramp, goal), h, 1.0)
        speed = np.diff(tips(model, states), axis=0) / h
        changes.append(np.abs(np.diff(speed, axis=0)).max())
        if h < 1 / 1000:
            assert (
                np.linalg.norm(tips(model, states)[round(0.55 / h)] - [x.offset - 0.1, z.offset + 0.1]) < 0.01
            )
    assert changes[2] < 0.6 * changes[1] < 0.36 * changes[0]


def test_steps_agree_with_those_that_are_implicit_in_every_term() -> None:
    spec = limb(Sampled([0.0, 0.5], [0.2, 0.8], interpolation="linear"), circle())
    model = compile_scene(spec)
    fine = bdf2(model, model.initial_state(), Options(h=1 / 480))
    for _ in range(240):
        last = next(fine)
    off = [np.abs(run(spec, h, 0.5)[1][-1].q - last.q).max() for h in (1 / 480, 1 / 1920)]
    assert off[1] < 0.3 * off[0]
    assert off[1] < 0.02


def test_influence_needs_a_point_that_is_guided() -> None:
    spec = limb(Constant(0.5), circle(), [Switch(time=1.0, mode="free")])
    with pytest.raises(SceneError, match="never guided"):
        compile_scene(spec)


# What is let go -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [euler, euler_midway])
@pytest.mark.parametrize("h", [1 / 20, 1 / 200])
def test_a_joint_is_let_go_with_the_rate_of_its_motion(step: object, h: float) -> None:
    """With that at the time itself, whatever the step, and of the motion before: here it stops dead afterwards."""
    swing = Polynomial([0.0, 1.0, 2.0, -1.0])
    motion = Piecewise([Piece(swing, until=1.0), Piece(Constant(2.0))])
    spec = pendulum(motion=[motion], modes=[Switch(time=1.0, mode="free")])
    spec.gravity = (0.0, 0.0, 0.0)
    model = compile_scene(spec)
    steps = step(model, model.initial_state(), Options(h=h))  # type: ignore[operator]
    states = [next(steps) for _ in range(round(1.5 / h))]
    released = states[round(1.0 / h) - 1]
    assert released.q[0] == pytest.approx(2.0, abs=1e-12)
    assert released.qdot[0] == pytest.approx(2.0, abs=1e-7)  # 1 + 4 t - 3 t²
    assert evaluate(model.joints.motion, 1.0)[0, 1] == 0.0
    assert states[-1].q[0] == pytest.approx(3.0, rel=1e-6)
