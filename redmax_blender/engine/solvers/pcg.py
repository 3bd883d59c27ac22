"""Preconditioned conjugate gradients on the implicit system, matrix-free (paper §3).

A product costs one pass outwards (J x), the inertias and springs, and one pass inwards (Jᵀ f): O(n + m). The projected
block Jacobi preconditioner costs two passes. Where it is the matrix itself, one application is the solution.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..forces.springs import add_tangent_product
from ..jit import inline, njit
from ..model import Floats, Ints
from ..recursive import _solve, solve
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

Mask = NDArray[np.bool_]


@inline
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
    """out = A x; V and F are scratch of shape (nl, 6)."""
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
    U: Floats,
    D: Floats,
    Pi: Floats,
    free: Mask,
    b: Floats,
    tolerance: float,
    most: int,
    x: Floats,
) -> int:
    """Solves A x = b on the free coordinates, from the guess in x; its other entries are kept. Returns iterations."""
    nl, nr = len(parent), len(b)
    V = np.empty((nl, 6))
    F = np.empty((nl, 6))
    r = np.empty(nr)
    z = np.zeros(nr)
    Ap = np.empty(nr)
    _product(
        parent, dof, inertia, A_m, A_r, E_pj, E_wj, S, first, link, nodes, axial, across, turning, row, arm, along,
        x, V, F, Ap,
    )  # fmt: skip
    for k in range(nr):
        r[k] = b[k] - Ap[k] if free[k] else 0.0
    _solve(parent, dof, E_pj, S, U, D, Pi, free, r, z)
    rz = 0.0
    for k in range(nr):
        rz += r[k] * z[k]
    if rz <= 0.0:
        return 0
    stop = tolerance * tolerance * rz
    p = z.copy()
    for iteration in range(1, most + 1):
        _product(
            parent, dof, inertia, A_m, A_r, E_pj, E_wj, S, first, link, nodes, axial, across, turning, row, arm,
            along, p, V, F, Ap,
        )  # fmt: skip
        pAp = 0.0
        for k in range(nr):
            if free[k]:
                pAp += p[k] * Ap[k]
        if not pAp > 0.0:
            return -iteration  # not positive definite, or not finite
        alpha = rz / pAp
        for k in range(nr):
            if free[k]:
                x[k] += alpha * p[k]
                r[k] -= alpha * Ap[k]
        _solve(parent, dof, E_pj, S, U, D, Pi, free, r, z)
        new = 0.0
        for k in range(nr):
            new += r[k] * z[k]
        if new <= stop:
            return iteration
        beta = new / rz
        rz = new
        for k in range(nr):
            p[k] = z[k] + beta * p[k]
    return most


_NO_INTS = np.zeros(0, np.int64)
_NONE: Floats = np.zeros(0)
_NO_ROWS: Floats = np.zeros((0, 6))
_NO_POINTS: Floats = np.zeros((0, 3))
_NO_SPRINGS = (
    np.zeros(1, np.int64),
    _NO_INTS,
    _NO_POINTS,
    _NONE,
    _NONE,
    _NONE,
    _NO_ROWS,
    _NO_POINTS,
    _NO_POINTS,
)


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


class PCG:
    """Solves with one system for any number of right-hand sides. `iterations` has one entry a solve."""

    def __init__(self, system: ImplicitSystem, tolerance: float = 1e-6, most: int = 2000) -> None:
        self.system = system
        self.tolerance = tolerance
        self.most = most
        self.iterations: list[int] = []
        self._matrix = _matrix(system)

    def solve(self, b: Floats, known: Floats | None = None, guess: Floats | None = None) -> Floats:
        """x with A x = b on the free coordinates; the others are `known`, or zero."""
        system, f = self.system, self.system.preconditioner
        x = np.zeros(len(b)) if known is None else known.copy()
        if system.is_tree:
            self.iterations.append(1)
            return solve(system.model, f, b, x)
        if guess is not None:
            x = np.where(system.free, guess, x)
        count = _pcg(*self._matrix, f.U, f.D, f.Pi, system.free, b, self.tolerance, self.most, x)
        self.iterations.append(abs(count))
        if count < 0:
            x[:] = np.nan  # an indefinite matrix: the caller stops with a named error
        return x
