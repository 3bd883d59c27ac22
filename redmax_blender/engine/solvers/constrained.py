"""The implicit system under constraint rows, by their multipliers (paper, Eq. 4 and 5).

With A the system's matrix, G the rows and x = A⁻¹ b the free motion, the velocities are qdot = x + A⁻¹ Gᵀ λ, where

    W λ = w - G x,   W = G A⁻¹ Gᵀ

for equalities; with inequalities λ minimises ½ λᵀ W λ - λᵀ (w - G x) with λ >= 0 on their rows, which is the dual of
the QP in the velocities. A⁻¹ Gᵀ costs a solve a row, whatever the solver.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import daqp
import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from ..constraints.active import ActiveRows
from ..errors import ConstraintError
from ..model import Floats, Ints, Model

_RANK = 1e-10
"""Rows that are this much shorter, once the others are taken out, count as repeated."""
_CONTRADICTION = 1e-6
"""A right-hand side that the rows miss by more than this fraction is a contradiction."""


class LinearSolver(Protocol):
    iterations: list[int]

    def solve(self, b: Floats, known: Floats | None = None, guess: Floats | None = None) -> Floats: ...


@dataclass
class WarmStart:
    """What the last step leaves for the next one to begin with."""

    columns: Floats | None = None
    """A⁻¹ Gᵀ of the last step, shape (m, nr)."""
    owner: Ints | None = None


@dataclass(frozen=True)
class Multipliers:
    """Impulses of the rows, and what it takes to project positions with the same matrices."""

    value: Floats
    """λ [N·s, N·m·s], shape (m,)."""
    columns: Floats
    """A⁻¹ Gᵀ, shape (m, nr)."""
    W: Floats
    """shape (m, m)."""


def columns_of(solver: LinearSolver, G: Floats, rows: ActiveRows, warm: WarmStart) -> Floats:
    """A⁻¹ Gᵀ, a solve a row, each begun from the last step's."""
    same = warm.owner is not None and np.array_equal(warm.owner, rows.owner) and warm.columns is not None
    out: Floats = np.empty_like(G)
    for i in range(len(G)):
        guess = warm.columns[i] if same and warm.columns is not None else None
        out[i] = solver.solve(G[i], None, guess)
    warm.columns, warm.owner = out, rows.owner
    return out


def constrain(
    model: Model, solver: LinearSolver, x: Floats, rows: ActiveRows, warm: WarmStart, t: float
) -> tuple[Floats, Multipliers]:
    """Velocities under the rows, from the free motion x; and the multipliers."""
    columns = columns_of(solver, rows.G, rows, warm)
    W = rows.G @ columns.T
    W = 0.5 * (W + W.T)
    r = rows.wanted - rows.G @ x
    if rows.inequality.any():
        value = solve_dual(W, r, rows.inequality)
    else:
        value = solve_equalities(W, r)
    qdot = x + value @ columns
    equal = ~rows.inequality
    if equal.any():
        check_consistent(model, rows.G[equal] @ qdot, rows.wanted[equal], r[equal], rows.owner[equal], t)
    return qdot, Multipliers(value, columns, W)


def solve_equalities(W: Floats, r: Floats) -> Floats:
    """λ of W λ = r for a symmetric semidefinite W; the least one where rows repeat each other."""
    d = np.sqrt(np.maximum(np.diag(W), 0.0))
    s = np.divide(1.0, d, out=np.zeros_like(d), where=d > 0.0)
    scaled = W * np.outer(s, s)
    if len(W) <= 64:
        # symmetric eigenvalues tell repeated rows from merely stiff ones
        w, V = np.linalg.eigh(scaled)
        keep = w > _RANK * max(float(w[-1]), 1e-300)
        inverse = np.where(keep, 1.0 / np.where(keep, w, 1.0), 0.0)
        return np.asarray(s * (V @ (inverse * (V.T @ (s * r)))))
    try:
        factor = scipy.linalg.cho_factor(scaled + 1e-14 * np.eye(len(W)), check_finite=False)
        return np.asarray(s * scipy.linalg.cho_solve(factor, s * r, check_finite=False))
    except scipy.linalg.LinAlgError:
        return np.asarray(s * np.linalg.lstsq(scaled, s * r, rcond=_RANK)[0])


def solve_dual(W: Floats, r: Floats, inequality: NDArray[np.bool_]) -> Floats:
    """min ½ λᵀ W λ - rᵀ λ with λ >= 0 on the inequality rows."""
    free = (
        solve_equalities(W[np.ix_(~inequality, ~inequality)], r[~inequality]) if (~inequality).any() else None
    )
    trial = np.zeros(len(r))
    if free is not None:
        trial[~inequality] = free
    if np.all((W @ trial - r)[inequality] >= -1e-12 * (1.0 + np.abs(r[inequality]))):
        return trial  # no stop is touched
    d = np.sqrt(np.maximum(np.diag(W), 0.0))
    s = np.divide(1.0, d, out=np.ones_like(d), where=d > 0.0)
    H = W * np.outer(s, s) + 1e-11 * np.eye(len(W))
    low = np.where(inequality, 0.0, -1e30)
    high = np.full(len(r), 1e30)
    scale = max(float(np.abs(s * r).max()), 1e-300)
    solution, _, flag, _ = daqp.solve(
        np.ascontiguousarray(H), np.ascontiguousarray(-s * r / scale), np.zeros((0, len(r))), high, low,
        np.zeros(len(r), np.int32),
    )  # fmt: skip
    if flag < 1:
        return np.full(len(r), np.nan)
    return np.asarray(s * solution * scale)


def check_consistent(model: Model, got: Floats, wanted: Floats, r: Floats, owner: Ints, t: float) -> None:
    """Stop with the names of the constraints that contradict each other, rather than with a wrong motion."""
    miss = np.abs(got - wanted)
    scale = np.abs(r).max() + np.abs(wanted).max() + 1e-9
    if not np.isfinite(miss).all():
        return  # a diverged step has its own error
    if miss.max() > _CONTRADICTION * scale and miss.max() > 1e-9 * model.constraints.size:
        bad = np.unique(owner[miss > 0.1 * miss.max()])
        raise ConstraintError(
            t, [model.constraints.names[i] for i in bad if i >= 0], float(miss.max()), "m/s or rad/s"
        )
