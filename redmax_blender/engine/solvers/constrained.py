"""The implicit system under constraint rows, by their multipliers (paper, Eq. 4 and 5).

With A the system's matrix, G the rows and x = A⁻¹ b the free motion, the velocities are qdot = x + A⁻¹ Gᵀ λ, where

    W λ = w - G x,   W = G A⁻¹ Gᵀ

for equalities; with inequalities λ minimises ½ λᵀ W λ - λᵀ (w - G x) with λ >= 0 on their rows, which is the dual of
the QP in the velocities. A⁻¹ Gᵀ costs a solve a row. PCG needs it only where a stop is touched: equalities alone it
holds in a single solve.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import daqp
import numpy as np
from numpy.typing import NDArray

from ..constraints.active import ActiveRows
from ..constraints.naming import in_the_way, names_of
from ..errors import ConstraintError
from ..model.records import Floats, Ints, Model
from .direct import Direct
from .pcg import PCG, RowFactor
from .semidefinite import row_scales, semidefinite_inverse

_CONTRADICTION = 1e-6
"""A right-hand side that the rows miss by more than this fraction is a contradiction."""
_REGULAR = (1e-9, 1e-7, 1e-5)
"""What is added to the unit diagonal of a singular matrix, such as one of a joint's two stops, until the QP solves."""
_PROJECTION = 1e-4
"""Relative residual of the solves that bring positions back, which are small corrections that get corrected again."""


class LinearSolver(Protocol):
    iterations: list[int]

    def solve(self, b: Floats, known: Floats | None = None, guess: Floats | None = None) -> Floats: ...


@dataclass
class WarmStart:
    """What the last step leaves for the next one to begin with."""

    columns: Floats | None = None
    """A⁻¹ Gᵀ of the last step, shape (m, nr)."""
    owner: Ints | None = None
    """The constraints that they belong to, shape (m,)."""


@dataclass(frozen=True)
class Multipliers:
    """Impulses of the rows, and what it takes to project positions: c goes to zero by -W⁻¹ c @ columns."""

    value: Floats
    """λ [N·s, N·m·s], shape (m,)."""
    W: Floats
    """shape (m, m)."""
    make_columns: Callable[[], Floats]

    @cached_property
    def columns(self) -> Floats:
        """A⁻¹ Gᵀ, or with W = 1 what belongs to a unit of each row, shape (m, nr). Made when it is first asked for."""
        return self.make_columns()


def columns_of(solver: LinearSolver, G: Floats, rows: ActiveRows, warm: WarmStart) -> Floats:
    """A⁻¹ Gᵀ, a solve a row, those of PCG begun from the last step's."""
    if isinstance(solver, Direct):
        return solver.solve_rows(G)
    if isinstance(solver, PCG):
        same = warm.owner is not None and np.array_equal(warm.owner, rows.owner)
        warm.columns, warm.owner = solver.solve_rows(G, warm.columns if same else None), rows.owner
        return warm.columns
    return np.array([solver.solve(g) for g in G])


def constrain(
    model: Model, solver: LinearSolver, x: Floats, rows: ActiveRows, warm: WarmStart, t: float
) -> tuple[Floats, Multipliers]:
    """Velocities under the rows, from the free motion x; and the multipliers."""
    found = None
    if isinstance(solver, PCG):
        found = _by_projection(solver, x, rows)
    if found is None:
        found = _by_columns(solver, x, rows, warm)
    qdot, multipliers = found
    check_consistent(model, rows, qdot, x, t)
    return qdot, multipliers


def _by_columns(
    solver: LinearSolver, x: Floats, rows: ActiveRows, warm: WarmStart
) -> tuple[Floats, Multipliers]:
    columns = columns_of(solver, rows.G, rows, warm)
    W = rows.G @ columns.T
    W = 0.5 * (W + W.T)
    r = rows.wanted - rows.G @ x
    value = solve_dual(W, r, rows.inequality) if rows.inequality.any() else solve_equalities(W, r)
    return x + value @ columns, Multipliers(value, W, lambda: columns)


def _by_projection(solver: PCG, x: Floats, rows: ActiveRows) -> tuple[Floats, Multipliers] | None:
    """With the equalities alone, if any; null where an inequality does not hold by itself then."""
    equal = ~rows.inequality
    m = int(equal.sum())
    value = np.zeros(len(equal))
    factor = None
    qdot = x
    if m:
        assert solver.asked is not None, "x is the answer to a `solve`"
        factor = solver.factor_rows(rows.G if m == len(equal) else rows.G[equal])
        qdot, value[equal] = solver.solve_with_rows(factor, rows.wanted[equal], *solver.asked)
    if m < len(equal):
        over = (rows.G @ qdot - rows.wanted)[~equal]
        if not np.all(over >= -1e-12 * (1.0 + np.abs((rows.wanted - rows.G @ x)[~equal]))):
            return None
    return qdot, Multipliers(value, np.eye(len(value)), lambda: _unit_changes(solver, factor, equal))


def _unit_changes(solver: PCG, factor: RowFactor | None, equal: NDArray[np.bool_]) -> Floats:
    """For each equality row the change, least in the metric of A, that moves it by one and no other equality."""
    out: Floats = np.zeros((len(equal), solver.system.model.nr))
    if factor is not None:
        out[equal] = solver.least_changes(factor, np.eye(len(factor.W)), _PROJECTION)
    return out


def solve_equalities(W: Floats, r: Floats) -> Floats:
    """λ of W λ = r for a symmetric semidefinite W; the least one where rows repeat each other."""
    return np.asarray(semidefinite_inverse(W) @ r)


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
    s = row_scales(W)
    H = W * np.outer(s, s)
    low = np.where(inequality, 0.0, -1e30)
    high = np.full(len(r), 1e30)
    scale = max(float(np.abs(s * r).max()), 1e-300)
    for regular in _REGULAR:
        solution, _, flag, _ = daqp.solve(
            H + regular * np.eye(len(W)), np.ascontiguousarray(-s * r / scale), np.zeros((0, len(r))), high, low,
            np.zeros(len(r), np.int32),
        )  # fmt: skip
        if flag >= 1:
            break
    else:
        return np.full(len(r), np.nan)
    # the library's tolerance and what keeps its matrix regular would let a joint creep through its stop
    value = np.asarray(s * solution * scale)
    return _polished(W, r, inequality, ~inequality | (solution > 1e-9), value)


def _polished(
    W: Floats, r: Floats, inequality: NDArray[np.bool_], touched: NDArray[np.bool_], value: Floats
) -> Floats:
    """The multipliers of the touched rows to the last digit, where these rows are the right ones; else `value`."""
    exact = np.zeros(len(r))
    exact[touched] = solve_equalities(W[np.ix_(touched, touched)], r[touched])
    slack = W @ exact - r
    pushing = np.all(exact[inequality] >= 0.0)
    return exact if pushing and np.all(slack[~touched] >= -1e-9 * (1.0 + np.abs(r[~touched]))) else value


def check_consistent(
    model: Model, rows: ActiveRows, qdot: Floats, x: Floats, t: float, blur: float = 0.0
) -> None:
    """Stop with the names of the constraints that contradict each other, rather than with a wrong motion.

    blur: what a solution by iteration may miss [m/s, rad/s].
    """
    equal = ~rows.inequality
    # What follows from the way being curved is wanted as far as the rows allow it together.
    miss = np.where(equal, np.maximum(np.abs(rows.G @ qdot - rows.wanted) - np.abs(rows.bend), 0.0), 0.0)
    worst = float(miss.max(initial=0.0))
    if not worst > 1e-9 * model.constraints.size:
        return  # or not finite: a diverged step has its own error
    r = (rows.wanted - rows.G @ x)[equal]
    scale = np.abs(r).max() + np.abs(rows.wanted[equal]).max() + 1e-9
    if np.isfinite(worst) and worst > _CONTRADICTION * scale + blur:
        bad = miss > 0.1 * worst
        near = rows.inequality & (rows.G @ qdot <= rows.wanted + worst)
        which = in_the_way(rows, bad, near)
        raise ConstraintError(t, names_of(model, rows, which), worst, "m/s or rad/s")
