"""Every force, in one list: its energy gives the force, the force its stiffness and damping, and steps obey it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from small_scenes import central, faster, mixed_tree, moved, pendulum, per_twist, random_state

from redmax_blender.engine.algebra.se3 import symmetric
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import SceneError
from redmax_blender.engine.forces.applied import applied_changes, applied_wrenches
from redmax_blender.engine.forces.drag import drag_wrenches
from redmax_blender.engine.forces.external import add_wind
from redmax_blender.engine.forces.joint import joint_action, joint_force
from redmax_blender.engine.integrators import INTEGRATORS
from redmax_blender.engine.integrators.runge_kutta import acceleration_recursive
from redmax_blender.engine.model.control import control_at
from redmax_blender.engine.model.records import Floats, Model
from redmax_blender.engine.model.state import Options, State
from redmax_blender.engine.run.energy import energies
from redmax_blender.engine.scene import (
    Constant,
    Guide,
    JointSpec,
    Limits,
    Polynomial,
    Pose,
    Sampled,
    SceneSpec,
    Sine,
)
from redmax_blender.engine.scene.constraints import PrescribedPoint, Switch
from redmax_blender.engine.scene.fields import Field
from redmax_blender.engine.scene.forces import ForceSpec, Point, PointForce, Spring, Wind
from redmax_blender.engine.solvers.direct import assemble
from redmax_blender.engine.solvers.implicit_system import implicit_system
from redmax_blender.engine.tree.jacobian import jacobian_transpose_times
from redmax_blender.engine.tree.kinematics import forward_kinematics
from redmax_blender.engine.tree.recursive import inverse_dynamics

T = 0.3
"""Time at which the forces are looked at [s]."""


def tree(
    forces: list[ForceSpec] | None = None,
    joint: dict[str, Any] | None = None,
    damping: float = 0.0,
    implicit: bool = True,
) -> SceneSpec:
    """The mixed tree with forces, or with something in the revolute joint of the hand."""
    bodies = mixed_tree()
    for body in bodies:
        body.damping, body.implicit = damping, implicit
    if joint:
        old = bodies[2].joint
        fields = {name: getattr(old, name) for name in old.__struct_fields__}
        bodies[2].joint = JointSpec(**fields | joint)
    return SceneSpec(bodies=bodies, forces=forces or [])


def tree_of(constraint: PrescribedPoint) -> SceneSpec:
    return SceneSpec(bodies=mixed_tree(), constraints=[constraint])


STIFFENING = Polynomial(coefficients=[0.0, 20.0, 0.0, 90.0])
SAMPLED = Sampled(times=[-2.0, -0.5, 0.0, 0.4, 2.0], values=[-30.0, -4.0, 0.0, 9.0, 40.0])
HAND = Point(body="hand", position=(0.1, 0.05, 0.02))
TAIL = Point(body="tail", position=(-0.1, 0.02, 0.04))
PUSH: list[Any] = [Constant(value=3.0), Sine(amplitude=5.0, frequency=0.7), None]
TWIST: list[Any] = [None, Constant(value=-1.0), Polynomial(coefficients=[0.5, 1.0])]
GUSTS: list[Any] = [Constant(value=4.0), None, Sine(amplitude=2.0, frequency=1.0)]
ALONG: list[Any] = [Sine(amplitude=0.8, frequency=0.5, offset=0.4)]
GUIDED = [Switch(time=-1.0, mode="guided")]

AWAY = Pose(position=(-0.4, 0.7, 0.3), rotation=[0.5, -0.2, 0.8])
WAY: list[Any] = [
    Sine(amplitude=0.8, frequency=0.5),
    *(Constant(value=v) for v in (0.5, -0.2, 0.4, 0.1, 0.9)),
]
FIELDS = {
    "force": Field("force", AWAY, strength=Sine(8.0, 0.4), flow=0.5, power=1.5, farthest=40.0),
    "gravitation": Field("force", AWAY, strength=-9.0, gravitation=True, spread=False),
    "wind": Field("wind", motion=WAY, strength=6.0, shape="plane", power=0.7, flow=0.2),
    "wind in a cone": Field("wind", AWAY, strength=6.0, falloff="cone", radial_power=0.3, unit=0.5),
    "vortex": Field("vortex", AWAY, strength=4.0, falloff="tube", radial_power=0.5, power=0.2),
    "vortex about a line": Field("vortex", AWAY, strength=1.5, shape="line", power=0.4),
    "magnetic": Field("magnetic", AWAY, strength=0.4, shape="plane"),
    "harmonic": Field("harmonic", AWAY, strength=7.0, damping=0.3, size=0.4),
    "drag": Field(
        "drag", AWAY, strength=0.6, damping=0.3, power=0.5, bodies=["hand", "tail"], weights=[1.0, 0.4]
    ),
    "turbulence": Field("turbulence", AWAY, strength=9.0, size=3.0, noise=2.0),
}

FORCES: dict[str, SceneSpec] = {
    "gravity": tree(),
    "joint spring": tree(joint={"stiffness": 30.0, "rest": 0.7}),
    "joint damper": tree(joint={"damping": 3.0}),
    "joint spring and damper, explicit": tree(joint={"stiffness": 30.0, "damping": 3.0, "implicit": False}),
    "joint spring by a formula": tree(joint={"spring_curve": [STIFFENING], "rest": -0.2}),
    "joint spring by samples": tree(joint={"spring_curve": [SAMPLED], "stiffness": 2.0}),
    "springy stop, below": tree(joint={"limits": Limits(lower=0.9, upper=2.0, stiffness=80.0, damping=2.0)}),
    "springy stop, above": tree(joint={"limits": Limits(lower=None, upper=-0.9, stiffness=80.0, damping=2.0)}),
    "springy stop, not touched": tree(joint={"limits": Limits(lower=-2.0, upper=2.0, stiffness=80.0, damping=2.0)}),
    "joint torque": tree(joint={"torque": [Sine(amplitude=4.0, frequency=0.4)]}),
    "guide": tree(joint={"motion": ALONG, "modes": GUIDED, "guide": Guide(stiffness=25.0, damping=2.0)}),
    "body damping": tree(damping=0.6),
    "body damping, explicit": tree(damping=0.6, implicit=False),
    "force on a body, world axes": tree(
        [PointForce(body="hand", position=(0.1, 0.0, 0.2), force=PUSH, torque=TWIST)]
    ),
    "force on a body, its own axes": tree(
        [PointForce(body="tail", position=(0.1, 0.0, 0.2), force=PUSH, torque=TWIST, axes="body")]
    ),
    "still air, linear": tree([Wind(linear=0.7)]),
    "wind, linear": tree([Wind(velocity=GUSTS, linear=0.7)]),
    "wind, quadratic": tree([Wind(velocity=GUSTS, linear=0.1, quadratic=0.4, bodies=["hand", "tail"])]),
    "wind, explicit": tree([Wind(velocity=GUSTS, linear=0.3, quadratic=0.4, implicit=False)]),
    "spring": tree([Spring(points=[HAND, TAIL], stiffness=80.0, damping=2.0, rest_length=0.2)]),
    "spring, explicit": tree(
        [Spring(points=[HAND, TAIL], stiffness=80.0, damping=2.0, rest_length=0.2, tangent="explicit")]
    ),
    "spring through three points": tree(
        [Spring(points=[HAND, Point(body="base"), Point(position=(0.5, 0.5, 1.0))], stiffness=80.0, rest_length=0.2)]
    ),
    "cable, taut": tree(
        [Spring(points=[HAND, TAIL], stiffness=80.0, damping=2.0, rest_length=0.2, tension_only=True)]
    ),
    "cable, slack": tree(
        [Spring(points=[HAND, TAIL], stiffness=80.0, damping=2.0, rest_length=9.0, tension_only=True)]
    ),
    "guided point": tree_of(
        PrescribedPoint(point=HAND, path=[*ALONG, None, *ALONG], modes=GUIDED, guide=Guide(stiffness=40.0, damping=3.0))
    ),
    "guided point, one direction": tree_of(
        PrescribedPoint(
            point=TAIL, path=ALONG, direction=(1.0, 2.0, -1.0), modes=GUIDED, guide=Guide(stiffness=40.0, damping=3.0)
        )
    ),
    **{f"field, {name}": tree([field]) for name, field in FIELDS.items()},
}  # fmt: skip

POTENTIAL = [
    name
    for name in FORCES
    if name not in ("joint torque", "guide")
    and not name.startswith(("force on", "wind", "still air", "guided", "field"))
]
"""Forces that have an energy, with their dampers at rest."""


def model_and_state(name: str, speed: float = 1.0) -> tuple[Model, State]:
    model = compile_scene(FORCES[name])
    state = random_state(model, 5, speed)
    return model, replace(state, t=T)


def generalized(model: Model, state: State) -> Floats:
    """All forces in reduced coordinates, gravity included and Coriolis forces not, shape (nr,)."""
    kin = forward_kinematics(model, state)
    still = forward_kinematics(model, replace(state, qdot=0.0 * state.qdot))
    wrenches = applied_wrenches(model, kin, state.t)
    if model.tree.damping.any():
        wrenches += drag_wrenches(model, kin.V)
    rest = np.zeros(model.nr)
    falling = -inverse_dynamics(model, still, rest, rest)
    pushed = jacobian_transpose_times(model, kin, wrenches)
    return joint_force(model, state, control_at(model, state.t)) + falling + pushed


@pytest.mark.parametrize("name", POTENTIAL)
def test_a_force_is_the_slope_of_its_energy(name: str) -> None:
    model, state = model_and_state(name, speed=0.0)

    def energy(q: Floats) -> Floats:
        there = replace(state, q=q)
        return energies(model, there, forward_kinematics(model, there))[1:].sum(keepdims=True)

    slope = [central(lambda s, e=e: energy(state.q + s * e), 1e-3)[0] for e in np.eye(model.nr)]
    np.testing.assert_allclose(generalized(model, state), -np.array(slope), rtol=1e-7, atol=1e-6)


@pytest.mark.parametrize("name", FORCES)
def test_stiffness_and_damping_in_joints_are_the_derivatives_of_the_force(name: str) -> None:
    model, state = model_and_state(name)
    control = control_at(model, state.t)
    action = joint_action(model, state, control, 0.01)
    for k, e in enumerate(np.eye(model.nr)):
        by_q = central(lambda s, e=e: joint_force(model, replace(state, q=state.q + s * e), control))
        by_rate = central(lambda s, e=e: joint_force(model, replace(state, qdot=state.qdot + s * e), control))
        np.testing.assert_allclose(by_q, -action.stiffness[k] * e, atol=1e-6)
        np.testing.assert_allclose(by_rate, -action.damping[k] * e, atol=1e-6)


@pytest.mark.parametrize("name", FORCES)
def test_wrenches_on_bodies_change_as_their_derivative_says(name: str) -> None:
    """What the Newton steps of BDF and SDIRK use: exact, and not only the symmetric part."""
    model, state = model_and_state(name)
    kin = forward_kinematics(model, state)
    n = 6 * model.nl
    cube = np.eye(n).reshape(n, model.nl, 6)
    none = np.zeros_like(cube)
    K = applied_changes(model, kin, T, cube, none).reshape(n, n).T
    D = applied_changes(model, kin, T, none, cube).reshape(n, n).T
    np.testing.assert_allclose(K, per_twist(kin, moved, lambda k: applied_wrenches(model, k, T)), atol=1e-6)
    np.testing.assert_allclose(D, per_twist(kin, faster, lambda k: applied_wrenches(model, k, T)), atol=1e-6)


@pytest.mark.parametrize("name", FORCES)
def test_the_matrix_of_the_implicit_step_is_symmetric_and_positive_definite(name: str) -> None:
    model, state = model_and_state(name)
    control = control_at(model, T)
    for h in (1e-3, 1.0 / 24.0, 1.0):
        action = joint_action(model, state, control, h)
        A = assemble(implicit_system(model, state, forward_kinematics(model, state), control, action, h))
        np.testing.assert_allclose(A, A.T, rtol=1e-12, atol=1e-12)
        assert np.linalg.eigvalsh(A).min() > 0.0


@pytest.mark.parametrize("integrator", ["euler", "bdf1", "sdirk2"])
@pytest.mark.parametrize("name", FORCES)
def test_a_short_step_is_the_acceleration_of_the_force(name: str, integrator: str) -> None:
    model, state = model_and_state(name)
    free = np.ones(model.nr, bool)
    expected = acceleration_recursive(model, state, control_at(model, T), np.zeros(model.nr), free)
    h = 1e-5
    got = (next(INTEGRATORS[integrator](model, state, Options(h=h))).qdot - state.qdot) / h
    scale = np.abs(expected).max()
    np.testing.assert_allclose(got, expected, atol=2e-3 * scale)


@pytest.mark.parametrize(
    "name", ["joint damper", "body damping", "still air, linear", "wind, explicit", "spring"]
)
def test_dampers_take_energy(name: str) -> None:
    spec = FORCES[name]
    if name == "wind, explicit":
        spec = tree([Wind(linear=0.3, quadratic=0.4, implicit=False)])
    model = compile_scene(replace_gravity(spec))
    state = random_state(model, 5)
    before = energies(model, state, forward_kinematics(model, state)).sum()
    steps = INTEGRATORS["rk-recursive"](model, state, Options(h=0.5, rtol=1e-9, atol=1e-10))
    for _ in range(3):
        state = next(steps)
        after = energies(model, state, forward_kinematics(model, state)).sum()
        assert after < before
        before = after


def replace_gravity(spec: SceneSpec) -> SceneSpec:
    return SceneSpec(bodies=spec.bodies, forces=spec.forces, gravity=(0.0, 0.0, 0.0))


def test_implicit_wind_brakes_as_explicit_wind_does_for_small_steps_and_stays_stable_for_large_ones() -> None:
    ends = []
    for implicit in (True, False):
        spec = pendulum()
        spec.gravity = (0.0, 0.0, 0.0)
        spec.forces = [
            Wind(velocity=[Constant(value=3.0), None, None], linear=0.5, quadratic=0.2, implicit=implicit)
        ]
        model = compile_scene(spec)
        steps = INTEGRATORS["euler"](model, model.initial_state(), Options(h=1e-4))
        for _ in range(2000):
            state = next(steps)
        ends.append(state.qdot[0])
    assert ends[0] == pytest.approx(ends[1], rel=1e-3)
    spec.forces = [Wind(velocity=[Constant(value=3.0), None, None], linear=1e6)]
    model = compile_scene(spec)
    steps = INTEGRATORS["euler"](model, model.initial_state(), Options(h=0.05))
    for _ in range(200):
        state = next(steps)
    assert abs(state.qdot[0]) < 1e-3  # the bob rests in the lee
    assert abs(state.q[0]) == pytest.approx(np.pi / 2, abs=1e-3)


def test_wind_in_the_implicit_matrix_is_what_the_force_lacks() -> None:
    """The explicit and the implicit form of one gust differ by the damping times the present velocity."""
    model, state = model_and_state("wind, quadratic")
    kin = forward_kinematics(model, state)
    h = 0.01
    whole, part = np.zeros((model.nl, 6)), np.zeros((model.nl, 6))
    A_m = np.zeros((model.nl, 21))
    add_wind(model, kin, T, h, whole, None)
    add_wind(model, kin, T, h, part, A_m)
    np.testing.assert_allclose(part - whole, np.einsum("lij,lj->li", symmetric(A_m), kin.V) / h, atol=1e-10)


def test_a_falling_spring_curve_is_left_out_of_the_matrix_but_not_of_the_force() -> None:
    """A spring that weakens beyond some angle has a negative stiffness there: the matrix would not be definite."""
    snap = Polynomial(coefficients=[0.0, 10.0, 0.0, -400.0])
    spec = pendulum(spring_curve=[snap], q=0.5, rest=0.0)
    model = compile_scene(spec)
    state = model.initial_state()
    control = control_at(model, 0.0)
    assert joint_action(model, state, control, 1.0).stiffness[0] == pytest.approx(10.0 - 1200.0 * 0.25)
    state = next(INTEGRATORS["euler"](model, state, Options(h=0.5)))
    assert np.isfinite(state.qdot).all()
    assert state.qdot[0] > 0.0  # the spring pushes outwards harder than gravity pulls back


def test_force_and_torque_in_the_axes_of_a_body_turn_with_it() -> None:
    push = [Constant(value=1.0), None, None]
    for axes, expected in (("world", (0.0, 0.0, 1.0)), ("body", (1.0, 0.0, 0.0))):
        spec = pendulum(q=-np.pi / 2)  # the bob's own x is the world's z
        spec.forces = [PointForce(body="bob", force=push, axes=axes)]  # type: ignore[arg-type]
        model = compile_scene(spec)
        kin = forward_kinematics(model, model.initial_state())
        R = kin.E_wj[0, :9].reshape(3, 3)
        force = applied_wrenches(model, kin, 0.0)[0, 3:]
        if axes == "world":
            np.testing.assert_allclose(R @ force, (1.0, 0.0, 0.0), atol=1e-12)
        else:
            np.testing.assert_allclose(force, expected, atol=1e-12)


BAD: list[tuple[SceneSpec, str, str]] = [
    (tree([PointForce(body="foot")]), "forces[0].body", "there is no body 'foot'"),
    (tree([PointForce(body="hand", force=[None])]), "forces[0].force", "there are 1 curves"),
    (tree([PointForce(body="hand", torque=[None, None])]), "forces[0].torque", "there are 2 curves"),
    (tree([Wind(linear=-1.0)]), "forces[0]", "a drag coefficient is negative"),
    (tree([Wind(quadratic=-1.0, name="gale")]), "forces[0] 'gale'", "a drag coefficient is negative"),
    (tree([Wind(linear=1.0, bodies=["hand", "foot"])]), "forces[0].bodies[1]", "there is no body 'foot'"),
    (tree([Wind(linear=1.0, velocity=[None])]), "forces[0].velocity", "there are 1 curves"),
    (tree(joint={"spring_curve": [STIFFENING, None]}), "joint.spring_curve", "there are 2 curves"),
    (tree(joint={"limits": Limits(lower=1.0, upper=0.0)}), "joint.limits", "above the upper limit"),
    (tree(joint={"limits": Limits(lower=[0.0, 1.0])}), "joint.limits.lower", "there are 2 numbers"),
    (
        tree(joint={"limits": Limits(upper=1.0, restitution=1.5)}),
        "limits.restitution",
        "the restitution is 1.5",
    ),
    (tree(joint={"limits": Limits(upper=1.0, stiffness=-1.0)}), "limits.stiffness", "the stiffness is -1.0"),
    (
        tree(joint={"limits": Limits(upper=1.0, stiffness=1.0, damping=-1.0)}),
        "limits.damping",
        "the damping is -1.0",
    ),
    (
        tree(joint={"limits": Limits(upper=1.0, damping=1.0)}),
        "limits.damping",
        "has a damping but no stiffness",
    ),
    (
        tree(joint={"limits": Limits(upper=1.0, stiffness=1.0, restitution=0.5)}),
        "limits.restitution",
        "springy stop",
    ),
    (tree(joint={"modes": GUIDED}), "joint.modes", "no motion"),
    (tree(joint={"motion": ALONG, "modes": GUIDED}), "joint.guide", "no guide"),
    (
        tree(joint={"motion": ALONG, "modes": GUIDED, "guide": Guide(stiffness=-1.0, damping=0.0)}),
        "joint.guide",
        "its stiffness is -1.0",
    ),
    (
        tree(
            joint={
                "motion": ALONG,
                "modes": [Switch(time=1.0, mode="free"), Switch(time=0.0, mode="prescribed")],
            }
        ),
        "joint.modes",
        "the times do not increase",
    ),
]


@pytest.mark.parametrize(("spec", "place", "problem"), BAD)
def test_a_force_that_cannot_be_is_named(spec: SceneSpec, place: str, problem: str) -> None:
    with pytest.raises(SceneError) as caught:
        compile_scene(spec)
    assert place in caught.value.place
    assert problem in caught.value.problem
