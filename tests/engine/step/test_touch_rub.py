"""Trees whose joints rub, and that touch, by the kernels (`joint_friction.py`): the same as by the general route."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from test_touch_route import GROUND, arm, routes

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.friction.joints.rounds import _SOFTER
from redmax_blender.engine.integrators.euler import EulerSteps, euler
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.run.checkpoint import capture, restore
from redmax_blender.engine.run.energy import energies
from redmax_blender.engine.scene import (
    BodySpec,
    ColliderSpec,
    JointFriction,
    Limits,
    Planar,
    Plane,
    SceneSpec,
    SelfCollision,
    Spherical,
    Universal,
)
from redmax_blender.engine.shots.figure import Skin, figure
from redmax_blender.engine.step.taken import Taken
from redmax_blender.engine.tree.kinematics import forward_kinematics

PIN = JointFriction(0.3, radius=0.02, height=0.05)


def rubbing(bodies: list[BodySpec], friction: JointFriction) -> list[BodySpec]:
    """The same with friction inside all joints but the first."""
    out = bodies[:1]
    for body in bodies[1:]:
        joint = msgspec.structs.replace(body.joint, friction=friction)
        out.append(msgspec.structs.replace(body, joint=joint))
    return out


def scene(friction: JointFriction, stiffness: float = 0.0) -> SceneSpec:
    bodies = rubbing(arm(stiffness), friction)
    return SceneSpec(bodies=bodies, colliders=[GROUND], self_collision=SelfCollision())


def balls() -> SceneSpec:
    """The same arms on balls in sockets, the upper of them held by a spring."""
    bodies = rubbing(arm(), PIN)
    for i, stiffness in ((1, 5.0), (2, 0.0)):
        joint = msgspec.structs.replace(
            bodies[i].joint,
            type=Spherical(),
            limits=None,
            stiffness=stiffness,
            friction=JointFriction(0.3, radius=0.03),
        )
        bodies[i] = msgspec.structs.replace(bodies[i], joint=joint)
    return SceneSpec(bodies=bodies, colliders=[GROUND], self_collision=SelfCollision())


def hand_over(fast: EulerSteps, slow: EulerSteps) -> None:
    """State and what friction hands on from one run to another."""
    slow.state = fast.state
    for name in ("bound", "at_rest", "inner"):
        setattr(slow.memory.dry, name, getattr(fast.memory.dry, name).copy())


SCENES = {
    "pins": scene(PIN),
    "harder at rest": scene(msgspec.structs.replace(PIN, static=0.5)),
    "stiff joints": scene(JointFriction(0.7, radius=0.05, height=0.05)),
    "with springs": scene(PIN, 5.0),
    "balls": balls(),
}


@pytest.mark.parametrize(
    ("name", "corrections"),
    [(name, 0) for name in SCENES]
    + [(name, 2) for name in ("pins", "stiff joints", "with springs", "balls")],
)
def test_both_routes_take_the_same_steps(name: str, corrections: int) -> None:
    """Arms with stops fall, slide and bend on the ground: joints stick, slip and turn back."""
    exact = {"friction_tolerance": 1e-8, "friction_enough": 0.0}
    fast, slow = routes(SCENES[name], sleep=False, corrections=corrections, **exact)
    seen, softer = set(), 0
    for _ in range(100):
        hand_over(fast, slow)
        next(fast), next(slow)
        if not isinstance(fast.memory.latest, Taken):  # it may be divided
            continue
        mine, other = fast.memory.report.dry, slow.memory.report.dry
        assert mine is not None and other is not None
        if other.rounds >= min(_SOFTER):  # bounds are those of rows that give way then
            softer += 1
            np.testing.assert_allclose(fast.state.qdot, slow.state.qdot, atol=1e-3)
            continue
        # of up to 10 rad/s
        np.testing.assert_allclose(fast.state.q, slow.state.q, atol=1e-7)
        np.testing.assert_allclose(fast.state.qdot, slow.state.qdot, atol=2e-5)
        rest, bound = fast.memory.dry.at_rest, fast.memory.dry.bound
        assert fast.model.friction is not None
        for i, (k, n) in enumerate(
            zip(fast.model.friction.rubs.dof, fast.model.friction.rubs.dofs, strict=True)
        ):
            assert not rest[i] or np.abs(fast.state.qdot[k : k + n]).max() <= 1e-5
        same = rest == slow.memory.dry.at_rest
        if name == "harder at rest":  # what has slipped on the way to the solution has the lesser coefficient
            same &= ~rest
        np.testing.assert_allclose(bound[same], slow.memory.dry.bound[same], rtol=1e-3, atol=1e-9)
        if not len(fast.memory.dry.owner):  # a stop and friction hold a joint together in many ways
            np.testing.assert_allclose(mine.force, other.force, rtol=1e-3, atol=1e-5)
        seen.add((tuple(fast.memory.dry.at_rest.tolist()), len(mine.impulse) > 0))
    assert softer < 10
    assert len(seen) >= 3  # of what sticks, in the air and on the ground


@pytest.mark.parametrize("what", ["a plate", "a stop that rubs"])
def test_plates_and_stops_that_rub_are_left_to_the_general_route(what: str) -> None:
    bodies = rubbing(arm(), PIN)
    spec = bodies[1].joint
    if what == "a plate":
        spec = msgspec.structs.replace(spec, type=Planar(), limits=None)
    else:
        limits = Limits(lower=-0.6, upper=0.2, friction=0.5, radius=0.02)
        spec = msgspec.structs.replace(spec, type=Universal(), limits=limits)
    bodies[1] = msgspec.structs.replace(bodies[1], joint=spec)
    model = compile_scene(SceneSpec(bodies=bodies, colliders=[GROUND]))
    assert EulerSteps(model, model.initial_state(), Options(h=1 / 240)).touch is None


def figure_on_the_ground() -> Model:
    ground = ColliderSpec(name="ground", shape=Plane(), friction=0.6)
    bodies = figure(Skin(friction=0.6), [0.0, 0.0, 1.3, 0.5, 0.2, 0.0])
    return compile_scene(SceneSpec(bodies=bodies, colliders=[ground], self_collision=SelfCollision()))


@pytest.mark.filterwarnings("ignore:.*overlap at the start")
def test_a_figure_falls_without_gaining_energy_and_falls_asleep() -> None:
    model = figure_on_the_ground()
    steps = euler(model, model.initial_state(), Options(h=1 / 240))
    limits = model.constraints.limits
    energy, beyond, by_kernels, taken, rub = np.inf, 0.0, 0, 0, 0.0
    for _ in range(1440):
        next(steps)
        by_kernels += isinstance(steps.memory.latest, Taken)
        taken += 1
        if steps.memory.report.solver == "asleep":
            break
        now = float(energies(model, steps.state, forward_kinematics(model, steps.state)).sum())
        assert now <= energy + 0.05  # [J], of 900: overlaps are moved apart
        energy = now
        beyond = max(beyond, -float((limits.side * (steps.state.q[limits.dof] - limits.bound)).min()))
        dry = steps.memory.report.dry
        assert dry is not None
        rub += float(dry.force @ steps.state.qdot) / 240
    assert steps.memory.report.solver == "asleep"
    assert np.all(steps.state.qdot == 0.0)
    assert np.degrees(beyond) < 0.1
    assert rub < -10.0  # [J] that friction in the joints has taken
    assert by_kernels > 0.95 * taken > 100


@pytest.mark.filterwarnings("ignore:.*overlap at the start")
def test_a_fall_goes_on_from_a_checkpoint_to_the_last_bit() -> None:
    model = figure_on_the_ground()
    options = Options(h=1 / 240)
    whole = euler(model, model.initial_state(), options)
    for _ in range(150):
        next(whole)
    again = euler(model, model.initial_state(), options)
    restore(again, capture(whole))
    for _ in range(60):
        next(whole), next(again)
    np.testing.assert_array_equal(whole.state.q, again.state.q)
    np.testing.assert_array_equal(whole.state.qdot, again.state.qdot)
