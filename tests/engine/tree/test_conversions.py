"""Generalized and Cartesian velocities and forces: there and back, and by differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from dense_redmax import mass_matrix
from random_trees import ALL, random_scene, random_state

from redmax_blender.engine.algebra import se3
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import InputError
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import State
from redmax_blender.engine.tree.conversions import (
    body_velocities,
    body_wrenches,
    body_wrenches_of_joints,
    generalized_force_at,
    generalized_forces,
    generalized_velocities,
    generalized_velocities_by_joint,
    joint_wrenches,
    point_velocity,
    projected_velocities,
)
from redmax_blender.engine.tree.kinematics import Kinematics, body_poses, forward_kinematics

Floats = np.ndarray
seeds = pytest.mark.parametrize("seed", range(4))


def random_tree(seed: int) -> tuple[Model, State, Kinematics, np.random.Generator]:
    rng = np.random.default_rng(seed)
    model = compile_scene(random_scene(rng, 18, ALL))
    state = random_state(rng, model)
    return model, state, forward_kinematics(model, state), rng


@seeds
def test_body_velocities_are_differences_of_poses(seed: int) -> None:
    model, state, kin, _ = random_tree(seed)
    h = 1e-5
    ahead, behind = (
        body_poses(model.bodies, forward_kinematics(model, replace(state, q=state.q + s * h * state.qdot)))
        for s in (1.0, -1.0)
    )
    V = body_velocities(model, kin, state.qdot)
    for b in range(len(V)):
        A, B = se3.pose_matrix(ahead[b]), se3.pose_matrix(behind[b])
        omega = se3.log_so3(A[:3, :3] @ B[:3, :3].T) / (2.0 * h)
        velocity = (A[:3, 3] - B[:3, 3]) / (2.0 * h)
        assert np.abs(np.concatenate([omega, velocity]) - V[b]).max() < 1e-6 * np.abs(V).max()


@seeds
def test_a_point_moves_with_its_body(seed: int) -> None:
    model, state, kin, rng = random_tree(seed)
    b = int(rng.integers(18))
    local = rng.normal(size=3)

    def where(s: float) -> Floats:
        moved = forward_kinematics(model, replace(state, q=state.q + s * state.qdot))
        E = se3.pose_matrix(body_poses(model.bodies, moved)[b])
        return E[:3, :3] @ local + E[:3, 3]

    h = 1e-5
    v = point_velocity(model, kin, state.qdot, f"body{b}", where(0.0))
    assert np.abs((where(h) - where(-h)) / (2.0 * h) - v).max() < 1e-6 * (1.0 + np.abs(v).max())


@seeds
def test_velocities_come_back(seed: int) -> None:
    model, state, kin, _ = random_tree(seed)
    V = body_velocities(model, kin, state.qdot)
    for back in (generalized_velocities, generalized_velocities_by_joint, projected_velocities):
        assert np.abs(back(model, kin, V) - state.qdot).max() < 1e-8


@seeds
def test_least_squares_is_the_nearest_and_the_projection_keeps_momentum(seed: int) -> None:
    model, state, kin, rng = random_tree(seed)
    V = rng.normal(size=(18, 6))
    nearest = generalized_velocities(model, kin, V)
    miss = np.linalg.norm(body_velocities(model, kin, nearest) - V)
    for _ in range(5):
        other = nearest + 1e-3 * rng.normal(size=model.nr)
        assert np.linalg.norm(body_velocities(model, kin, other) - V) > miss
    projected = projected_velocities(model, kin, V)
    # Jᵀ M V, with the momenta of the bodies in the world's axes
    R = body_poses(model.bodies, kin)[:, :9].reshape(-1, 3, 3)
    momenta = np.array(
        [
            np.concatenate([r @ (m[:3] * (r.T @ v[:3])), m[3] * v[3:]])
            for r, m, v in zip(R, model.bodies.inertia, V)
        ]
    )
    p = generalized_forces(model, kin, momenta)
    assert np.abs(mass_matrix(model, state) @ projected - p).max() < 1e-8 * np.abs(p).max()


@seeds
def test_forces_do_the_same_work_either_way(seed: int) -> None:
    """Virtual work: F · V = Q · qdot for any wrenches and any motion."""
    model, state, kin, rng = random_tree(seed)
    F, V = rng.normal(size=(18, 6)), body_velocities(model, kin, state.qdot)
    Q = generalized_forces(model, kin, F)
    assert abs(np.sum(F * V) - Q @ state.qdot) < 1e-11 * np.abs(F * V).sum()
    b, point, force, torque = 7, rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)
    Q = generalized_force_at(model, kin, f"body{b}", point, force, torque)
    power = force @ point_velocity(model, kin, state.qdot, f"body{b}", point) + torque @ V[b, :3]
    assert abs(power - Q @ state.qdot) < 1e-11 * (np.abs(Q * state.qdot).sum() + abs(power))


@seeds
def test_generalized_forces_come_back(seed: int) -> None:
    model, _, kin, rng = random_tree(seed)
    Q = rng.normal(size=model.nr)
    F = body_wrenches(model, kin, Q)
    assert np.abs(generalized_forces(model, kin, F) - Q).max() < 1e-8
    from_joints = body_wrenches_of_joints(model, kin, joint_wrenches(model, kin, Q))
    assert np.abs(generalized_forces(model, kin, from_joints) - Q).max() < 1e-8
    assert np.linalg.norm(F) <= np.linalg.norm(from_joints) * (1.0 + 1e-12)


def test_a_hinge_exerts_its_torque_about_its_axis() -> None:
    rng = np.random.default_rng(0)
    model = compile_scene(random_scene(rng, 3, ["revolute"], "chain"))
    state = random_state(rng, model)
    kin = forward_kinematics(model, state)
    axes = [
        se3.pose_matrix(kin.E_wj[j])[:3, :3] @ model.tree.params[model.tree.at[j] :][:3] for j in range(3)
    ]
    wrenches = joint_wrenches(model, kin, np.array([2.0, -3.0, 0.5]))
    assert np.abs(wrenches[:, 3:]).max() < 1e-14
    for torque, axis, size in zip(wrenches[:, :3], axes, (2.0, -3.0, 0.5)):
        assert np.abs(torque - size * axis).max() < 1e-14


def test_what_is_wrong_with_an_argument_is_said() -> None:
    model, state, kin, _ = random_tree(0)
    with pytest.raises(InputError, match=r"no body 'tail'.*body0"):
        point_velocity(model, kin, state.qdot, "tail", (0.0, 0.0, 0.0))
    with pytest.raises(InputError, match=r"\(3, 6\).*\(18, 6\)"):
        generalized_forces(model, kin, np.zeros((3, 6)))
