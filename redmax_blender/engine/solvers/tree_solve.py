"""Solves with the tree-structured part of the implicit system, for residuals that are given as link wrenches.

`recursive.solve` does the same for one right-hand side in reduced coordinates. Here the sweeps also take wrenches in
and give twists out, which is what lets conjugate gradients stay with the few links that springs touch; and rows of
constraints, which push a path or two of the tree, cost no more than what they push and what that moves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..jit import njit, subroutine
from ..model import Floats, Ints
from ..spatial import ZERO6, add6, axpy6, dot6, load6, load12, store6, twist_down, wrench_up

Mask = NDArray[np.bool_]


@subroutine
def precondition(
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
    y: Floats,
    V: Floats,
) -> float:
    """y = P⁻¹ (r - Jᵀ F) on the free coordinates and V = J y; returns the square of the right-hand side in P⁻¹.

    P is the factored tree (`recursive.TreeFactor`). F (nl, 6) is used up: it is zero afterwards. u (nr,) is scratch;
    entries of y that are not free are left alone and have to be zero.
    """
    nl = len(parent)
    energy = 0.0
    for j in range(nl - 1, -1, -1):
        f = load6(F, j)
        store6(F, j, ZERO6)
        for k in range(dof[j + 1] - 1, dof[j] - 1, -1):
            if free[k]:
                s = r[k] - dot6(load6(S, k), f)
                u[k] = s
                energy += s * s * D[k]
                f = axpy6(s * D[k], load6(U, k), f)
        p = parent[j]
        if p >= 0:
            store6(F, p, add6(load6(F, p), wrench_up(load12(E_pj, j), f)))
    for j in range(nl):
        a = ZERO6
        if parent[j] >= 0:
            a = twist_down(load12(E_pj, j), load6(V, parent[j]))
        for k in range(dof[j], dof[j + 1]):
            if free[k]:
                y[k] = (u[k] - dot6(load6(U, k), a)) * D[k]
                a = axpy6(y[k], load6(S, k), a)
        store6(V, j, a)
    return energy


@njit
def _columns(
    parent: Ints,
    dof: Ints,
    E_pj: Floats,
    S: Floats,
    U: Floats,
    D: Floats,
    free: Mask,
    watched: Ints,
    G: Floats,
    C: Floats,
    VC: Floats,
) -> None:
    nl, nr = len(parent), len(D)
    F = np.zeros((nl, 6))
    V = np.empty((nl, 6))
    u = np.empty(nr)
    pushed = np.zeros(nl, np.bool_)
    moves = np.zeros(nl, np.bool_)
    for i in range(len(G)):
        for j in range(nl - 1, -1, -1):
            for k in range(dof[j], dof[j + 1]):
                if G[i, k] != 0.0 and free[k]:
                    pushed[j] = True
            if not pushed[j]:
                continue
            f = load6(F, j)
            store6(F, j, ZERO6)
            for k in range(dof[j + 1] - 1, dof[j] - 1, -1):
                if free[k]:
                    u[k] = G[i, k] - dot6(load6(S, k), f)
                    f = axpy6(u[k] * D[k], load6(U, k), f)
            p = parent[j]
            if p >= 0:
                pushed[p] = True
                store6(F, p, add6(load6(F, p), wrench_up(load12(E_pj, j), f)))
        for j in range(nl):
            p = parent[j]
            carried = p >= 0 and moves[p]
            moves[j] = carried
            if not (carried or pushed[j]):
                for k in range(dof[j], dof[j + 1]):
                    C[i, k] = 0.0
                continue
            a = ZERO6
            if carried:
                a = twist_down(load12(E_pj, j), load6(V, p))
            for k in range(dof[j], dof[j + 1]):
                C[i, k] = 0.0
                if free[k]:
                    C[i, k] = ((u[k] if pushed[j] else 0.0) - dot6(load6(U, k), a)) * D[k]
                    a = axpy6(C[i, k], load6(S, k), a)
                    moves[j] = True
            store6(V, j, a)
            pushed[j] = False
        for s in range(len(watched)):
            l = watched[s]
            for c in range(6):
                VC[i, s, c] = V[l, c] if moves[l] else 0.0


def columns(matrix: tuple[Floats, ...], watched: Ints, G: Floats) -> tuple[Floats, Floats]:
    """P⁻¹ Gᵀ, shape (m, nr), and the twists of the watched links that go with it, shape (m, len(watched), 6).

    `matrix` has parent, dof, E_pj, S, U, D and free of the factored tree.
    """
    C: Floats = np.empty_like(G)
    VC: Floats = np.empty((len(G), len(watched), 6))
    _columns(*matrix, watched, G, C, VC)  # type: ignore[arg-type]
    return C, VC
