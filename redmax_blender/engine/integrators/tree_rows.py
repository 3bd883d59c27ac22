"""Rows of loops in the kernel of a tree's steps: their response, velocities that keep them, places on them.

Rows are pushed through the factor of the tree (`solvers/tree_solve.py`), and W = G A⁻¹ Gᵀ is factored as it grows: the
rows of loops first, then those of coordinates and pins that are held. One that the others imply already is left out.
"""

from __future__ import annotations

import numpy as np

from ..friction.tree_passes import Mask
from ..jit import subroutine
from ..model import Floats, Ints
from ..solvers.tree_solve import inwards, outwards, push_row
from ..spatial import ZERO6, add6, axpy6, load6, load12, load21, store6, sym_times, twist_down

_SAFE = 1e-6
"""Pivot of the scaled matrix above which a row is clearly not implied by others."""
_IMMOVABLE = 1e-16
"""Response of a row, as a fraction of the strongest, below which the joints hold it already."""
_PASSED = 1e-10
"""Distance [rad, m] beyond a stop that is more than rounding."""


@subroutine
def append_row(
    parent: Ints,
    dof: Ints,
    E_pj: Floats,
    S: Floats,
    U: Floats,
    D: Floats,
    free: Mask,
    G: Floats,
    i: int,
    m: int,
    strongest: float,
    at: Ints,
    index: Ints,
    entry: Floats,
    pushed: Floats,
    scale: Floats,
    L: Floats,
    F: Floats,
    touched: Mask,
    wide: Floats,
) -> float:
    """Row i of G as row m of the factor L of W; returns its response, negative where it is implied by the others.

    `F` (nl, 6), `touched` (nl,) and `wide` (nr,) are scratch that comes and goes as zeros.
    """
    at[m + 1] = push_row(parent, dof, E_pj, S, U, D, free, G, i, at[m], F, touched, index, entry, pushed)
    response = 0.0
    for e in range(at[m], at[m + 1]):
        k = index[e]
        wide[k] = pushed[e] * D[k]
        response += pushed[e] * wide[k]
    good = response > _IMMOVABLE * strongest
    if good:
        scale[m] = 1.0 / np.sqrt(response)
        rest = 1.0
        for j in range(m):
            x = 0.0
            for e in range(at[j], at[j + 1]):
                x += pushed[e] * wide[index[e]]
            x *= scale[j] * scale[m]
            for k in range(j):
                x -= L[m, k] * L[j, k]
            L[m, j] = x / L[j, j]
            rest -= L[m, j] * L[m, j]
        good = rest > _SAFE
        if good:
            L[m, m] = np.sqrt(rest)
    for e in range(at[m], at[m + 1]):
        wide[index[e]] = 0.0
    return response if good else -1.0


@subroutine
def solve_factor(L: Floats, scale: Floats, m: int, x: Floats) -> None:
    """x = W⁻¹ x for the first m rows."""
    for i in range(m):
        s = x[i] * scale[i]
        for k in range(i):
            s -= L[i, k] * x[k]
        x[i] = s / L[i, i]
    for i in range(m - 1, -1, -1):
        s = x[i]
        for k in range(i + 1, m):
            s -= L[k, i] * x[k]
        x[i] = s / L[i, i]
    for i in range(m):
        x[i] *= scale[i]


@subroutine
def solve_with_rows(
    parent: Ints,
    dof: Ints,
    mass: Floats,
    E_pj: Floats,
    S: Floats,
    U: Floats,
    D: Floats,
    free: Mask,
    F: Floats,
    b: Floats,
    known: Floats,
    m: int,
    at: Ints,
    index: Ints,
    entry: Floats,
    pushed: Floats,
    scale: Floats,
    L: Floats,
    wanted: Floats,
    qdot: Floats,
    value: Floats,
    V: Floats,
    lack: Floats,
    u: Floats,
) -> None:
    """Velocities with m rows at the speeds `wanted`, their impulses, and V = J qdot; driven ones are as `known` says.

    `u` (nr,) is scratch that is zero where coordinates are not free.
    """
    nl, nr = len(parent), len(b)
    for j in range(nl):
        a = ZERO6
        if parent[j] >= 0:
            a = twist_down(load12(E_pj, j), load6(V, parent[j]))
        for k in range(dof[j], dof[j + 1]):
            if not free[k]:
                a = axpy6(known[k], load6(S, k), a)
        store6(V, j, a)
        store6(lack, j, axpy6(-1.0, load6(F, j), sym_times(load21(mass, j), a)))
    inwards(parent, dof, E_pj, S, U, D, free, b, lack, u)
    for i in range(m):
        gap = wanted[i]
        for e in range(at[i], at[i + 1]):
            k = index[e]
            gap -= pushed[e] * D[k] * u[k]
            if not free[k]:
                gap -= entry[e] * known[k]
        value[i] = gap
    solve_factor(L, scale, m, value)
    for i in range(m):
        for e in range(at[i], at[i + 1]):
            u[index[e]] += value[i] * pushed[e]
    for k in range(nr):
        qdot[k] = known[k] if not free[k] else 0.0
    outwards(parent, dof, E_pj, S, U, D, free, u, qdot, lack)
    for j in range(nl):
        store6(V, j, add6(load6(V, j), load6(lack, j)))
    for k in range(nr):
        if not free[k]:
            u[k] = 0.0


@subroutine
def least_change(
    parent: Ints,
    dof: Ints,
    E_pj: Floats,
    S: Floats,
    U: Floats,
    D: Floats,
    free: Mask,
    m: int,
    at: Ints,
    index: Ints,
    pushed: Floats,
    scale: Floats,
    L: Floats,
    moves: Floats,
    u: Floats,
    V: Floats,
    out: Floats,
) -> None:
    """The change of coordinates, least in the metric of A, that moves m rows by `moves` (m,), which is used up."""
    solve_factor(L, scale, m, moves)
    for k in range(len(u)):
        u[k] = 0.0
        out[k] = 0.0
    for i in range(m):
        for e in range(at[i], at[i + 1]):
            u[index[e]] += moves[i] * pushed[e]
    outwards(parent, dof, E_pj, S, U, D, free, u, out, V)


@subroutine
def add_wrenches(link: Ints, G: Floats, value: Floats, F: Floats) -> None:
    """Add the impulses of rows in maximal coordinates, G (m, 2, 6), to those on links, F (nl, 6)."""
    for i in range(len(link)):
        for side in range(2):
            l = link[i, side]
            if l >= 0:
                for c in range(6):
                    F[l, c] += G[i, side, c] * value[i]


@subroutine
def factor_rows(
    parent: Ints,
    dof: Ints,
    E_pj: Floats,
    S: Floats,
    U: Floats,
    D: Floats,
    free: Mask,
    G: Floats,
    m: int,
    at: Ints,
    index: Ints,
    entry: Floats,
    pushed: Floats,
    scale: Floats,
    L: Floats,
) -> float:
    """The factor of the first m rows of G.

    Returns the strongest response of a row, or -1 where rows repeat each other or nothing can move them.
    """
    nl, nr = len(parent), len(D)
    F, touched, wide = np.zeros((nl, 6)), np.zeros(nl, np.bool_), np.zeros(nr)
    strongest, weakest = 0.0, np.inf
    for i in range(m):
        response = append_row(
            parent, dof, E_pj, S, U, D, free, G, i, i, 0.0, at, index, entry, pushed, scale, L, F, touched, wide
        )  # fmt: skip
        if not response > 0.0:
            return -1.0
        strongest, weakest = max(strongest, response), min(weakest, response)
    return strongest if weakest > _IMMOVABLE * strongest else -1.0


@subroutine
def largest_error(error: Floats, lever: Floats) -> float:
    """As a length [m]."""
    worst = 0.0
    for i in range(len(error)):
        size = abs(error[i] * lever[i])
        if not size <= worst:
            worst = size
    return worst


@subroutine
def passes_stop(dof: Ints, side: Floats, limit: Floats, free: Mask, before: Floats, q: Floats) -> bool:
    """Whether coordinates have been moved through a stop, or further beyond it."""
    for i in range(len(dof)):
        k = dof[i]
        gap = side[i] * (q[k] - limit[i])
        if free[k] and gap < -_PASSED and gap < side[i] * (before[k] - limit[i]):
            return True
    return False
