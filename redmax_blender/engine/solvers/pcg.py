"""Preconditioned conjugate gradients on the implicit system, matrix-free (paper §3), with and without equality rows.

The projected block Jacobi preconditioner P takes in all of the matrix A but E, the coupling of different links by
springs: A = P + Jᵀ E J. Begun from x = P⁻¹ b, the residual is Jᵀ R with wrenches R on the links that springs touch,
and stays so. Then the product with P comes for free, Pp being kept up with p, and twists come out of the sweeps that
apply P⁻¹: an iteration costs one tree solve, and E on the spring's links. Where P is A, one application is the solution.

Equality rows G x = w are met by every iterate (projected CG): the preconditioner is followed by the projection
y - C W⁻¹ G y with C = P⁻¹ Gᵀ and W = G C, a tree solve a row, once a system. The multipliers fall out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..forces.spring_tangent import add_coupling, add_tangent_product
from ..jit import njit, subroutine
from ..model import Floats, Ints
from ..recursive import solve
from ..spatial import (
    ZERO6,
    add6,
    add21,
    axpy6,
    dot6,
    load6,
    load12,
    load21,
    store6,
    sym_times,
    twist_down,
    wrench_up,
)
from .implicit_system import ImplicitSystem
from .semidefinite import semidefinite_inverse
from .tree_solve import Mask, columns, precondition

_NONE = np.zeros(0)
_NO_ROWS: Floats = np.zeros((0, 0))
_NO_TWISTS: Floats = np.zeros((0, 0, 6))


@subroutine
def _product(
    parent: Ints,
    dof: Ints,
    inertia: Floats,
    A_m: Floats,
    A_r: Floats,
    E_pj: Floats,
    E_wj: Floats,
    S: Floats,
    first: Ints,
    link: Ints,
    nodes: Floats,
    axial: Floats,
    across: Floats,
    turning: Floats,
    row: Floats,
    arm: Floats,
    along: Floats,
    x: Floats,
    V: Floats,
    F: Floats,
    out: Floats,
) -> None:
    """out = A x; V and F are scratch of shape (nl, 6), and F is zero afterwards."""
    nl = len(parent)
    for j in range(nl):
        a = ZERO6
        if parent[j] >= 0:
            a = twist_down(load12(E_pj, j), load6(V, parent[j]))
        for k in range(dof[j], dof[j + 1]):
            a = axpy6(x[k], load6(S, k), a)
        store6(V, j, a)
        store6(F, j, sym_times(add21(load21(inertia, j), load21(A_m, j)), a))
    if len(axial) > 0:
        add_tangent_product(first, link, nodes, axial, across, turning, row, arm, along, E_wj, V, F)
    for j in range(nl - 1, -1, -1):
        f = load6(F, j)
        store6(F, j, ZERO6)
        for k in range(dof[j], dof[j + 1]):
            out[k] = dot6(load6(S, k), f) + A_r[k] * x[k]
        p = parent[j]
        if p >= 0:
            store6(F, p, add6(load6(F, p), wrench_up(load12(E_pj, j), f)))


@njit
def _times(
    parent: Ints,
    dof: Ints,
    inertia: Floats,
    A_m: Floats,
    A_r: Floats,
    E_pj: Floats,
    E_wj: Floats,
    S: Floats,
    first: Ints,
    link: Ints,
    nodes: Floats,
    axial: Floats,
    across: Floats,
    turning: Floats,
    row: Floats,
    arm: Floats,
    along: Floats,
    x: Floats,
    out: Floats,
) -> None:
    V = np.empty((len(parent), 6))
    F = np.empty((len(parent), 6))
    _product(
        parent, dof, inertia, A_m, A_r, E_pj, E_wj, S, first, link, nodes, axial, across, turning, row, arm, along,
        x, V, F, out,
    )  # fmt: skip


@njit
def _pcg(
    parent: Ints,
    dof: Ints,
    inertia: Floats,
    A_m: Floats,
    A_r: Floats,
    E_pj: Floats,
    E_wj: Floats,
    S: Floats,
    first: Ints,
    link: Ints,
    nodes: Floats,
    axial: Floats,
    across: Floats,
    turning: Floats,
    row: Floats,
    arm: Floats,
    along: Floats,
    block: Floats,
    sprung: Ints,
    U: Floats,
    D: Floats,
    free: Mask,
    G: Floats,
    C: Floats,
    VC: Floats,
    W_inverse: Floats,
    wanted: Floats,
    b: Floats,
    tolerance: float,
    most: int,
    x: Floats,
    value: Floats,
) -> int:
    """Solves A x = b + Gᵀ value with G x = wanted on the free coordinates, from the guess in x. Returns iterations.

    Entries of x that are not free are kept. The count is negative where the matrix is not positive definite.
    """
    nl, nr, m = len(parent), len(b), len(wanted)
    V = np.zeros((nl, 6))
    F = np.empty((nl, 6))
    r = np.empty(nr)
    u = np.empty(nr)
    y = np.zeros(nr)
    for k in range(nr):
        if free[k] and not D[k] > 0.0:
            return -1
    _product(
        parent, dof, inertia, A_m, A_r, E_pj, E_wj, S, first, link, nodes, axial, across, turning, row, arm, along,
        x, V, F, u,
    )  # fmt: skip
    for k in range(nr):
        r[k] = b[k] - u[k] if free[k] else 0.0
    scale = precondition(parent, dof, E_pj, S, U, D, free, r, F, u, y, V)
    for k in range(nr):
        x[k] += y[k]
        r[k] = 0.0
    g = np.empty(m)
    mu = np.zeros(m)
    for i in range(m):
        g[i] = wanted[i]
        for k in range(nr):
            g[i] -= G[i, k] * x[k]
    for i in range(m):
        value[i] = 0.0
        for j in range(m):
            value[i] += W_inverse[i, j] * g[j]
        scale += value[i] * g[i]
        for k in range(nr):
            x[k] += value[i] * C[i, k]
        for s in range(len(sprung)):
            for c in range(6):
                V[sprung[s], c] += value[i] * VC[i, s, c]
    # What is left is what the step moved through E: the residual as wrenches, with the sign that `precondition` takes.
    R = np.zeros((nl, 6))
    T = np.zeros((nl, 6))
    Vp = np.zeros((nl, 6))
    Rp = np.zeros((nl, 6))
    p = np.zeros(nr)
    mu_p = np.zeros(m)
    add_coupling(first, link, nodes, axial, across, turning, row, arm, along, E_wj, block, sprung, V, R)
    stop = tolerance * tolerance * scale
    before = 1.0
    for iteration in range(1, most + 1):
        for s in range(len(sprung)):
            store6(F, sprung[s], load6(R, sprung[s]))
        precondition(parent, dof, E_pj, S, U, D, free, r, F, u, y, V)
        for i in range(m):
            g[i] = 0.0
            for k in range(nr):
                g[i] += G[i, k] * y[k]
        for i in range(m):
            mu[i] = 0.0
            for j in range(m):
                mu[i] += W_inverse[i, j] * g[j]
            for k in range(nr):
                y[k] -= mu[i] * C[i, k]
            for s in range(len(sprung)):
                for c in range(6):
                    V[sprung[s], c] -= mu[i] * VC[i, s, c]
        now = 0.0
        for s in range(len(sprung)):
            now -= dot6(load6(R, sprung[s]), load6(V, sprung[s]))
        if not now > stop:
            for i in range(m):
                value[i] -= mu[i]
            return iteration if now == now else -iteration
        beta = now / before if iteration > 1 else 0.0
        before = now
        for k in range(nr):
            p[k] = y[k] + beta * p[k]
        for i in range(m):
            mu_p[i] = mu[i] + beta * mu_p[i]
        for s in range(len(sprung)):
            l = sprung[s]
            store6(Vp, l, axpy6(beta, load6(Vp, l), load6(V, l)))
            store6(Rp, l, axpy6(beta, load6(Rp, l), load6(R, l)))
            store6(T, l, axpy6(-1.0, load6(Rp, l), ZERO6))
        add_coupling(first, link, nodes, axial, across, turning, row, arm, along, E_wj, block, sprung, Vp, T)
        pAp = 0.0
        for s in range(len(sprung)):
            pAp += dot6(load6(T, sprung[s]), load6(Vp, sprung[s]))
        if not pAp > 0.0:
            return -iteration
        alpha = now / pAp
        for k in range(nr):
            x[k] += alpha * p[k]
        for i in range(m):
            value[i] -= alpha * mu_p[i]
        for s in range(len(sprung)):
            l = sprung[s]
            store6(R, l, axpy6(alpha, load6(T, l), load6(R, l)))
    return most


_NO_INTS = np.zeros(0, np.int64)
_NO_WRENCHES: Floats = np.zeros((0, 6))
_NO_POINTS: Floats = np.zeros((0, 3))
_NO_SPRINGS = (
    np.zeros(1, np.int64), _NO_INTS, _NO_POINTS, _NONE, _NONE, _NONE, _NO_WRENCHES, _NO_POINTS, _NO_POINTS,
)  # fmt: skip


def _matrix(system: ImplicitSystem) -> tuple[Any, ...]:
    t, kin = system.model.tree, system.kin
    springs: tuple[Any, ...] = _NO_SPRINGS
    if system.springs is not None:
        state, tangent = system.springs
        s = system.model.springs
        springs = (
            s.first, s.link, s.x, tangent.axial, tangent.across, tangent.turning, state.row, state.arm, state.along
        )  # fmt: skip
    return (t.parent, t.dof, t.inertia, system.A_m, system.A_r, kin.E_pj, kin.E_wj, kin.S, *springs)


def times(system: ImplicitSystem, x: Floats) -> Floats:
    """A x, shape (nr,)."""
    out: Floats = np.empty(len(x))
    _times(*_matrix(system), x, out)
    return out


@dataclass(frozen=True)
class RowFactor:
    """Equality rows G, ready to be held in solves with one system."""

    G: Floats
    """shape (m, nr)."""
    C: Floats
    """P⁻¹ Gᵀ, shape (m, nr)."""
    VC: Floats
    """Twists of the sprung links that go with it, shape (m, links, 6)."""
    W: Floats
    """G P⁻¹ Gᵀ, shape (m, m)."""
    inverse: Floats
    """Of W, on its range."""


_NO_FACTOR = RowFactor(_NO_ROWS, _NO_ROWS, _NO_TWISTS, _NO_ROWS, _NO_ROWS)


class PCG:
    """Solves with one system for any number of right-hand sides. `iterations` has one entry a solve."""

    def __init__(self, system: ImplicitSystem, tolerance: float = 1e-6, most: int = 2000) -> None:
        self.system = system
        self.tolerance = tolerance
        self.most = most
        self.iterations: list[int] = []

    @property
    def is_exact(self) -> bool:
        """Whether the preconditioner is the matrix, so that `RowFactor.C` is A⁻¹ Gᵀ."""
        return self.system.is_tree

    def solve(self, b: Floats, known: Floats | None = None, guess: Floats | None = None) -> Floats:
        """x with A x = b on the free coordinates; the others are `known`, or zero."""
        if self.system.is_tree:
            self.iterations.append(1)
            return solve(self.system.model, self.system.preconditioner, b, known)
        return self.solve_with_rows(_NO_FACTOR, _NONE, b, known, guess)[0]

    def factor_rows(self, G: Floats) -> RowFactor:
        """Rows in reduced coordinates, shape (m, nr), for `solve_with_rows`."""
        f, t = self.system.preconditioner, self.system.model.tree
        watched = _NO_INTS if self.system.is_tree else self.system.model.springs.links
        C, VC = columns((t.parent, t.dof, f.E_pj, f.S, f.U, f.D, f.free), watched, G)
        W = G @ C.T
        return RowFactor(G, C, VC, W, semidefinite_inverse(W))

    def solve_with_rows(
        self,
        rows: RowFactor,
        wanted: Floats,
        b: Floats,
        known: Floats | None = None,
        guess: Floats | None = None,
        tolerance: float | None = None,
    ) -> tuple[Floats, Floats]:
        """x and λ with A x = b + Gᵀ λ on the free coordinates and G x = wanted; the other coordinates are `known`.

        Rows that contradict each other are missed by as little as possible.
        """
        system, f = self.system, self.system.preconditioner
        x = np.zeros(len(b)) if known is None else known.copy()
        value = np.empty(len(wanted))
        if system.is_tree:
            x = solve(system.model, f, b, x)
            value = rows.inverse @ (wanted - rows.G @ x)
            self.iterations.append(1)
            return x + value @ rows.C, value
        if guess is not None:
            np.copyto(x, guess, where=system.free)
        count = _pcg(
            *_matrix(system), system.spring_blocks, system.model.springs.links, f.U, f.D, f.free,
            rows.G, rows.C, rows.VC, rows.inverse, wanted, b, tolerance or self.tolerance, self.most, x, value,
        )  # fmt: skip
        self.iterations.append(abs(count))
        if count < 0:
            x[:] = np.nan  # an indefinite matrix: the caller stops with a named error
        return x, value
