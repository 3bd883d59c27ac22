"""The algebra on tuples against the same formulas on 6x6 matrices."""

from __future__ import annotations

import numpy as np
import pytest

from redmax_blender.engine.algebra import se3
from redmax_blender.engine.algebra.spatial import (
    ad_times,
    ad_transpose_times,
    add3,
    add6,
    add21,
    axpy6,
    compose,
    cross,
    dot6,
    load3,
    load6,
    load6_at,
    load12,
    load21,
    load21_at,
    matmul3,
    rotate,
    store6,
    store6_at,
    store12,
    store21,
    store21_at,
    sym_minus_outer,
    sym_times,
    sym_up,
    transform_point,
    twist_down,
    twist_up,
    unrotate,
    wrench_down,
    wrench_up,
)
from redmax_blender.engine.jit.decorators import njit
from redmax_blender.engine.tree.elimination import (
    add_rigid_inertia,
    column,
    gyroscopic_wrench,
    rigid_inertia,
    times_hinge_bias,
    up_without_rotation,
    up_without_translation,
    up_without_x_rotation,
)

Floats = np.ndarray

_6x6 = np.array(
    [
        [0, 1, 2, 6, 7, 8],
        [1, 3, 4, 9, 10, 11],
        [2, 4, 5, 12, 13, 14],
        [6, 9, 12, 15, 16, 17],
        [7, 10, 13, 16, 18, 19],
        [8, 11, 14, 17, 19, 20],
    ]
)
"""Where the entries of a symmetric 6x6 matrix are in its row of 21 numbers."""


def row21(M: Floats) -> Floats:
    row = np.empty(21)
    row[_6x6] = M
    return row


@njit
def _put(out, k, x):  # type: ignore[no-untyped-def]
    for c in range(len(x)):
        out[k, c] = x[c]


@njit
def _evaluate(E, V, M, out):  # type: ignore[no-untyped-def]
    """One result a row, in the order of the test below."""
    A, B = load12(E, 0), load12(E, 1)
    a, b = load6(V, 0), load6(V, 1)
    v, w = (a[0], a[1], a[2]), (b[0], b[1], b[2])
    m, n = load21(M, 0), load21(M, 1)
    _put(out, 0, compose(A, B))
    _put(out, 1, transform_point(A, v))
    _put(out, 2, rotate(A, v))
    _put(out, 3, unrotate(A, v))
    _put(out, 4, matmul3(A, B))
    _put(out, 5, cross(v, w))
    _put(out, 6, add3(v, w))
    _put(out, 7, add6(a, b))
    _put(out, 8, axpy6(2.5, a, b))
    out[9, 0] = dot6(a, b)
    _put(out, 10, twist_down(A, a))
    _put(out, 11, twist_up(A, a))
    _put(out, 12, wrench_up(A, a))
    _put(out, 13, wrench_down(A, a))
    _put(out, 14, ad_times(a, b))
    _put(out, 15, ad_transpose_times(a, b))
    _put(out, 16, sym_times(m, a))
    _put(out, 17, sym_minus_outer(m, a, 0.7))
    _put(out, 18, sym_up(A, m))
    _put(out, 19, add21(m, n))
    for k in range(6):
        _put(out, 20 + k, column(m, k))


@pytest.fixture(scope="module")
def numbers() -> dict[str, Floats]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(2, 6, 6))
    return {
        "E": np.array([se3.exp(rng.normal(size=6)) for _ in range(2)]),
        "V": rng.normal(size=(2, 6)),
        "M": X @ np.swapaxes(X, 1, 2),
    }


def test_every_function_is_its_matrix_formula(numbers: dict[str, Floats]) -> None:
    (A, B), (a, b), (M, N) = numbers["E"], numbers["V"], numbers["M"]
    R, v, w = A[:3, :3], a[:3], b[:3]
    down = se3.Ad(se3.inverse(A))
    expected = [
        se3.pose_row(A @ B),
        R @ v + A[:3, 3],
        R @ v,
        R.T @ v,
        (R @ B[:3, :3]).ravel(),
        np.cross(v, w),
        v + w,
        a + b,
        2.5 * a + b,
        np.array([a @ b]),
        down @ a,
        se3.Ad(A) @ a,
        down.T @ a,
        se3.Ad(A).T @ a,
        se3.ad(a) @ b,
        se3.ad(a).T @ b,
        M @ a,
        row21(M - 0.7 * np.outer(a, a)),
        row21(down.T @ M @ down),
        row21(M + N),
        *M,
    ]
    out = np.full((len(expected), 21), np.nan)
    rows = np.array([se3.pose_row(A), se3.pose_row(B)])
    _evaluate(rows, numbers["V"], np.array([row21(M), row21(N)]), out)
    for k, (got, want) in enumerate(zip(out, expected)):
        assert np.abs(got[: len(want)] - want).max() < 1e-12, f"result {k}"


@njit
def _evaluate_eliminations(E, V, ten, hinge, ball, slide, out):  # type: ignore[no-untyped-def]
    A, a = load12(E, 0), load6(V, 0)
    m = load21(hinge, 0)
    _put(out, 0, up_without_x_rotation(A, m))
    _put(out, 1, up_without_rotation(A, load21(ball, 0)))
    _put(out, 2, up_without_translation(A, load21(slide, 0)))
    _put(out, 3, times_hinge_bias(m, (0.0, a[1], a[2], 0.0, a[4], a[5])))
    _put(out, 4, rigid_inertia(ten, 0, 1))
    _put(out, 5, add_rigid_inertia(m, ten, 0, 1))
    _put(out, 6, gyroscopic_wrench(ten, 0, 1, a))


def test_what_is_left_of_an_inertia_goes_up_like_any_other(numbers: dict[str, Floats]) -> None:
    A, a, M = numbers["E"][0], numbers["V"][0], numbers["M"][0]
    down = se3.Ad(se3.inverse(A))
    hinge, ball, slide = M.copy(), np.zeros((6, 6)), np.zeros((6, 6))
    hinge[0, :] = hinge[:, 0] = 0.0
    ball[3:, 3:] = M[3:, 3:]
    slide[:3, :3] = M[:3, :3]
    # A rigid body: its inertia about its centre, seen from another frame.
    X = se3.Ad(se3.inverse(numbers["E"][1]))
    body = X.T @ np.diag([0.3, 0.4, 0.5, 2.0, 2.0, 2.0]) @ X
    ten = np.concatenate([[np.nan], row21(body)[:6], body[[2, 0, 1], [4, 5, 3]], [2.0]])
    bias = a * np.array([0.0, 1.0, 1.0, 0.0, 1.0, 1.0])
    expected = [
        row21(down.T @ hinge @ down),
        row21(down.T @ ball @ down),
        row21(down.T @ slide @ down),
        hinge @ bias,
        row21(body),
        row21(hinge + body),
        -se3.ad(a).T @ body @ a,
    ]
    out = np.full((len(expected), 21), np.nan)
    _evaluate_eliminations(
        se3.pose_row(A)[None],
        a[None],
        ten[None],
        row21(hinge)[None],
        row21(ball)[None],
        row21(slide)[None],
        out,
    )
    for k, (got, want) in enumerate(zip(out, expected)):
        assert np.abs(got[: len(want)] - want).max() < 1e-12, f"result {k}"


@njit
def _copy(a, b):  # type: ignore[no-untyped-def]
    store6(b, 0, load6(a, 0))
    store12(b, 1, load12(a, 1))
    store21(b, 2, load21(a, 2))
    store6_at(b, 3, 5, load6_at(a, 3, 5))
    store21_at(b, 4, 7, load21_at(a, 4, 7))
    b[5, 1], b[5, 2], b[5, 3] = load3(a[5], 1)


def test_loads_and_stores_touch_their_own_columns_only() -> None:
    a = np.random.default_rng(0).normal(size=(6, 30))
    b = np.zeros_like(a)
    _copy(a, b)
    for row, columns in enumerate([range(6), range(12), range(21), range(5, 11), range(7, 28), range(1, 4)]):
        mask = np.isin(np.arange(30), columns)
        assert np.array_equal(b[row, mask], a[row, mask])
        assert not b[row, ~mask].any()
