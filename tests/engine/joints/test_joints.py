"""Every joint kind: its derivatives against differences of its pose, and the work of its forces against energy."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from random_trees import ALL, KINDS, random_scene, random_state

from redmax_blender.engine import joints
from redmax_blender.engine.algebra import se3
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.jit.decorators import njit
from redmax_blender.engine.joints.kinds import CHARTS, Kind
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import State
from redmax_blender.engine.run.energy import energies
from redmax_blender.engine.scene import BodySpec, Inertia, JointSpec, SceneSpec, SphericalEuler
from redmax_blender.engine.tree.charts import leave_singularities
from redmax_blender.engine.tree.jacobian import (
    dense_jacobian,
    dense_jacobian_dot,
    dense_link_jacobian,
    jacobian_times,
)
from redmax_blender.engine.tree.kinematics import body_poses, forward_kinematics
from redmax_blender.engine.tree.recursive import forward_dynamics

Floats = np.ndarray
every_kind = pytest.mark.parametrize("kind", ALL)
moving_kinds = pytest.mark.parametrize("kind", [kind for kind in ALL if kind != "fixed"])


def one_joint(kind: str, trial: int = 0) -> tuple[Model, State]:
    """A body on a joint of this kind, at random coordinates and velocities."""
    rng = np.random.default_rng([ALL.index(kind), trial])
    model = compile_scene(random_scene(rng, 1, [kind]))
    return model, random_state(rng, model)


def derivative(f: Callable[[float], Floats], h: float = 2e-3) -> Floats:
    """f'(0) by a difference of the sixth order."""
    weights = {1: 45.0, 2: -9.0, 3: 1.0}
    return sum((w / (60.0 * h) * (f(k * h) - f(-k * h)) for k, w in weights.items()), np.zeros(1))


def moved(state: State, by: Floats) -> State:
    return replace(state, q=state.q + by)


def body_pose(model: Model, state: State) -> Floats:
    return se3.pose_matrix(body_poses(model.bodies, forward_kinematics(model, state))[0])


@njit
def _gradients(kind, dof, at, params, chart, q, dS):  # type: ignore[no-untyped-def]
    for j in range(len(kind)):
        joints.subspace_gradient(kind[j], params, at[j], chart[j], q, dof[j], dS[j])


def link_gradients(model: Model, state: State) -> Floats:
    """dS[l, k, a]: derivative of column a of link l by its coordinate k."""
    t = model.tree
    dS = np.zeros((model.nl, 3, 3, 6))
    _gradients(t.kind, t.dof, t.at, t.params, state.chart, state.q, dS)
    return dS


@njit
def _curvature(kind, dof, at, params, chart, q, u, v, out):  # type: ignore[no-untyped-def]
    for j in range(len(kind)):
        i = dof[j]
        a, b = np.zeros(3), np.zeros(3)
        for k in range(dof[j + 1] - i):
            a[k], b[k] = u[i + k], v[i + k]
        c = joints.bias_curvature(
            kind[j], params, at[j], chart[j], q, i, (a[0], a[1], a[2]), (b[0], b[1], b[2])
        )
        for k in range(6):
            out[j, k] = c[k]


@every_kind
def test_S_is_the_derivative_of_the_pose(kind: str) -> None:
    model, state = one_joint(kind)
    E = body_pose(model, state)
    J = dense_jacobian(model, forward_kinematics(model, state))
    for k, e in enumerate(np.eye(model.nr)):
        dE = derivative(lambda h, e=e: body_pose(model, moved(state, h * e)))  # type: ignore[misc]
        X = se3.inverse(E) @ dE
        column = np.concatenate([se3.unbracket3(X[:3, :3]), X[:3, 3]])
        assert np.abs(column - J[:, k]).max() < 1e-8
        assert np.abs(X[:3, :3] + X[:3, :3].T).max() < 1e-8


@every_kind
def test_Sdot_is_the_derivative_of_S_along_the_motion(kind: str) -> None:
    model, state = one_joint(kind)

    def J(h: float) -> Floats:
        return dense_jacobian(model, forward_kinematics(model, moved(state, h * state.qdot)))

    Jdot = dense_jacobian_dot(model, forward_kinematics(model, state), state.qdot)
    assert np.abs(derivative(J) - Jdot).max(initial=0.0) < 1e-8


@every_kind
def test_links_give_S_and_Sdot_of_their_own(kind: str) -> None:
    """As above, link by link and before composition: Sdot = Σ dS/dq_k qdot_k."""
    model, state = one_joint(kind)
    kin, dS, t = forward_kinematics(model, state), link_gradients(model, state), model.tree
    for j in range(model.nl):
        a, b = t.dof[j], t.dof[j + 1]
        own = np.einsum("kac,k->ac", dS[j, : b - a, : b - a], state.qdot[a:b])
        assert np.abs(own - kin.Sdot[a:b]).max(initial=0.0) < 1e-12


@every_kind
def test_gradient_of_S_by_every_coordinate(kind: str) -> None:
    """The links' own gradients, composed: a later coordinate m turns column k by ad(J_k) J_m."""
    model, state = one_joint(kind)
    J = dense_link_jacobian(model, forward_kinematics(model, state))[-6:]
    owner = np.repeat(np.arange(model.nl), np.diff(model.tree.dof))
    dS = link_gradients(model, state)
    down = _down_to_the_last(model, state)
    for m, e in enumerate(np.eye(model.nr)):
        expected = np.zeros_like(J)
        for k in range(model.nr):
            if owner[m] > owner[k]:
                expected[:, k] = se3.ad(J[:, k]) @ J[:, m]
            elif owner[m] == owner[k]:
                first = model.tree.dof[owner[k]]
                expected[:, k] = down[owner[k]] @ dS[owner[k], m - first, k - first]
        got = derivative(
            lambda h, e=e: dense_link_jacobian(  # type: ignore[misc]
                model, forward_kinematics(model, moved(state, h * e))
            )[-6:]
        )
        assert np.abs(got - expected).max() < 1e-8


def _down_to_the_last(model: Model, state: State) -> list[Floats]:
    """What takes the twist of each link of a chain to its last link."""
    E = [se3.pose_matrix(row) for row in forward_kinematics(model, state).E_wj]
    return [se3.Ad(se3.inverse(E[-1]) @ e) for e in E]


@every_kind
def test_bias_curvature_is_the_derivative_of_Sdot_qdot(kind: str) -> None:
    model, state = one_joint(kind)
    t, u = model.tree, np.random.default_rng(1).normal(size=model.nr)
    out = np.zeros((model.nl, 6))
    _curvature(t.kind, t.dof, t.at, t.params, state.chart, state.q, u, state.qdot, out)

    def bias(h: float) -> Floats:
        kin = forward_kinematics(model, moved(state, h * u))
        return np.array(
            [state.qdot[a:b] @ kin.Sdot[a:b] for a, b in itertools.pairwise(t.dof)]
        )  # (dS/dq [qdot]) qdot of each link

    assert np.abs(derivative(bias) - out).max() < 1e-7


@moving_kinds
@pytest.mark.parametrize("trial", range(3))
def test_forces_do_the_work_that_energy_gains(kind: str, trial: int) -> None:
    """tau · qdot = dE/dt, by differences of the energy along the motion that tau causes."""
    model, state = one_joint(kind, trial)
    tau = np.random.default_rng(trial).normal(size=model.nr)
    qddot = forward_dynamics(model, state, tau)

    def energy(h: float) -> Floats:
        then = replace(state, q=state.q + h * state.qdot + 0.5 * h * h * qddot, qdot=state.qdot + h * qddot)
        return energies(model, then, forward_kinematics(model, then)).sum(keepdims=True)

    # Steps that move little of anything, so that neither curvature nor rounding spoils eight digits.
    h = 4e-3 / (1.0 + np.abs(state.qdot).max() + np.sqrt(np.abs(qddot).max()))
    power, scale = tau @ state.qdot, np.abs(tau * state.qdot).sum() + np.abs(energy(0.0))[0]
    assert abs(derivative(energy, h)[0] - power) < 1e-8 * scale


@moving_kinds
def test_forces_do_the_work_that_energy_gains_exactly(kind: str) -> None:
    """The same with the rate of the energy from twists and accelerations: V · M A - m g · v, to rounding."""
    model, state = one_joint(kind)
    tau = np.random.default_rng(0).normal(size=model.nr)
    kin = forward_kinematics(model, state)
    A = kin.A + jacobian_times(model, kin, forward_dynamics(model, state, tau))
    E_jb = [se3.pose_matrix(row) for row in model.bodies.E_jb]
    link, rate, terms = model.bodies.link, 0.0, 0.0
    for b, inertia in enumerate(model.bodies.inertia):
        down = se3.Ad(se3.inverse(E_jb[b]))
        V, a = down @ kin.V[link[b]], down @ A[link[b]]
        R = (se3.pose_matrix(kin.E_wj[link[b]]) @ E_jb[b])[:3, :3]
        gain, fall = V @ (inertia * a), inertia[3] * model.gravity @ R @ V[3:]
        rate, terms = rate + gain - fall, terms + abs(gain) + abs(fall)
    assert abs(rate - tau @ state.qdot) < 1e-11 * (terms + np.abs(tau * state.qdot).sum())


@pytest.mark.parametrize("chart", CHARTS)
def test_every_euler_chart(chart: str) -> None:
    spec = SceneSpec(
        bodies=[
            BodySpec(
                name="b", shape=Inertia(1.0, (1.0, 1.0, 1.0)), joint=JointSpec(type=SphericalEuler(chart))
            )
        ]
    )
    model = compile_scene(spec)
    state = replace(model.initial_state(), q=np.array([0.4, 0.9, -1.3]), qdot=np.array([1.0, -2.0, 0.5]))
    R = np.eye(3)
    for letter, angle in zip(chart, state.q):
        R = R @ se3.exp_so3(angle * np.eye(3)["XYZ".index(letter)])
    assert np.abs(body_pose(model, state)[:3, :3] - R).max() < 1e-15
    J = dense_jacobian(model, forward_kinematics(model, state))
    for k, e in enumerate(np.eye(3)):
        dR = derivative(lambda h, e=e: body_pose(model, moved(state, h * e)))[:3, :3]  # type: ignore[misc]
        assert np.abs(se3.unbracket3(R.T @ dR) - J[:3, k]).max() < 1e-9


@pytest.mark.parametrize("length", [4.8, 5.5, 6.0, 2.0 * math.pi - 1e-3, 7.0, 20.0, 300.0])
def test_a_shortened_rotation_vector_is_the_same_rotation_and_turns_as_fast(length: float) -> None:
    rng = np.random.default_rng(int(1000 * length))
    model = compile_scene(random_scene(rng, 1, ["spherical"]))
    n = rng.normal(size=3)
    state = replace(model.initial_state(), q=length * n / np.linalg.norm(n), qdot=rng.normal(size=3))
    safe, _ = leave_singularities(model, state)
    assert np.linalg.norm(safe.q) < 1.5 * math.pi + 1e-12
    before, after = forward_kinematics(model, state), forward_kinematics(model, safe)
    assert np.abs(before.E_wj - after.E_wj).max() < 1e-13 * max(length, 10.0)
    assert np.abs(before.V - after.V).max() < 1e-12 * max(length, 10.0)


def test_a_short_rotation_vector_is_left_alone() -> None:
    model, state = one_joint("spherical")
    assert leave_singularities(model, state)[0] is state


@pytest.mark.parametrize("joint", [Kind.SPHERICAL, Kind.SPLINE_CURVE])
def test_derivatives_are_regular_where_nothing_turns(joint: Kind) -> None:
    """q = 0 of a spherical joint, and a spline between frames that are not turned: no division by an angle."""
    kind = {Kind.SPHERICAL: "spherical", Kind.SPLINE_CURVE: "spline-curve"}[joint]
    rng = np.random.default_rng(3)
    spec = random_scene(rng, 1, [kind])
    if joint is Kind.SPLINE_CURVE:
        for frame in spec.bodies[0].joint.type.frames:  # type: ignore[union-attr]
            frame.rotation = [1.0, 0.0, 0.0, 0.0]
    model = compile_scene(spec)
    state = State(0.0, np.zeros(model.nr), rng.normal(size=model.nr), model.tree.chart)
    kin, dS = forward_kinematics(model, state), link_gradients(model, state)
    assert all(np.isfinite(x).all() for x in (kin.S, kin.Sdot, kin.A, dS))
    if joint is Kind.SPHERICAL:
        assert np.array_equal(kin.S[:, :3], np.eye(3))


def test_the_generator_knows_every_kind_of_the_scene_file() -> None:
    from typing import get_args

    from redmax_blender.engine.scene import JointKind

    rng = np.random.default_rng(0)
    assert {type(make(rng)) for make in KINDS.values()} == set(get_args(JointKind))
