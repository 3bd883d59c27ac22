"""A tree with loops in one frame for a step: then nothing has to be turned and moved from link to link, in no solve.

The frame has the world's axes. Its origin is that of the first link of a tree, or of trees that loops join, so that no
digits are lost far from the world's origin.
"""

from __future__ import annotations

from ...algebra.spatial import (
    add6,
    axpy6,
    dot6,
    load6,
    load12,
    load21,
    store6,
    store12,
    store21,
    sym_times,
    sym_up,
    twist_up,
    wrench_up,
)
from ...jit.decorators import borrower
from ...model.records import Floats, Ints
from .rows import row_side, set_side


@borrower
def common_places(
    origin: Ints, dof: Ints, mass: Floats, E_wj: Floats, S: Floats, link: Ints, G: Floats, E: Floats,
    mass_out: Floats, S_out: Floats, G_out: Floats,
) -> None:  # fmt: skip
    """Poses E (nl, 12), inertias (nl, 21), joint axes (nr, 6) and rows (m, 2, 6); `origin` (nl,) are the links whose
    origins are those of the frame."""
    for j in range(len(origin)):
        P, o = load12(E_wj, j), load12(E_wj, origin[j])
        P = (P[0], P[1], P[2], P[3], P[4], P[5], P[6], P[7], P[8], P[9] - o[9], P[10] - o[10], P[11] - o[11])
        store12(E, j, P)
        store21(mass_out, j, sym_up(P, load21(mass, j)))
        for k in range(dof[j], dof[j + 1]):
            store6(S_out, k, twist_up(P, load6(S, k)))
    for i in range(len(link)):
        for side in range(2):
            if link[i, side] >= 0:
                set_side(G_out, i, side, wrench_up(load12(E, link[i, side]), row_side(G, i, side)))


@borrower
def common_impulses(E: Floats, F: Floats, out: Floats) -> None:
    """Impulses on links (nl, 6)."""
    for j in range(len(F)):
        store6(out, j, wrench_up(load12(E, j), load6(F, j)))


@borrower
def carried_wrenches(
    parent: Ints, dof: Ints, mass: Floats, A_r: Floats, S: Floats, F: Floats, b_r: Floats, qdot: Floats, V: Floats,
    wrench: Floats, lack: Floats,
) -> None:  # fmt: skip
    """Impulse through each joint, on its link, shape (nl, 6); and A qdot - b, shape (nr,)."""
    for j in range(len(parent)):
        store6(wrench, j, axpy6(-1.0, load6(F, j), sym_times(load21(mass, j), load6(V, j))))
    for j in range(len(parent) - 1, -1, -1):
        f = load6(wrench, j)
        for k in range(dof[j], dof[j + 1]):
            lack[k] = dot6(load6(S, k), f) + A_r[k] * qdot[k] - b_r[k]
        p = parent[j]
        if p >= 0:
            store6(wrench, p, add6(load6(wrench, p), f))
