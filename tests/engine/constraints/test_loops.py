"""Loops, gears and rings that stay closed for a minute, whatever rows close them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from mechanisms import (
    NO_GRAVITY,
    Y,
    end_of,
    four_bar,
    gear_train,
    open_by,
    ring,
    rod,
    run,
    slider_crank,
    total,
)

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.integrators.euler import EulerSteps
from redmax_blender.engine.model.records import Floats
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.run.energy import energies
from redmax_blender.engine.scene import BodySpec, Cuboid, Free, JointSpec, Polynomial, Pose, SceneSpec, Sine
from redmax_blender.engine.scene.constraints import LoopHinge, LoopPiston, LoopPoint, LoopSlider, LoopWeld
from redmax_blender.engine.scene.forces import Point, PointForce
from redmax_blender.engine.tree.kinematics import forward_kinematics


def driven_four_bar() -> SceneSpec:
    """Turned by a motor that pulses, against some friction in the crank."""
    return four_bar(torque=[Sine(amplitude=3.0, frequency=0.31, offset=4.0)], damping=1.0)


def driven_slider_crank() -> SceneSpec:
    return slider_crank(motion=[Polynomial(coefficients=[0.0, 4.0])])


def driven_gears() -> SceneSpec:
    spec = gear_train(torque=[Sine(amplitude=2.0, frequency=0.7)])
    spec.gravity = NO_GRAVITY
    return spec


def shaken_ring() -> SceneSpec:
    """Twenty rods, pushed to and fro; enough friction that they do not whirl."""
    spec = ring()
    for body in spec.bodies:
        body.joint.damping = 0.2
    spec.forces = [PointForce(body="link10", force=[Sine(amplitude=3.0, frequency=0.4), None, None])]
    return spec


MECHANISMS: dict[str, Callable[[], SceneSpec]] = {
    "four-bar": driven_four_bar,
    "slider-crank": driven_slider_crank,
    "gear train": driven_gears,
    "ring of twenty": shaken_ring,
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_mechanism_stays_closed_for_a_minute(name: str) -> None:
    model = compile_scene(MECHANISMS[name]())
    h = 1.0 / 60.0
    steps = EulerSteps(model, model.initial_state(), Options(h=h))
    errors, fastest = [], 0.0
    for k in range(3600):
        state = next(steps)
        fastest = max(fastest, float(np.abs(state.qdot).max()))
        if k >= 60:
            errors.append(open_by(model, state))
            assert steps.memory.report.residual == pytest.approx(errors[-1], abs=1e-12)
    assert fastest > 1.0  # it did move
    assert max(errors) < 1e-5, "a hundred-thousandth of the size, where a ten-thousandth is asked for"
    assert max(errors[-600:]) <= 2.0 * max(errors[:600]) + 1e-12, "the error grows"


def test_slider_crank_follows_its_formula() -> None:
    model = compile_scene(driven_slider_crank())
    states, _ = run(model, 1.0 / 240.0, 2.0)
    a, b = 0.2, 0.6
    start = np.sqrt(b * b - a * a)
    for s in states:
        # the crank begins upright, and turning about y takes z towards x
        angle = 0.5 * np.pi - s.q[0]
        x = a * np.cos(angle) + np.sqrt(b * b - (a * np.sin(angle)) ** 2)
        assert start + s.q[2] == pytest.approx(x, abs=1e-5)


def test_gears_keep_their_ratios() -> None:
    model = compile_scene(driven_gears())
    for s in run(model, 1.0 / 120.0, 2.0)[0]:
        np.testing.assert_allclose(s.q[1:], [-2.0 * s.q[0], s.q[0], 0.3 * s.q[0]], atol=1e-10)


def test_rows_that_repeat_each_other_change_nothing() -> None:
    """A hinge in space closes a flat four-bar with five rows, of which three say what its hinges say already."""
    ends = {}
    for closure in ("hinge", "point", "planar"):
        for solver in ("direct", "pcg"):
            model = compile_scene(four_bar(closure, speed=4.0))
            states, steps = run(
                model, 1.0 / 240.0, 1.0, solver=solver, tolerance=1e-10, position_tolerance=1e-9
            )
            ends[closure, solver] = states[-1].q
            assert len(steps.memory.report.rows.owner) == {"hinge": 5, "point": 3, "planar": 2}[closure]  # type: ignore[union-attr]
    for q in ends.values():
        np.testing.assert_allclose(q, ends["planar", "direct"], atol=1e-6)


@pytest.mark.parametrize("corrections", [0, 2])
def test_a_closed_mechanism_that_runs_freely_gains_no_energy(corrections: int) -> None:
    """At long steps, with Coriolis forces at the step's start and midway through it (`euler`, `euler-midway`)."""
    model = compile_scene(four_bar(speed=6.0))
    states, _ = run(model, 1.0 / 60.0, 10.0, corrections=corrections)
    e = np.array([total(model, s) for s in states])
    moving = energies(model, states[0], forward_kinematics(model, states[0]))[0]
    assert e.max() < e[0] + 0.5 * moving
    assert e[-1] < e[0]


@pytest.mark.parametrize("name", ["four-bar", "ring"])
def test_a_closed_mechanism_loses_energy_as_a_first_order_step_does(name: str) -> None:
    """Without friction: half the step, half the loss; and never a gain beyond that order."""
    lost = []
    for h in (1.0 / 480.0, 1.0 / 960.0):
        model = compile_scene(four_bar(speed=4.0) if name == "four-bar" else ring(8, qdot=1.0))
        states, _ = run(model, h, 0.5)
        lost.append(total(model, states[0]) - total(model, states[-1]))
    assert lost[0] == pytest.approx(2.0 * lost[1], rel=0.25)


def test_every_kind_of_loop_leaves_the_freedoms_of_its_joint() -> None:
    """A free-flying body, held to a swinging one by each kind of loop, moves against it only as that joint would."""
    for kind, freedoms in ((LoopPoint, 3), (LoopHinge, 1), (LoopWeld, 0), (LoopSlider, 1), (LoopPiston, 2)):
        spec = SceneSpec(
            bodies=[rod("swing", 1.0, None, (0.0, 0.0, 0.0), 0.3), _flyer()], gravity=(0.0, 0.0, -9.81)
        )
        given = {"axis": Y} if kind in (LoopHinge, LoopSlider, LoopPiston) else {}
        tip, here = end_of(1.0, "swing"), Point(body="flyer", position=(-0.1, 0.0, 0.0))
        spec.constraints = [kind(a=tip, b=here, **given)]
        model = compile_scene(spec)
        steps = EulerSteps(model, model.initial_state(), Options(h=1.0 / 240.0))
        for _ in range(240):
            state = next(steps)
        rows = steps.memory.report.rows
        assert rows is not None
        assert np.linalg.matrix_rank(rows.G, tol=1e-9) == 6 - freedoms
        assert open_by(model, state) < 1e-5
        slip: Floats = rows.G @ state.qdot
        assert np.abs(slip).max() < 0.05  # at the velocity level to the order of the step


def _flyer() -> BodySpec:
    tip = (float(np.cos(0.3)), 0.0, float(-np.sin(0.3)))
    return BodySpec(
        name="flyer",
        shape=Cuboid(sides=(0.2, 0.1, 0.3)),
        mass=0.5,
        joint=JointSpec(
            type=Free(), frame=Pose(position=(tip[0] + 0.1, 0.0, tip[2])), qdot=[0.0, 0.0, 0.0, 0.5, 0.5, 0.5]
        ),
    )
