"""Every feature in the kernel of steps: the same motion as by the general route, and none from what is idle."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
import pytest
from test_touch_route import GROUND, arm, routes

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.integrators.euler import EulerSteps
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.scene import (
    Constant,
    Field,
    Gear,
    Guide,
    JointSpec,
    LoopDistance,
    LoopPoint,
    Motor,
    Point,
    PointForce,
    Pose,
    PrescribedPoint,
    SceneSpec,
    SelfCollision,
    Sine,
    Spring,
    Switch,
    Term,
    Wind,
)
from redmax_blender.engine.step.taken import Taken

Change = Callable[[SceneSpec], None]
TIP, BASE = Point((0.0, 0.0, -0.2), "lower"), Point((0.1, 0.0, 0.0), "base")
WORLD = Point((0.3, 0.2, 0.9))


def scene() -> SceneSpec:
    return SceneSpec(bodies=arm(2.0), colliders=[GROUND], self_collision=SelfCollision())


def _joint(spec: SceneSpec, body: int, **changes: object) -> None:
    joint = msgspec.structs.replace(spec.bodies[body].joint, **changes)
    assert isinstance(joint, JointSpec)
    spec.bodies[body] = msgspec.structs.replace(spec.bodies[body], joint=joint)


def guided(spec: SceneSpec, stiffness: float = 4.0, way: float = 0.3) -> None:
    _joint(
        spec, 1, motion=[Sine(way, 1.0)], modes=[Switch(-1.0, "guided")], guide=Guide(stiffness, 0.1 * stiffness)
    )  # fmt: skip


def keyed(spec: SceneSpec) -> None:
    _joint(spec, 1, motion=[Sine(0.1, 1.0)])


def motor(spec: SceneSpec, torque: float = 0.4) -> None:
    _joint(spec, 2, motors=[Motor(Constant(-1.0), torque)])


def force(spec: SceneSpec, size: float = 30.0) -> None:
    spec.forces.append(PointForce("base", (0.1, 0.0, 0.0), force=[Sine(size, 2.0), None, None]))
    spec.forces.append(PointForce("lower", torque=[None, Constant(0.02 * size), None], axes="body"))


def wind(spec: SceneSpec, drag: float = 1.0, implicit: bool = True) -> None:
    spec.forces.append(Wind([Constant(4.0), Sine(2.0, 1.0), None], drag, 0.5 * drag, implicit=implicit))


def fields(spec: SceneSpec, strength: float = 8.0) -> None:
    at = Pose((0.4, -0.3, 0.5), [0.3, 0.5, -0.2])
    for type_, share in (
        ("force", 1.0),
        ("vortex", 0.7),
        ("magnetic", 0.5),
        ("turbulence", 1.0),
        ("drag", 0.1),
    ):
        spec.forces.append(Field(type_, at, strength=Sine(share * strength, 1.0), power=0.5, size=0.7))
    spec.forces.append(
        Field("wind", at, strength=strength, flow=0.05 * strength, noise=0.1 * strength, spread=False)
    )


def led(spec: SceneSpec, stiffness: float = 80.0) -> None:
    spec.constraints.append(
        PrescribedPoint(
            TIP, [Constant(0.3), Sine(0.2, 1.0), Constant(0.3)], modes=[Switch(-1.0, "guided")],
            guide=Guide(stiffness, 0.05 * stiffness),
        )
    )  # fmt: skip


def spring(spec: SceneSpec, stiffness: float = 150.0) -> None:
    spec.forces.append(Spring([TIP, BASE], stiffness, 0.01 * stiffness, rest_length=0.2))


def anchored(spec: SceneSpec, stiffness: float = 150.0) -> None:
    spec.forces.append(Spring([TIP, WORLD], stiffness, 0.01 * stiffness, rest_length=0.3))


def cable(spec: SceneSpec, stiffness: float = 150.0) -> None:
    points = [TIP, Point((0.0, 0.05, 0.0), "upper"), BASE, WORLD]
    spec.forces.append(Spring(points, stiffness, 0.01 * stiffness, rest_length=0.5, tension_only=True))


def rod(spec: SceneSpec) -> None:
    spec.constraints.append(LoopDistance(TIP, BASE))


def rope(spec: SceneSpec, length: float = 0.99) -> None:
    spec.constraints.append(LoopDistance(TIP, WORLD, length=length, sense="at-most"))


def loop(spec: SceneSpec) -> None:
    spec.constraints.append(LoopPoint(TIP, Point((0.2, 0.0, -0.8), None), perpendicular_to=(0.0, 0.0, 1.0)))


def gear(spec: SceneSpec) -> None:
    joints = [spec.bodies[i].joint.name or spec.bodies[i].name for i in (1, 2)]
    spec.constraints.append(Gear([Term(joints[0], 1.0), Term(joints[1], 2.0)], offset=0.0))


FEATURES: dict[str, Change] = {
    "guided": guided,
    "keyed": keyed,
    "a motor": motor,
    "forces": force,
    "wind": wind,
    "fields": fields,
    "explicit wind": lambda spec: wind(spec, implicit=False),
    "a point guided": led,
    "a spring": spring,
    "a spring to the world": anchored,
    "a cable": cable,
    "a rod": rod,
    "a rope": rope,
    "a loop": loop,
    "a gear": gear,
}


@pytest.mark.parametrize("name", FEATURES)
@pytest.mark.parametrize("corrections", [0, 2])
def test_steps_with_a_feature_are_those_of_the_general_route(name: str, corrections: int) -> None:
    spec = scene()
    FEATURES[name](spec)
    fast, slow = routes(spec, sleep=False, corrections=corrections, tolerance=1e-11, position_tolerance=1e-9)
    for _ in range(40):
        slow.state = fast.state
        next(fast), next(slow)
        assert isinstance(fast.memory.latest, Taken)
        # a stop that a loop leans on may be put right before the loop, or after it
        far = 1e-5 if name == "a loop" else 1e-7
        np.testing.assert_allclose(fast.state.q, slow.state.q, atol=far)
        np.testing.assert_allclose(fast.state.qdot, slow.state.qdot, atol=max(far * 240, 2e-5))


@pytest.mark.parametrize(
    ("mode", "over"), [("free", 0.0), ("guided", 0.0), ("prescribed", 0.0), ("prescribed", 0.02)]
)
@pytest.mark.parametrize("corrections", [0, 2])
def test_only_the_step_of_a_switch_is_for_the_general_route(mode: str, over: float, corrections: int) -> None:
    spec, h = scene(), 1 / 240
    before = [] if mode == "free" else [Switch(-1.0, "free")]
    _joint(
        spec,
        1,
        motion=[Sine(0.2, 1.0)],
        modes=[*before, Switch(0.0501, mode, over=over)],
        guide=Guide(4.0, 0.4),
    )
    fast, slow = routes(spec, sleep=False, corrections=corrections, tolerance=1e-11, position_tolerance=1e-9)
    general = 0
    for _ in range(30):
        slow.state = fast.state
        next(fast), next(slow)
        general += not isinstance(fast.memory.latest, Taken)
        np.testing.assert_allclose(fast.state.q, slow.state.q, atol=1e-7)
        np.testing.assert_allclose(fast.state.qdot, slow.state.qdot, atol=2e-5)
    assert 1 <= general <= 2 + over / h


IDLE: dict[str, Change] = {
    "a guide without stiffness": lambda spec: guided(spec, 1e-12, 0.0),
    "a motor without torque": lambda spec: motor(spec, 0.0),
    "a force of zero": lambda spec: force(spec, 0.0),
    "fields without strength": lambda spec: fields(spec, 0.0),
    "wind without drag": lambda spec: wind(spec, 0.0),
    "a guide of a point without stiffness": lambda spec: led(spec, 0.0),
    "a spring without stiffness": lambda spec: spring(spec, 0.0),
    "a cable without stiffness": lambda spec: cable(spec, 0.0),
    "a rope that is slack": lambda spec: rope(spec, 30.0),
}


@pytest.mark.parametrize("name", IDLE)
def test_what_is_idle_changes_nothing(name: str) -> None:
    """At the options that users have."""
    spec = scene()
    IDLE[name](spec)
    runs = []
    for each in (scene(), spec):
        model = compile_scene(each)
        runs.append(EulerSteps(model, model.initial_state(), Options(h=1 / 240, sleep=False)))
    for _ in range(60):
        for run in runs:
            next(run)
        np.testing.assert_allclose(runs[1].state.q, runs[0].state.q, atol=1e-6)


def test_frames_are_the_same_as_steps_one_by_one() -> None:
    spec = scene()
    for name in ("guided", "wind", "fields", "a spring", "a rope", "a motor"):
        FEATURES[name](spec)
    model = compile_scene(spec)
    one, many = (EulerSteps(model, model.initial_state(), Options(h=1 / 240, sleep=False)) for _ in range(2))
    for _ in range(12):
        left = 10
        while left:
            left -= many.advance(left)
        for _ in range(10):
            next(one)
        np.testing.assert_array_equal(many.state.q, one.state.q)
        np.testing.assert_array_equal(many.state.qdot, one.state.qdot)
