"""MuJoCo, which shares nothing with this engine, computes the same forward and inverse dynamics."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is a development dependency")

from random_trees import random_scene, random_state  # noqa: E402

from benchmarks.mujoco_tree import MujocoTree  # noqa: E402
from redmax_blender.engine.algebra import se3  # noqa: E402
from redmax_blender.engine.compile.scene import compile_scene  # noqa: E402
from redmax_blender.engine.model.records import Model  # noqa: E402
from redmax_blender.engine.model.state import State  # noqa: E402
from redmax_blender.engine.scene import Free, SceneSpec  # noqa: E402
from redmax_blender.engine.tree.kinematics import body_poses, body_twists, forward_kinematics  # noqa: E402
from redmax_blender.engine.tree.recursive import forward_dynamics, inverse_dynamics, mass_times  # noqa: E402

Floats = np.ndarray
KINDS = ("revolute", "prismatic", "spherical", "fixed")
seeds = pytest.mark.parametrize("seed", range(12))


def with_free_roots(spec: SceneSpec, rng: np.random.Generator) -> SceneSpec:
    """Every other root floats: MuJoCo has free joints only there."""
    bodies = [
        msgspec.structs.replace(body, joint=msgspec.structs.replace(body.joint, type=Free()))
        if body.parent is None and rng.random() < 0.5
        else body
        for body in spec.bodies
    ]
    return msgspec.structs.replace(spec, bodies=bodies)


def twins(seed: int, n: int = 25) -> tuple[Model, State, MujocoTree, np.random.Generator]:
    rng = np.random.default_rng(seed)
    shape = ("tree", "chain", "binary")[seed % 3]
    model = compile_scene(with_free_roots(random_scene(rng, n, KINDS, shape), rng))
    return model, random_state(rng, model), MujocoTree.of(model), rng


def relative(got: Floats, expected: Floats) -> float:
    return float(np.abs(got - expected).max() / np.abs(expected).max())


@seeds
def test_bodies_are_in_the_same_place_and_move_alike(seed: int) -> None:
    model, state, twin, _ = twins(seed)
    data = twin.data(state)
    mujoco.mj_forward(twin.model, data)
    kin = forward_kinematics(model, state)
    poses, twists = body_poses(model.bodies, kin), body_twists(model.bodies, kin.V)
    for b, name in enumerate(model.bodies.names):
        body = data.body(name)
        E = se3.pose_matrix(poses[b])
        assert np.abs(body.xipos - E[:3, 3]).max() < 1e-11
        assert np.abs(body.ximat.reshape(3, 3) - E[:3, :3]).max() < 1e-11
        velocity = np.empty(6)
        mujoco.mj_objectVelocity(twin.model, data, mujoco.mjtObj.mjOBJ_BODY, body.id, velocity, 1)
        assert np.abs(velocity - twists[b]).max() < 1e-9 * np.abs(twists).max()


@seeds
def test_forward_dynamics(seed: int) -> None:
    model, state, twin, rng = twins(seed)
    data = twin.data(state)
    data.qfrc_applied[:] = rng.normal(size=twin.model.nv)
    mujoco.mj_forward(twin.model, data)
    qddot = forward_dynamics(model, state, twin.forces(state, data.qfrc_applied))
    assert relative(twin.accelerations(state, qddot), data.qacc) < 1e-9


@seeds
def test_inverse_dynamics(seed: int) -> None:
    model, state, twin, rng = twins(seed)
    qddot = rng.normal(size=model.nr)
    data = twin.data(state)
    data.qacc[:] = twin.accelerations(state, qddot)
    mujoco.mj_inverse(twin.model, data)
    tau = inverse_dynamics(model, forward_kinematics(model, state), state.qdot, qddot)
    assert relative(tau, twin.forces(state, data.qfrc_inverse)) < 1e-9


@seeds
def test_kinetic_energy(seed: int) -> None:
    model, state, twin, _ = twins(seed)
    data = twin.data(state)
    twin.model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    mujoco.mj_forward(twin.model, data)
    kinetic = 0.5 * state.qdot @ mass_times(model, forward_kinematics(model, state), state.qdot)
    assert abs(kinetic - data.energy[1]) < 1e-9 * kinetic


def test_a_kind_that_mujoco_does_not_have_is_named() -> None:
    model = compile_scene(random_scene(np.random.default_rng(0), 1, ["universal"]))
    with pytest.raises(ValueError, match="body0"):
        MujocoTree.of(model)
