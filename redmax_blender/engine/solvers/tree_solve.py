"""Solves with the factored tree P (`recursive.TreeFactor`), split into the sweep inwards and the one outwards.

With P = L D⁻¹ Lᵀ, the sweep inwards gives u = L⁻¹ of a right-hand side, which may partly be wrenches on links, and the
one outwards turns u into velocities and link twists. Between them, squares in the norm of P⁻¹ are Σ u² D, and rows of
constraints can be met: a row g pushes a path or two of the tree, so that its L⁻¹ g is short.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..algebra.arrays import Places
from ..algebra.spatial import ZERO6, add6, axpy6, dot6, load6, load12, store6, twist_down, wrench_up
from ..jit.decorators import borrower, inline, njit, subroutine
from ..model.records import Floats, Ints

Mask = NDArray[np.bool_]


@borrower
def inwards(
    parent: Ints,
    dof: Ints,
    E_pj: Floats,
    S: Floats,
    U: Floats,
    D: Floats,
    free: Mask,
    r: Floats,
    F: Floats,
    u: Floats,
) -> float:
    """u = L⁻¹ (r - Jᵀ F) on the free coordinates; returns Σ u² D. F (nl, 6) is used up: it is zero afterwards."""
    square = 0.0
    for j in range(len(parent) - 1, -1, -1):
        f = load6(F, j)
        store6(F, j, ZERO6)
        for k in range(dof[j + 1] - 1, dof[j] - 1, -1):
            if free[k]:
                s = r[k] - dot6(load6(S, k), f)
                u[k] = s
                square += s * s * D[k]
                f = axpy6(s * D[k], load6(U, k), f)
        p = parent[j]
        if p >= 0:
            store6(F, p, add6(load6(F, p), wrench_up(load12(E_pj, j), f)))
    return square


@borrower
def outwards(
    parent: Ints,
    dof: Ints,
    E_pj: Floats,
    S: Floats,
    U: Floats,
    D: Floats,
    free: Mask,
    u: Floats,
    y: Floats,
    V: Floats,
) -> None:
    """y = L⁻ᵀ D u on the free coordinates, the others staying as they are, zero; and V = J y, shape (nl, 6)."""
    for j in range(len(parent)):
        a = ZERO6
        if parent[j] >= 0:
            a = twist_down(load12(E_pj, j), load6(V, parent[j]))
        for k in range(dof[j], dof[j + 1]):
            if free[k]:
                y[k] = (u[k] - dot6(load6(U, k), a)) * D[k]
                a = axpy6(y[k], load6(S, k), a)
        store6(V, j, a)


@inline
def row_product(at: Ints, index: Ints, entry: Floats, i: int, x: Floats) -> float:
    """Row i of short rows times x."""
    total = 0.0
    for e in range(at[i], at[i + 1]):
        total += entry[e] * x[index[e]]
    return total


@subroutine
def meet_rows(
    at: Ints,
    index: Ints,
    pushed: Floats,
    inverse: Floats,
    D: Floats,
    gap: Floats,
    u: Floats,
    value: Floats,
) -> float:
    """Add Σ value · L⁻¹ g to u so that the velocities that follow move the rows by `gap`; returns Σ u² D then.

    `gap` comes as what is missing without u, and leaves as what was missing with it.
    """
    m = len(gap)
    for i in range(m):
        for e in range(at[i], at[i + 1]):
            gap[i] -= pushed[e] * D[index[e]] * u[index[e]]
    for i in range(m):
        value[i] = 0.0
        for j in range(m):
            value[i] += inverse[i, j] * gap[j]
        for e in range(at[i], at[i + 1]):
            u[index[e]] += value[i] * pushed[e]
    square = 0.0
    for k in range(len(u)):
        square += u[k] * u[k] * D[k]
    return square


@subroutine
def push_row(
    parent: Ints,
    dof: Ints,
    E_pj: Floats,
    S: Floats,
    U: Floats,
    D: Floats,
    free: Mask,
    G: Floats,
    i: int,
    e: int,
    F: Floats,
    touched: Mask,
    index: Ints | Places,
    entry: Floats,
    pushed: Floats,
) -> int:
    """L⁻¹ of row i of G as entries from e on, child before parent; returns where they end.

    F (nl, 6) and `touched` (nl,) are scratch that comes and goes as zeros.
    """
    for j in range(len(parent) - 1, -1, -1):
        for k in range(dof[j], dof[j + 1]):
            if G[i, k] != 0.0:
                touched[j] = True
        if not touched[j]:
            continue
        touched[j] = False
        f = load6(F, j)
        store6(F, j, ZERO6)
        for k in range(dof[j + 1] - 1, dof[j] - 1, -1):
            s = 0.0
            if free[k]:
                s = G[i, k] - dot6(load6(S, k), f)
                f = axpy6(s * D[k], load6(U, k), f)
            index[e], entry[e], pushed[e] = k, G[i, k], s
            e += 1
        p = parent[j]
        if p >= 0:
            touched[p] = True
            store6(F, p, add6(load6(F, p), wrench_up(load12(E_pj, j), f)))
    return e


@njit
def push_rows(
    parent: Ints,
    dof: Ints,
    E_pj: Floats,
    S: Floats,
    U: Floats,
    D: Floats,
    free: Mask,
    G: Floats,
    at: Ints,
    index: Ints,
    entry: Floats,
    pushed: Floats,
    W: Floats,
) -> None:
    """L⁻¹ of every row of G, as short rows, and W = G P⁻¹ Gᵀ. The arrays of entries have room for all of G."""
    nl, nr = len(parent), len(D)
    F = np.zeros((nl, 6))
    touched = np.zeros(nl, np.bool_)
    wide = np.zeros(nr)
    at[0] = 0
    for i in range(len(G)):
        at[i + 1] = push_row(parent, dof, E_pj, S, U, D, free, G, i, at[i], F, touched, index, entry, pushed)
        for e in range(at[i], at[i + 1]):
            if free[index[e]]:  # D is not set elsewhere
                wide[index[e]] = pushed[e] * D[index[e]]
        for j in range(i + 1):
            W[i, j] = row_product(at, index, pushed, j, wide)
            W[j, i] = W[i, j]
        for e in range(at[i], at[i + 1]):
            wide[index[e]] = 0.0
