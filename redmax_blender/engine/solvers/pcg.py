"""Preconditioned conjugate gradients on the implicit system, matrix-free (paper §3), with and without equality rows.

The projected block Jacobi preconditioner P takes in all of the matrix A but E, the coupling of different links by
springs: A = P + Jᵀ E J. Begun from x = P⁻¹ b, the residual is Jᵀ R with wrenches R on the links that springs touch,
and stays so. Then the product with P comes for free, Pp being kept up with p, and twists come out of the sweeps that
apply P⁻¹: an iteration costs one tree solve, and E on the springs' links. Where P is A, one application solves it.

Equality rows G x = w are met by every iterate (projected CG): between the two sweeps of a tree solve, what moves the
rows is taken out of the residual (`tree_solve.meet_rows`). That takes W = G P⁻¹ Gᵀ, which costs a path of the tree a
row, once a system. The multipliers fall out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algebra.spatial import (
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
from ..forces.spring_tangent import add_coupling, add_tangent_product
from ..jit.decorators import njit, subroutine
from ..model.records import Floats, Ints
from ..tree.recursive import solve
from .implicit_system import ImplicitSystem
from .semidefinite import semidefinite_inverse
from .tree_solve import Mask, inwards, meet_rows, outwards, push_rows, row_product

_FLOOR = 1e-4
"""Least change, as a fraction of that without rows, to which the tolerance refers."""
_NONE = np.zeros(0)
_NO_ROWS: Floats = np.zeros((0, 0))


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
    at: Ints,
    index: Ints,
    entry: Floats,
    pushed: Floats,
    inverse: Floats,
    wanted: Floats,
    b: Floats,
    guessed: bool,
    tolerance: float,
    most: int,
    x: Floats,
    value: Floats,
) -> int:
    """Solves A x = b + Gᵀ value with G x = wanted on the free coordinates, from the guess in x. Returns iterations.

    It ends when the residual is below `tolerance` times the guess, or what the first step changes in it if that is
    more, all of them in the norm of energies: of A and P for velocities, of P⁻¹ for the residual.
    Entries of x that are not free are kept. The count is negative where the matrix is not positive definite.
    """
    nl, nr, m = len(parent), len(b), len(wanted)
    V = np.empty((nl, 6))
    F = np.zeros((nl, 6))
    r = np.empty(nr)
    u = np.zeros(nr)
    y = np.zeros(nr)
    gap = np.empty(m)
    mu = np.empty(m)
    for k in range(nr):
        if free[k] and not D[k] > 0.0:
            return -1
        r[k] = b[k]
    size = 0.0
    if guessed:
        _product(
            parent, dof, inertia, A_m, A_r, E_pj, E_wj, S, first, link, nodes, axial, across, turning, row, arm,
            along, x, V, F, y,
        )  # fmt: skip
        for k in range(nr):
            size += x[k] * y[k]
            r[k] -= y[k]
            y[k] = 0.0
    change = inwards(parent, dof, E_pj, S, U, D, free, r, F, u)
    # Rows may take back all of what the forces change: then there is a floor to what can be asked for.
    size = max(size, _FLOOR * _FLOOR * change)
    if m > 0:
        for i in range(m):
            gap[i] = wanted[i] - row_product(at, index, entry, i, x)
        change = meet_rows(at, index, pushed, inverse, D, gap, u, value)
    stop = tolerance * tolerance * max(change, size)
    outwards(parent, dof, E_pj, S, U, D, free, u, y, V)
    for k in range(nr):
        x[k] += y[k]
        r[k] = 0.0
    if len(sprung) == 0:
        return 1
    # What is left is what this step moved through E: the residual as wrenches, with the sign that `inwards` takes.
    R = np.zeros((nl, 6))
    T = np.zeros((nl, 6))
    Vp = np.zeros((nl, 6))
    Rp = np.zeros((nl, 6))
    p = np.zeros(nr)
    mu_p = np.zeros(m)
    add_coupling(first, link, nodes, axial, across, turning, row, arm, along, E_wj, block, sprung, V, R)
    before = 1.0
    for iteration in range(1, most + 1):
        for s in range(len(sprung)):
            store6(F, sprung[s], load6(R, sprung[s]))
        now = inwards(parent, dof, E_pj, S, U, D, free, r, F, u)
        if m > 0:
            for i in range(m):
                gap[i] = 0.0
            now = meet_rows(at, index, pushed, inverse, D, gap, u, mu)
        if not now > stop:
            for i in range(m):
                value[i] += mu[i]
            return iteration if now == now else -iteration
        outwards(parent, dof, E_pj, S, U, D, free, u, y, V)
        beta = now / before if iteration > 1 else 0.0
        before = now
        for k in range(nr):
            p[k] = y[k] + beta * p[k]
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
        for s in range(len(sprung)):
            l = sprung[s]
            store6(R, l, axpy6(alpha, load6(T, l), load6(R, l)))
        for i in range(m):
            mu_p[i] = mu[i] + beta * mu_p[i]
            value[i] += alpha * mu_p[i]
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
    _times(*_matrix(system), x, out)  # type: ignore[call-arg]
    return out if system.muscles is None else out + system.muscles.A @ x


@dataclass(frozen=True)
class RowFactor:
    """m equality rows, ready to be held in solves with one system. Row i has the entries at[i]:at[i+1]."""

    at: Ints
    """shape (m+1,)."""
    index: Ints
    """Coordinates of the entries."""
    entry: Floats
    """The rows themselves."""
    pushed: Floats
    """L⁻¹ of each row (`tree_solve`)."""
    W: Floats
    """G P⁻¹ Gᵀ, shape (m, m)."""
    inverse: Floats
    """Of W, on its range."""


_NO_FACTOR = RowFactor(np.zeros(1, np.int64), _NO_INTS, _NONE, _NONE, _NO_ROWS, _NO_ROWS)


class PCG:
    """Solves with one system for any number of right-hand sides. `iterations` has one entry a solve."""

    def __init__(self, system: ImplicitSystem, tolerance: float = 1e-6, most: int = 2000) -> None:
        self.system = system
        self.tolerance = tolerance
        self.most = most
        self.iterations: list[int] = []
        self.asked: tuple[Floats, Floats | None, Floats | None] | None = None
        """Right-hand side, known velocities and guess of the last `solve`: what rows are to be added to."""

    def solve(self, b: Floats, known: Floats | None = None, guess: Floats | None = None) -> Floats:
        """x with A x = b on the free coordinates; the others are `known`, or zero."""
        self.asked = (b, known, guess)
        return self._solve(b, known, guess)

    def solve_rows(self, B: Floats, guesses: Floats | None = None) -> Floats:
        """A⁻¹ applied to every row on the free coordinates; the others are zero. Shape (m, nr)."""
        return np.array(
            [self._solve(b, None, None if guesses is None else guesses[i]) for i, b in enumerate(B)]
        )

    def _solve(self, b: Floats, known: Floats | None, guess: Floats | None) -> Floats:
        if self.system.is_tree:
            self.iterations.append(1)
            return solve(self.system.model, self.system.preconditioner, b, known)
        return self.solve_with_rows(_NO_FACTOR, _NONE, b, known, guess)[0]

    def factor_rows(self, G: Floats) -> RowFactor:
        """Rows in reduced coordinates, shape (m, nr), for `solve_with_rows`."""
        f, t = self.system.preconditioner, self.system.model.tree
        m = len(G)
        rows = RowFactor(
            np.empty(m + 1, np.int64), np.empty(G.size, np.int64), np.empty(G.size), np.empty(G.size),
            np.empty((m, m)), np.empty((m, m)),
        )  # fmt: skip
        push_rows(
            t.parent,
            t.dof,
            f.E_pj,
            f.S,
            f.U,
            f.D,
            f.free,
            G,
            rows.at,
            rows.index,
            rows.entry,
            rows.pushed,
            rows.W,
        )
        rows.inverse[:] = semidefinite_inverse(rows.W)
        return rows

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
        guessed = known is not None and not system.all_free
        if guess is not None and not system.is_tree:
            np.copyto(x, guess, where=system.free)
            guessed = True
        value = np.empty(len(wanted))
        sprung = _NO_INTS if system.is_tree else system.model.springs.links
        count = _pcg(  # type: ignore[call-arg]
            *_matrix(system), system.spring_blocks, sprung, f.U, f.D, f.free,
            rows.at, rows.index, rows.entry, rows.pushed, rows.inverse, wanted,
            b, guessed, tolerance or self.tolerance, self.most, x, value,
        )  # fmt: skip
        self.iterations.append(abs(count))
        if count < 0:
            x[:] = np.nan  # an indefinite matrix: the caller stops with a named error
        return x, value

    def least_changes(self, rows: RowFactor, wanted: Floats, tolerance: float) -> Floats:
        """For each row of `wanted` the x, least in the metric of A, with G x = wanted; shape (len(wanted), nr)."""
        counted = len(self.iterations)
        nothing = np.zeros(self.system.model.nr)
        found = [self.solve_with_rows(rows, w, nothing, tolerance=tolerance)[0] for w in wanted]
        del self.iterations[counted:]  # what is counted are the solves for velocities
        return np.array(found)
