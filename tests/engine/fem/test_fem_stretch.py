"""The stretches of any deformation gradient, from a body at rest to one crushed to a point."""

from __future__ import annotations

import numpy as np
import pytest

from redmax_blender.engine.fem.materials.stretch import rotation, stretches
from redmax_blender.engine.jit.decorators import njit

RNG = np.random.default_rng(1)


@njit
def decompose(F, U, s, V, R):
    for i in range(len(F)):
        f = (F[i, 0], F[i, 1], F[i, 2], F[i, 3], F[i, 4], F[i, 5], F[i, 6], F[i, 7], F[i, 8])
        u, sigma, v = stretches(f)
        r = rotation(f)
        for k in range(9):
            U[i, k], V[i, k], R[i, k] = u[k], v[k], r[k]
        for k in range(3):
            s[i, k] = sigma[k]


def rotations(n: int) -> np.ndarray:
    Q = np.linalg.qr(RNG.standard_normal((n, 3, 3)))[0]
    return Q * np.sign(np.linalg.det(Q))[:, None, None]


def cases(n: int = 200) -> dict[str, np.ndarray]:
    A, B = rotations(n), np.swapaxes(rotations(n), 1, 2)

    def stretched(*sigma: float) -> np.ndarray:
        return (A * np.array(sigma)) @ B

    return {
        "at rest": A,
        "nearly at rest": A @ (np.eye(3) + 1e-9 * RNG.standard_normal((n, 3, 3))),
        "deformed": A @ (np.eye(3) + 0.2 * RNG.standard_normal((n, 3, 3))),
        "random": RNG.standard_normal((n, 3, 3)),
        "huge": 1e30 * RNG.standard_normal((n, 3, 3)),
        "tiny": 1e-30 * RNG.standard_normal((n, 3, 3)),
        "graded": RNG.standard_normal((n, 3, 3)) * 10.0 ** RNG.uniform(-6, 0, (n, 1, 3)),
        "flat": stretched(1.0, 0.7, 0.0),
        "round and flat": stretched(1.0, 1.0, 0.0),
        "mirrored": stretched(1.0, 1.0, -1.0),
        "nearly mirrored": stretched(1.0, 1.0, -1.0) + 1e-7 * RNG.standard_normal((n, 3, 3)),
        "inside out": -A,
        "needle": stretched(1.0, 0.0, 0.0),
        "nearly a needle": stretched(1.0, 1e-9, -1e-9),
        "point": 0.0 * A,
    }


@pytest.mark.parametrize("name", cases(1))
def test_any_gradient_is_decomposed(name):
    F = np.ascontiguousarray(cases()[name].reshape(-1, 9))
    n = len(F)
    U, V, R, s = np.empty((n, 9)), np.empty((n, 9)), np.empty((n, 9)), np.empty((n, 3))
    decompose(F, U, s, V, R)
    U, V, R, F = (a.reshape(n, 3, 3) for a in (U, V, R, F))
    size = np.abs(F).max(axis=(1, 2)) + 1e-300
    again = np.einsum("nij,nj,nkj->nik", U, s, V)
    assert np.all(np.abs(again - F).max(axis=(1, 2)) < 1e-12 * size)
    for Q in (U, V, R):
        assert np.abs(np.einsum("nij,nik->njk", Q, Q) - np.eye(3)).max() < 1e-14
        assert np.all(np.linalg.det(Q) > 0.0)
    # no rotation is nearer: the greatest possible tr(RᵀF) is the sum of singular values, the least one with det's sign
    singular = np.linalg.svd(F, compute_uv=False)
    best = singular[:, 0] + singular[:, 1] + np.sign(np.linalg.det(F)) * singular[:, 2]
    assert np.all(np.abs(np.einsum("nij,nij->n", R, F) - best) < 1e-12 * size)
    assert np.all(np.abs(s.sum(axis=1) - best) < 1e-12 * size)
