"""Pinocchio computes the same forward dynamics on trees of all the joints that it has."""

from __future__ import annotations

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio", reason="Pinocchio is a development dependency")

from random_trees import random_scene, random_state  # noqa: E402

from benchmarks.pinocchio_tree import PinocchioTree  # noqa: E402
from redmax_blender.engine.compile.scene import compile_scene  # noqa: E402
from redmax_blender.engine.tree.kinematics import forward_kinematics  # noqa: E402
from redmax_blender.engine.tree.recursive import forward_dynamics, inverse_dynamics  # noqa: E402

KINDS = (
    "revolute", "prismatic", "planar", "translational", "universal", "spherical", "free", "free-planar",
)  # fmt: skip


@pytest.mark.parametrize("shape", ["tree", "chain", "binary"])
@pytest.mark.parametrize("seed", range(3))
def test_forward_and_inverse_dynamics(shape: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = compile_scene(random_scene(rng, 24, KINDS, shape))
    state = random_state(rng, model)
    twin = PinocchioTree(model)
    data = twin.model.createData()
    q, v = twin.configuration(state)
    tau = rng.normal(size=twin.model.nv)
    expected = pin.aba(twin.model, data, q, v, tau)
    got = twin.accelerations(state, forward_dynamics(model, state, twin.forces(state, tau)))
    assert np.abs(got - expected).max() < 1e-9 * np.abs(expected).max()
    qddot = rng.normal(size=model.nr)
    expected = twin.forces(state, pin.rnea(twin.model, data, q, v, twin.accelerations(state, qddot)))
    got = inverse_dynamics(model, forward_kinematics(model, state), state.qdot, qddot)
    assert np.abs(got - expected).max() < 1e-9 * np.abs(expected).max()
