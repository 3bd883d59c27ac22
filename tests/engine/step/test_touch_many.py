"""Steps in which surfaces touch, many in one call of the kernel: the same as one by one."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from test_touch_route import GROUND, SCENES, arm, loose, routes
from test_touch_rub import PIN, rubbing

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.integrators.euler import EulerSteps
from redmax_blender.engine.integrators.report import StepReport
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.run.simulate import simulate
from redmax_blender.engine.run.tally import Tally
from redmax_blender.engine.scene import Cuboid, Sampled, SceneSpec, SelfCollision, Sine, Sphere
from redmax_blender.engine.shots.figure import Skin, figure
from redmax_blender.engine.step.taken import Taken


def falling() -> SceneSpec:
    """A figure whose fingers turn so fast when it lands that some steps are divided."""
    bodies = figure(Skin(friction=0.6), [0.0, 0.0, 1.92, 0.5, 0.2, 0.0])
    return SceneSpec(bodies=bodies, colliders=[GROUND], self_collision=SelfCollision())


def driven(friction: bool) -> SceneSpec:
    """The arms, of which keys lead the upper and a torque drives the lower, against a spring."""
    bodies = rubbing(arm(5.0), PIN) if friction else arm(5.0)
    keys = Sampled([0.0, 0.3, 0.6, 1.2], [0.0, -0.5, 0.1, 0.0])
    upper = msgspec.structs.replace(bodies[1].joint, motion=[keys], limits=None)
    lower = msgspec.structs.replace(bodies[2].joint, torque=[Sine(1.0, 2.0)])
    bodies[1] = msgspec.structs.replace(bodies[1], joint=upper)
    bodies[2] = msgspec.structs.replace(bodies[2], joint=lower)
    return SceneSpec(bodies=bodies, colliders=[GROUND], self_collision=SelfCollision())


MANY = {
    "spheres and boxes": SCENES["spheres and boxes"],
    "an arm with limits": SCENES["an arm with limits"],
    "an arm with springs": SCENES["an arm with springs"],
    "a floor that moves": SCENES["a floor that moves"],
    "an arm that rubs": SceneSpec(
        bodies=rubbing(arm(), PIN), colliders=[GROUND], self_collision=SelfCollision()
    ),
    "an arm that is driven": driven(False),
    "an arm that is driven and rubs": driven(True),
    "a figure": falling(),
}
LARGEST, CALLS = 7, {"a floor that moves": 1.0}
"""Steps at a time, and calls for a step where something has to be found before each; elsewhere there are few."""


def run(model: Model, most: int, steps: int, **options: object) -> tuple[EulerSteps, Tally, int]:
    """All steps in frames of `LARGEST`, what is counted of them, and how often the run was asked for some."""
    states, tally, calls = EulerSteps(model, model.initial_state(), Options(h=1 / 240, **options)), Tally(), 0
    while states.count < steps:
        states.advance(min(most, LARGEST - states.count % LARGEST, steps - states.count))
        tally.add(states.memory.latest, states.state.t)
        calls += 1
    return states, tally, calls


@pytest.mark.parametrize("name", MANY)
@pytest.mark.parametrize(("corrections", "sleep"), [(0, False), (2, False), (0, True)])
def test_many_steps_are_those_one_by_one(name: str, corrections: int, sleep: bool) -> None:
    model, steps = compile_scene(MANY[name]), 280
    one, told, _ = run(model, 1, steps, corrections=corrections, sleep=sleep)
    many, told_of_many, calls = run(model, LARGEST, steps, corrections=corrections, sleep=sleep)
    np.testing.assert_array_equal(many.state.q, one.state.q)
    np.testing.assert_array_equal(many.state.qdot, one.state.qdot)
    assert many.state.t == one.state.t
    assert told_of_many.summary() == told.summary()
    for name_ in ("keys", "impulse", "place", "owner", "row_value", "bound", "at_rest", "inner"):
        np.testing.assert_array_equal(getattr(many.memory.dry, name_), getattr(one.memory.dry, name_))
    _same(many.memory.report, one.memory.report)
    if not sleep:
        assert calls <= CALLS.get(name, 0.35) * steps


def _same(mine: StepReport, other: StepReport) -> None:
    """Whether the last step is told alike."""
    assert (mine.dry is None) == (other.dry is None)
    if mine.dry is None or other.dry is None:
        return
    np.testing.assert_array_equal(mine.dry.impulse, other.dry.impulse)
    np.testing.assert_array_equal(mine.dry.force, other.dry.force)
    assert (mine.motor is None) == (other.motor is None)
    if mine.motor is not None and other.motor is not None:
        np.testing.assert_array_equal(mine.motor, other.motor)
    if mine.dry.contacts is not None and other.dry.contacts is not None:
        np.testing.assert_array_equal(mine.dry.contacts.x, other.dry.contacts.x)


def test_frames_are_the_same_however_many_steps_they_have() -> None:
    """What a frame records of its last step: contacts, friction and energies."""
    model = compile_scene(MANY["an arm that rubs"])
    options = Options(h=1 / 240)
    every = list(simulate(model, options, end=60 / 240))
    some = list(simulate(model, options, end=60 / 240, record=6))
    for frame, other in zip(some, every[::6], strict=True):
        for name in ("body_pose", "energy", "torque", "friction", "contact"):
            np.testing.assert_array_equal(getattr(frame, name), getattr(other, name), err_msg=name)


@pytest.mark.parametrize("friction", [False, True])
def test_what_acts_in_joints_acts_as_by_the_general_route(friction: bool) -> None:
    exact = {"friction_tolerance": 1e-8, "friction_enough": 0.0} if friction else {}
    fast, slow = routes(driven(friction), sleep=False, **exact)
    touched = 0
    for _ in range(30):
        slow.state = fast.state
        fast.advance(1)
        next(slow)
        if not isinstance(fast.memory.latest, Taken):
            continue
        np.testing.assert_allclose(fast.state.q, slow.state.q, atol=2e-7)
        np.testing.assert_allclose(fast.state.qdot, slow.state.qdot, atol=5e-5)
        mine, other = fast.memory.report, slow.memory.report
        assert mine.motor is not None and other.motor is not None
        np.testing.assert_allclose(mine.motor, other.motor, atol=2e-2, rtol=1e-3)  # of up to 40 N·m
        touched += mine.dry is not None and mine.dry.touches
    assert touched > 10


def test_a_run_ends_before_a_step_that_is_to_be_divided() -> None:
    model = compile_scene(MANY["a figure"])
    states, divided, stopped = EulerSteps(model, model.initial_state(), Options(h=1 / 240, sleep=False)), 0, 0
    while states.count < 240:
        taken = states.advance(50)
        latest = states.memory.latest
        if isinstance(latest, Taken):
            assert len(latest) == taken
            stopped += taken < 50
        else:
            assert taken == 1
            divided += states.memory.report.parts > 1
    assert divided >= 3
    assert stopped >= 3


def test_what_comes_to_rest_falls_asleep_when_it_would_one_by_one() -> None:
    scene = SceneSpec(
        bodies=[
            loose("box", Cuboid((0.3, 0.2, 0.2)), (0.0, 0.0, 0.13), friction=0.6),
            loose("ball", Sphere(0.1), (1.0, 0.0, 0.4), friction=0.6),
        ],
        colliders=[GROUND],
    )
    model = compile_scene(scene)
    slept = []
    for most in (1, 20):
        states = EulerSteps(model, model.initial_state(), Options(h=1 / 240))
        while states.count < 480:
            states.advance(min(most, 480 - states.count))
        sleepers = states.memory.dry.sleepers
        assert sleepers is not None
        slept.append((sleepers.asleep.tolist(), states.state.q.tolist()))
    assert slept[0] == slept[1]
    assert slept[0][0][0]  # the box
