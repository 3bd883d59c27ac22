"""Impulses from the matrix of rows are those that the rows themselves give, and what friction and contact ask for."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from redmax_blender.engine.friction.joints.limits_last import stops_last
from redmax_blender.engine.friction.response import DenseResponse
from redmax_blender.engine.impulses.laws import BOX, DISC, EQUAL, PUSH
from redmax_blender.engine.impulses.matrix import solve_matrix
from redmax_blender.engine.impulses.solve import solve_rows

TOLERANCE = 1e-10


def problem(seed: int, boxed: bool):
    """Rows of 14 coordinates, shape (m, 14): two equalities, five boxes, nine contacts; more rows than coordinates."""
    draw = np.random.default_rng(seed)
    per, friction = (3, BOX) if boxed else (2, DISC)
    kind = np.array([EQUAL] * 2 + [BOX] * 5 + ([PUSH] + [friction] * (per - 1)) * 9)
    size = np.where(kind == DISC, 2, 1)
    first = np.concatenate([[0], np.cumsum(size)])
    normal, mu, bound = np.full(len(kind), -1), np.zeros(len(kind)), np.zeros(len(kind))
    bound[2:7] = draw.uniform(0.05, 0.5, 5)
    for b in range(7, len(kind), per):
        normal[b + 1 : b + per], mu[b + 1 : b + per] = first[b], draw.uniform(0.2, 1.0)
    B = draw.normal(size=(first[-1], 14)) * 10 ** draw.uniform(-1, 1, (first[-1], 1))
    B[first[-1] - 3 :] = B[first[-1] - 6 : first[-1] - 3]  # a contact that says what another one says
    r = B @ draw.normal(size=14)
    pushes = first[:-1][kind == PUSH]
    r[pushes] -= np.abs(draw.normal(size=len(pushes)))  # gaps: to stop is always possible
    return B, r, first, kind, mu, normal, bound


def off(B, r, first, kind, mu, normal, bound, lam) -> float:
    """How far λ is from what it would be after a step against the velocities that are left, over the largest."""
    y, worst = B @ (B.T @ lam) - r, 0.0
    for b in range(len(kind)):
        own = slice(first[b], first[b + 1])
        w = float(np.mean(np.sum(B[own] ** 2, axis=1)))
        goal, most = lam[own] - y[own] / w, bound[b] if normal[b] < 0 else mu[b] * max(lam[normal[b]], 0.0)
        if kind[b] == PUSH:
            goal = np.maximum(goal, 0.0)
        elif kind[b] != EQUAL:
            goal = goal * min(1.0, most / max(float(np.linalg.norm(goal)), 1e-300))
        worst = max(worst, float(np.linalg.norm(goal - lam[own])) * np.sqrt(w))
    return worst / float(np.max(np.abs(r) / np.linalg.norm(B, axis=1)))


@pytest.mark.parametrize("boxed", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_the_matrix_of_rows_and_the_rows_give_the_same_impulses(seed, boxed):
    B, r, first, kind, mu, normal, bound = problem(seed, boxed)
    m, n = B.shape
    island, near, far = np.zeros(len(kind), np.int64), np.zeros(m), np.zeros(m)
    by_matrix, by_rows = bound.copy(), bound.copy()
    steps, _, residual, _ = solve_matrix(
        B @ B.T, r, first, kind, mu, normal, island, 1, TOLERANCE, by_matrix, near
    )
    begin = n * np.arange(m)
    solve_rows(
        begin, begin + n, np.tile(np.arange(n), m), B.ravel(), np.ones(n), np.ones(n, bool), np.zeros(n, np.int64), 1,
        r, first, kind, mu, normal, island, 1, TOLERANCE, TOLERANCE, 0.0, by_rows, far,
    )  # fmt: skip
    assert steps > 0 and residual <= TOLERANCE
    assert off(B, r, first, kind, mu, normal, bound, near) < 10.0 * TOLERANCE
    np.testing.assert_allclose(B.T @ near, B.T @ far, atol=1e-7 * np.abs(B.T @ far).max())
    follow = normal >= 0
    np.testing.assert_allclose(by_matrix[follow], mu[follow] * np.maximum(near[normal[follow]], 0.0))


def test_islands_are_apart_and_what_nothing_moves_gets_no_impulse():
    B, r, first, kind, mu, normal, bound = problem(3, False)
    m, nb = len(r), len(kind)
    W = np.zeros((2 * m, 2 * m))
    W[:m, :m], W[m:, m:] = B @ B.T, 2.0 * (B @ B.T)
    both = np.where(np.tile(normal, 2) < 0, -1, np.tile(normal, 2) + m * (np.arange(2 * nb) >= nb))
    lam, island = np.ones(2 * m), np.repeat([0, 1], nb)
    start = np.concatenate([first, first[1:] + m])
    solve_matrix(
        W,
        np.tile(r, 2),
        start,
        np.tile(kind, 2),
        np.tile(mu, 2),
        both,
        island,
        2,
        TOLERANCE,
        np.tile(bound, 2),
        lam,
    )
    alone = np.ones(m)
    solve_matrix(
        B @ B.T, r, first, kind, mu, normal, np.zeros(nb, np.int64), 1, TOLERANCE, bound.copy(), alone
    )
    np.testing.assert_allclose(B.T @ lam[:m], B.T @ alone, atol=1e-7 * np.abs(B.T @ alone).max())
    solve_matrix(B @ B.T, r, first, kind, mu, normal, np.full(nb, -1), 1, TOLERANCE, bound.copy(), alone)
    assert not alone.any()


def test_stops_hold_whatever_the_other_impulses_are():
    """Where these are not found exactly: stops push as much as they have to with them, and only apart."""
    draw = np.random.default_rng(3)
    G = draw.normal(size=(9, 12)) * np.exp(draw.normal(scale=3.0, size=12))  # of light and heavy things
    kind = np.array([PUSH, PUSH, EQUAL, PUSH, PUSH, PUSH, BOX, BOX, PUSH])
    blocks = SimpleNamespace(rows=slice(0, 6), kind=kind, wanted=draw.normal(size=9))
    x, value = draw.normal(size=12), np.abs(draw.normal(size=9))
    response = DenseResponse(G, G @ G.T, blocks.wanted - G @ x, G, None)
    others = np.array([2, 6, 7, 8])
    before = value.copy()
    qdot = stops_last(response, blocks, x, response.moved(x, value), value)
    stops = np.setdiff1d(np.arange(9), others)
    apart = (G @ qdot - blocks.wanted)[stops]
    scale = np.sqrt(np.diagonal(G @ G.T))[stops] * np.abs(value * np.sqrt(np.diagonal(G @ G.T))).max()
    assert (value[stops] >= 0.0).all() and (apart > -1e-6 * scale).all()
    assert np.abs(apart[value[stops] > 0.0]).max(initial=0.0) < 1e-6 * scale.max()
    np.testing.assert_array_equal(value[others], before[others])
    np.testing.assert_allclose(qdot, x + G.T @ value)
