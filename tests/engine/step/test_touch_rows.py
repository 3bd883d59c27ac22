"""Rows of the kernels of contact (`touch_rows.py`) against dense matrices: coordinates, and wrenches on links."""

from __future__ import annotations

import numpy as np
import pytest
from dense_redmax import mass_matrix
from random_trees import random_scene, random_state

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.friction.contacts.path_rows import enter_joint, find_paths
from redmax_blender.engine.jit.decorators import njit
from redmax_blender.engine.tree.jacobian import dense_link_jacobian
from redmax_blender.engine.tree.kinematics import forward_kinematics
from redmax_blender.engine.tree.passes import eliminate


@njit
def _rows(parent, dof, mass, A_r, E_pj, S, free, touched, longest, by_coordinate, by_wrench, D):
    """L⁻¹ of the rows of all coordinates whose parent's path is known, and of unit wrenches on the links touched."""
    nl, nr = len(parent), len(free)
    U, IA, path = np.empty((nr, 6)), np.empty((nl, 21)), np.empty(nl + 1, np.int64)
    eliminate(parent, dof, mass, A_r, E_pj, S, free, IA, U, D)
    coordinate, T = find_paths(parent, dof, E_pj, S, U, D, free, touched, path, longest)
    for l in range(nl):
        for i in range(path[l], path[l + 1]):
            for c in range(6):
                by_wrench[6 * l + c, coordinate[i]] = T[i, c]
        if parent[l] >= 0 and not touched[parent[l]]:
            continue
        for k in range(dof[l], dof[l + 1]):
            if free[k]:
                index, pushed = np.empty(longest, np.uint32), np.empty(longest)
                end = enter_joint(
                    parent, dof, E_pj, S, U, D, free, path, coordinate, T, l, k, 1, 0, 0, index, pushed
                )
                for e in range(end):
                    by_coordinate[k, index[e]] = pushed[e]


@pytest.mark.parametrize("share", [1.0, 0.4])
@pytest.mark.parametrize("seed", range(4))
def test_responses_are_those_of_the_dense_matrix(seed: int, share: float) -> None:
    """Some coordinates are prescribed, and with a share below one the paths of some links are not asked for."""
    rng = np.random.default_rng(seed)
    model = compile_scene(random_scene(rng, 12))
    state = random_state(rng, model)
    kin, t = forward_kinematics(model, state), model.tree
    free, A_r = rng.random(model.nr) < 0.8, rng.uniform(0.0, 0.1, model.nr)
    touched = rng.random(model.nl) <= share
    rows, wrenches = np.zeros((model.nr, model.nr)), np.zeros((6 * model.nl, model.nr))
    D = np.zeros(model.nr)
    _rows(
        t.parent, t.dof, t.inertia, A_r, kin.E_pj, kin.S, free, touched, model.longest_path, rows, wrenches, D
    )
    which = np.flatnonzero(free)
    A = (mass_matrix(model, state) + np.diag(A_r))[np.ix_(which, which)]
    mine = np.flatnonzero(rows.any(axis=1))
    assert len(mine) > 2
    G = np.vstack([np.eye(model.nr)[mine], dense_link_jacobian(model, kin)[np.repeat(touched, 6)]])[:, which]
    short = np.vstack([rows[mine], wrenches[np.repeat(touched, 6)]])
    expected = G @ np.linalg.solve(A, G.T)
    np.testing.assert_allclose(
        (short * np.where(free, D, 0.0)) @ short.T, expected, atol=1e-9 * np.abs(expected).max()
    )
