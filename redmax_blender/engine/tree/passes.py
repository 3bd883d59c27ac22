"""The passes over a tree that friction iterates: elimination, velocities, and the wrenches that joints transmit.

The right side of the implicit system is kept as it arises, impulses F on the links and b_r in the coordinates, so that
the wrench through a joint falls out of the velocities: it is what its subtree's momentum lacks, (M + A_m) V - F.
"""

from __future__ import annotations

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
    store21,
    sym_minus_outer,
    sym_times,
    sym_up,
    twist_down,
    wrench_up,
)
from ..jit.decorators import borrower
from ..model.records import Floats, Ints
from ..solvers.tree_solve import Mask, inwards, outwards

__all__ = ["Mask", "eliminate", "energy", "solve_velocities", "spread", "transmitted"]


@borrower
def eliminate(
    parent: Ints,
    dof: Ints,
    mass: Floats,
    A_r: Floats,
    E_pj: Floats,
    S: Floats,
    free: Mask,
    IA: Floats,
    U: Floats,
    D: Floats,
) -> None:
    """Factor Jᵀ mass J + A_r on the free coordinates (paper, Alg. 1); IA is scratch, shape (nl, 21)."""
    nl = len(parent)
    for j in range(nl):
        store21(IA, j, load21(mass, j))
    for j in range(nl - 1, -1, -1):
        M = load21(IA, j)
        for k in range(dof[j + 1] - 1, dof[j] - 1, -1):
            if free[k]:
                s = load6(S, k)
                w = sym_times(M, s)
                d = 1.0 / (dot6(s, w) + A_r[k])
                store6(U, k, w)
                D[k] = d
                M = sym_minus_outer(M, w, d)
        p = parent[j]
        if p >= 0:
            store21(IA, p, add21(load21(IA, p), sym_up(load12(E_pj, j), M)))


@borrower
def solve_velocities(
    parent: Ints,
    dof: Ints,
    mass: Floats,
    E_pj: Floats,
    S: Floats,
    U: Floats,
    D: Floats,
    free: Mask,
    F: Floats,
    b_r: Floats,
    qdot: Floats,
    V: Floats,
    lack: Floats,
    r: Floats,
    u: Floats,
    y: Floats,
) -> None:
    """Velocities of the free coordinates, into qdot, whose other entries are given; and V = J qdot, shape (nl, 6)."""
    nl = len(parent)
    for j in range(nl):
        a = ZERO6
        if parent[j] >= 0:
            a = twist_down(load12(E_pj, j), load6(V, parent[j]))
        for k in range(dof[j], dof[j + 1]):
            y[k] = 0.0
            r[k] = b_r[k]
            if not free[k]:
                a = axpy6(qdot[k], load6(S, k), a)
        store6(V, j, a)
        store6(lack, j, axpy6(-1.0, load6(F, j), sym_times(load21(mass, j), a)))
    inwards(parent, dof, E_pj, S, U, D, free, r, lack, u)
    outwards(parent, dof, E_pj, S, U, D, free, u, y, lack)
    for j in range(nl):
        store6(V, j, add6(load6(V, j), load6(lack, j)))
        for k in range(dof[j], dof[j + 1]):
            if free[k]:
                qdot[k] = y[k]


@borrower
def spread(parent: Ints, dof: Ints, E_pj: Floats, S: Floats, qdot: Floats, V: Floats) -> None:
    """V = J qdot, shape (nl, 6)."""
    for j in range(len(parent)):
        a = ZERO6
        if parent[j] >= 0:
            a = twist_down(load12(E_pj, j), load6(V, parent[j]))
        for k in range(dof[j], dof[j + 1]):
            a = axpy6(qdot[k], load6(S, k), a)
        store6(V, j, a)


@borrower
def energy(F: Floats, b_r: Floats, V: Floats, qdot: Floats, lack: Floats) -> float:
    """½ qdotᵀ A qdot - bᵀ qdot, from V = J qdot and A qdot - b."""
    total = 0.0
    for j in range(len(F)):
        total -= dot6(load6(F, j), load6(V, j))
    for k in range(len(qdot)):
        total += qdot[k] * (lack[k] - b_r[k])
    return 0.5 * total


@borrower
def transmitted(
    parent: Ints,
    dof: Ints,
    mass: Floats,
    A_r: Floats,
    E_pj: Floats,
    S: Floats,
    F: Floats,
    b_r: Floats,
    qdot: Floats,
    V: Floats,
    wrench: Floats,
    lack: Floats,
) -> None:
    """Impulse through each joint, on its link and in its frame, shape (nl, 6); and A qdot - b, shape (nr,)."""
    nl = len(parent)
    for j in range(nl):
        store6(wrench, j, axpy6(-1.0, load6(F, j), sym_times(load21(mass, j), load6(V, j))))
    for j in range(nl - 1, -1, -1):
        f = load6(wrench, j)
        for k in range(dof[j], dof[j + 1]):
            lack[k] = dot6(load6(S, k), f) + A_r[k] * qdot[k] - b_r[k]
        p = parent[j]
        if p >= 0:
            store6(wrench, p, add6(load6(wrench, p), wrench_up(load12(E_pj, j), f)))
