"""The linear-time passes against dense RedMax, and against each other, on random trees with every joint kind."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from dense_redmax import accelerations, mass_matrix, quadratic_force
from random_trees import ALL, random_scene, random_state

from redmax_blender.engine.algebra import se3
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import State
from redmax_blender.engine.tree import hybrid
from redmax_blender.engine.tree.jacobian import (
    dense_jacobian,
    dense_jacobian_dot,
    dense_link_jacobian,
    jacobian_dot_times,
    jacobian_times,
    jacobian_transpose_times,
)
from redmax_blender.engine.tree.kinematics import body_poses, body_twists, forward_kinematics
from redmax_blender.engine.tree.recursive import (
    factor,
    forward_dynamics,
    hybrid_dynamics,
    inverse_dynamics,
    mass_solve,
    mass_times,
    solve,
)

Floats = np.ndarray
seeds = pytest.mark.parametrize("seed", range(8))
NO_SPLINES = tuple(kind for kind in ALL if "spline" not in kind and "euler" not in kind)


def random_tree(
    seed: int, n: int = 20, kinds: tuple[str, ...] = ALL
) -> tuple[Model, State, np.random.Generator]:
    """A random forest in which every kind occurs; even seeds take the kernel for plain kinds only."""
    rng = np.random.default_rng(seed)
    model = compile_scene(random_scene(rng, n, NO_SPLINES if seed % 2 == 0 else kinds))
    return model, random_state(rng, model), rng


def relative(got: Floats, expected: Floats) -> float:
    return float(np.abs(got - expected).max() / np.abs(expected).max())


@seeds
def test_forward_dynamics_is_redmax(seed: int) -> None:
    model, state, rng = random_tree(seed)
    tau = rng.normal(size=model.nr)
    assert relative(forward_dynamics(model, state, tau), accelerations(model, state, tau)) < 1e-9


@seeds
def test_inverse_dynamics_is_redmax(seed: int) -> None:
    model, state, rng = random_tree(seed)
    qddot = rng.normal(size=model.nr)
    expected = mass_matrix(model, state) @ qddot - quadratic_force(model, state)
    got = inverse_dynamics(model, forward_kinematics(model, state), state.qdot, qddot)
    assert relative(got, expected) < 1e-12


@seeds
def test_wrenches_push_links_as_the_transposed_jacobian_says(seed: int) -> None:
    model, state, rng = random_tree(seed)
    tau, F = rng.normal(size=model.nr), rng.normal(size=(model.nl, 6))
    kin = forward_kinematics(model, state)
    Q = jacobian_transpose_times(model, kin, F)
    expected = accelerations(model, state, tau + Q)
    assert relative(forward_dynamics(model, state, tau, F), expected) < 1e-9
    qddot = rng.normal(size=model.nr)
    pushed = inverse_dynamics(model, kin, state.qdot, qddot, F)
    assert relative(pushed, inverse_dynamics(model, kin, state.qdot, qddot) - Q) < 1e-10


@seeds
def test_forward_dynamics_writes_where_it_is_told(seed: int) -> None:
    model, state, rng = random_tree(seed)
    tau, out = rng.normal(size=model.nr), np.empty(model.nr)
    q, qdot, before = state.q.copy(), state.qdot.copy(), tau.copy()
    assert forward_dynamics(model, state, tau, out=out) is out
    assert np.array_equal(out, forward_dynamics(model, state, tau))
    assert np.array_equal(state.q, q) and np.array_equal(state.qdot, qdot) and np.array_equal(tau, before)


@seeds
def test_jacobian_products_are_the_dense_ones(seed: int) -> None:
    model, state, rng = random_tree(seed)
    kin = forward_kinematics(model, state)
    J, x, F = dense_link_jacobian(model, kin), rng.normal(size=model.nr), rng.normal(size=(model.nl, 6))
    assert relative(jacobian_times(model, kin, state.qdot), kin.V) < 1e-12
    assert relative(J.T @ F.ravel(), jacobian_transpose_times(model, kin, F)) < 1e-12
    assert abs((J @ x) @ F.ravel() - x @ jacobian_transpose_times(model, kin, F)) < 1e-10 * np.abs(J).max()
    assert relative(jacobian_dot_times(model, kin, state.qdot, state.qdot), kin.A) < 1e-12
    bodies = body_twists(model.bodies, jacobian_times(model, kin, x)).ravel()
    assert relative(dense_jacobian(model, kin) @ x, bodies) < 1e-12


@seeds
def test_jacobian_is_the_derivative_of_poses_and_jacobian_dot_of_the_jacobian(seed: int) -> None:
    """Independent of the joint kernels' own S: differences along the motion, fourth order."""
    model, state, _ = random_tree(seed)
    h = 1e-3

    def at(k: int) -> State:
        return replace(state, q=state.q + k * h * state.qdot)

    def slope(f):  # type: ignore[no-untyped-def]
        return (8.0 * (f(at(1)) - f(at(-1))) - (f(at(2)) - f(at(-2)))) / (12.0 * h)

    kin = forward_kinematics(model, state)
    poses = [se3.pose_matrix(row) for row in body_poses(model.bodies, kin)]
    rates = slope(lambda s: body_poses(model.bodies, forward_kinematics(model, s)))
    twists = body_twists(model.bodies, kin.V)
    for E, row, phi in zip(poses, rates, twists):
        Edot = np.zeros((4, 4))
        Edot[:3, :3], Edot[:3, 3] = row[:9].reshape(3, 3), row[9:]
        assert np.abs(Edot - E @ se3.bracket6(phi)).max() < 1e-7 * max(1.0, np.abs(phi).max())
    Jdot = dense_jacobian_dot(model, kin, state.qdot)
    assert relative(slope(lambda s: dense_jacobian(model, forward_kinematics(model, s))), Jdot) < 1e-7


@seeds
def test_mass_products(seed: int) -> None:
    model, state, rng = random_tree(seed)
    kin, M, x = forward_kinematics(model, state), mass_matrix(model, state), rng.normal(size=model.nr)
    assert relative(mass_times(model, kin, x), M @ x) < 1e-12
    assert relative(mass_solve(model, kin, M @ x), x) < 1e-9


@seeds
def test_hybrid_dynamics_goes_round(seed: int) -> None:
    """Some coordinates give their force and some their acceleration; what comes out satisfies the dense equation."""
    model, state, rng = random_tree(seed)
    tau, qddot = rng.normal(size=model.nr), rng.normal(size=model.nr)
    F = rng.normal(size=(model.nl, 6))
    free = rng.random(model.nr) < 0.6
    garbage = np.full(model.nr, 1e9)  # in the entries that must not count
    a, f = hybrid_dynamics(
        model, state, np.where(free, tau, garbage), np.where(free, garbage, qddot), free, F
    )
    assert np.array_equal(a[~free], qddot[~free]) and np.array_equal(f[free], tau[free])
    Q = jacobian_transpose_times(model, forward_kinematics(model, state), F)
    left, right = mass_matrix(model, state) @ a, quadratic_force(model, state) + f + Q
    assert relative(left, right) < 1e-9
    back, forces = hybrid_dynamics(model, state, f, a, ~free, F)
    assert relative(back, a) < 1e-7 and relative(forces, f) < 1e-7


@seeds
def test_hybrid_dynamics_with_all_and_with_nothing_prescribed(seed: int) -> None:
    model, state, rng = random_tree(seed)
    tau, qddot = rng.normal(size=model.nr), rng.normal(size=model.nr)
    kin, all_free = forward_kinematics(model, state), np.ones(model.nr, bool)
    f = hybrid_dynamics(model, state, tau, qddot, ~all_free)[1]
    assert relative(f, inverse_dynamics(model, kin, state.qdot, qddot)) < 1e-11
    a, f = hybrid_dynamics(model, state, tau, qddot, all_free)
    assert np.array_equal(a, forward_dynamics(model, state, tau)) and np.array_equal(f, tau)


@seeds
def test_the_two_articulated_body_kernels_agree(seed: int) -> None:
    """The one for free coordinates only, with its turned frames, and the one column by column."""
    model, state, rng = random_tree(seed)
    t, F = model.tree, rng.normal(size=(model.nl, 6))
    for wrenches in (np.zeros((0, 6)), F):
        tau, qddot = rng.normal(size=model.nr), np.empty(model.nr)
        hybrid._hybrid_dynamics(
            t.links, t.constants, t.params, model.gravity, state.chart, state.q, state.qdot, t.all_free, wrenches,
            tau, qddot,
        )  # fmt: skip
        assert relative(forward_dynamics(model, state, tau, wrenches), qddot) < 1e-10


@seeds
def test_factors_of_the_implicit_system(seed: int) -> None:
    """Jᵀ (M + A_m) J + A_r with some coordinates known, against the dense matrix."""
    model, state, rng = random_tree(seed)
    kin = forward_kinematics(model, state)
    J = dense_link_jacobian(model, kin)
    X = rng.normal(size=(model.nl, 6, 6))
    A_m = X @ np.swapaxes(X, 1, 2)
    A_r = rng.uniform(0.0, 2.0, model.nr)
    blocks = np.zeros((6 * model.nl, 6 * model.nl))
    for j, block in enumerate(A_m):
        blocks[6 * j : 6 * j + 6, 6 * j : 6 * j + 6] = block
    A = mass_matrix(model, state) + J.T @ blocks @ J + np.diag(A_r)
    upper = np.array([0, 0, 0, 1, 1, 2]), np.array([0, 1, 2, 1, 2, 2])
    rows = np.hstack([A_m[:, :3, :3][:, *upper], A_m[:, :3, 3:].reshape(-1, 9), A_m[:, 3:, 3:][:, *upper]])
    free = rng.random(model.nr) < 0.7
    y = rng.normal(size=model.nr)
    got = solve(model, factor(model, kin, rows, A_r, free), A @ y, known=np.where(free, np.nan, y))
    assert relative(got, y) < 1e-8
    assert np.array_equal(got[~free], y[~free])


def test_a_chain_of_ten_thousand_joints() -> None:
    """Nothing recurses, and forward and inverse dynamics still undo each other."""
    rng = np.random.default_rng(0)
    model = compile_scene(
        random_scene(rng, 10_000, ["revolute", "spherical", "universal"], "chain", spacing=0.01)
    )
    state = random_state(rng, model, speed=0.1)
    tau = rng.normal(size=model.nr)
    qddot = forward_dynamics(model, state, tau)
    kin = forward_kinematics(model, state)
    back = inverse_dynamics(model, kin, state.qdot, qddot)
    assert np.abs(back - tau).max() < 1e-9 * np.abs(quadratic_scale(model, kin, qddot)).max()
    x = rng.normal(size=model.nr)
    assert relative(mass_times(model, kin, mass_solve(model, kin, x)), x) < 1e-6


def quadratic_scale(model: Model, kin, qddot: Floats) -> Floats:  # type: ignore[no-untyped-def]
    """How large the terms are that cancel in inverse dynamics."""
    return mass_times(model, kin, np.abs(qddot))


@pytest.mark.parametrize("shape", ["chain", "binary", "tree"])
def test_bodies_may_stand_in_any_order(shape: str) -> None:
    """The same scene with its bodies shuffled moves the same."""
    rng = np.random.default_rng(4)
    spec = random_scene(rng, 12, ALL, shape)
    shuffled = replace_bodies(spec, [spec.bodies[i] for i in rng.permutation(12)])
    a, b = compile_scene(spec), compile_scene(shuffled)
    state = random_state(rng, a)
    tau = rng.normal(size=a.nr)
    where = np.concatenate(
        [
            np.arange(*a.joints.dof[a.joints.names.index(name)])
            for _, name in sorted((int(start), n) for (start, _), n in zip(b.joints.dof, b.joints.names))
        ]
    ).astype(int)
    moved = State(0.0, state.q[where], state.qdot[where], b.tree.chart.copy())
    assert relative(forward_dynamics(b, moved, tau[where]), forward_dynamics(a, state, tau)[where]) < 1e-9


def replace_bodies(spec, bodies):  # type: ignore[no-untyped-def]
    import msgspec

    return msgspec.structs.replace(spec, bodies=bodies)
