"""Linear-time dynamics of a forest: inverse, forward and hybrid (supplement Alg. 5-6), and products with M⁻¹.

Gravity enters as an upward acceleration of the world, so that no pass needs world poses. Forward dynamics has its own
kernel (`articulated.py`), and so has the hybrid of both (`hybrid.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.spatial import (
    ZERO6,
    ad_times,
    ad_transpose_times,
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
from ..jit.decorators import njit
from ..model.records import Floats, Ints, Model
from .articulated import forward_dynamics
from .hybrid import Mask, hybrid_dynamics
from .kinematics import Kinematics

__all__ = [
    "TreeFactor",
    "factor",
    "forward_dynamics",
    "hybrid_dynamics",
    "inverse_dynamics",
    "mass_solve",
    "mass_times",
    "solve",
]

_NO_WRENCHES = np.zeros((0, 6))
_NO_INERTIA = np.zeros((0, 21))


@njit
def _inverse_dynamics(
    parent: Ints,
    dof: Ints,
    inertia: Floats,
    gravity: Floats,
    E_pj: Floats,
    V: Floats,
    S: Floats,
    Sdot: Floats,
    qdot: Floats,
    qddot: Floats,
    wrenches: Floats,
    tau: Floats,
) -> None:
    nl = len(parent)
    A = np.empty((nl, 6))
    F = np.empty((nl, 6))
    lift = (0.0, 0.0, 0.0, -gravity[0], -gravity[1], -gravity[2])
    for j in range(nl):
        twist = load6(V, j)
        rate, own = ZERO6, ZERO6
        for k in range(dof[j], dof[j + 1]):
            rate = axpy6(qdot[k], load6(S, k), rate)
            own = axpy6(qddot[k], load6(S, k), axpy6(qdot[k], load6(Sdot, k), own))
        carried = lift if parent[j] < 0 else load6(A, parent[j])
        a = add6(twist_down(load12(E_pj, j), carried), add6(ad_times(twist, rate), own))
        store6(A, j, a)
        M = load21(inertia, j)
        f = axpy6(-1.0, ad_transpose_times(twist, sym_times(M, twist)), sym_times(M, a))
        if len(wrenches) > 0:
            f = axpy6(-1.0, load6(wrenches, j), f)
        store6(F, j, f)
    for j in range(nl - 1, -1, -1):
        f = load6(F, j)
        for k in range(dof[j], dof[j + 1]):
            tau[k] = dot6(load6(S, k), f)
        p = parent[j]
        if p >= 0:
            store6(F, p, add6(load6(F, p), wrench_up(load12(E_pj, j), f)))


def inverse_dynamics(
    model: Model, kin: Kinematics, qdot: Floats, qddot: Floats, wrenches: Floats = _NO_WRENCHES
) -> Floats:
    """Generalized forces that produce qddot under gravity and Coriolis forces, shape (nr,).

    `wrenches` (nl, 6) act on the links, in their joint frames [N·m, N].
    """
    tau: Floats = np.empty(model.nr)
    t = model.tree
    _inverse_dynamics(
        t.parent,
        t.dof,
        t.inertia,
        model.gravity,
        kin.E_pj,
        kin.V,
        kin.S,
        kin.Sdot,
        qdot,
        qddot,
        wrenches,
        tau,
    )
    return tau


@dataclass(frozen=True)
class TreeFactor:
    """Factors of Jᵀ (M + A_m) J + A_r on the free coordinates (paper, Alg. 1), for `solve`."""

    S: Floats
    E_pj: Floats
    U: Floats
    """M̂ S Ψ of the papers, column by column, before the scaling; shape (nr, 6)."""
    D: Floats
    """1 / pivot of each coordinate, shape (nr,)."""
    Pi: Floats
    """Projected inertia that each link hands to its parent, shape (nl, 21)."""
    free: Mask


@njit
def _factor(
    parent: Ints,
    dof: Ints,
    inertia: Floats,
    E_pj: Floats,
    S: Floats,
    A_m: Floats,
    A_r: Floats,
    free: Mask,
    U: Floats,
    D: Floats,
    Pi: Floats,
) -> None:
    nl = len(parent)
    IA = np.empty((nl, 21))
    extra = len(A_m) > 0
    for j in range(nl):
        M = load21(inertia, j)
        if extra:
            M = add21(M, load21(A_m, j))
        store21(IA, j, M)
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
        store21(Pi, j, M)
        p = parent[j]
        if p >= 0:
            store21(IA, p, add21(load21(IA, p), sym_up(load12(E_pj, j), M)))


@njit
def _solve(
    parent: Ints,
    dof: Ints,
    E_pj: Floats,
    S: Floats,
    U: Floats,
    D: Floats,
    Pi: Floats,
    free: Mask,
    x: Floats,
    y: Floats,
) -> None:
    """y holds the prescribed values where not free; the other entries are written."""
    nl = len(parent)
    B = np.zeros((nl, 6))
    u = np.empty(len(x))
    for j in range(nl - 1, -1, -1):
        f = load6(B, j)
        known = ZERO6
        moved = False
        for k in range(dof[j + 1] - 1, dof[j] - 1, -1):
            if free[k]:
                r = x[k] - dot6(load6(S, k), f)
                u[k] = r
                f = axpy6(r * D[k], load6(U, k), f)
            else:
                known = axpy6(y[k], load6(S, k), known)
                moved = True
        p = parent[j]
        if p >= 0:
            if moved:
                f = add6(f, sym_times(load21(Pi, j), known))
            store6(B, p, add6(load6(B, p), wrench_up(load12(E_pj, j), f)))
    for j in range(nl):
        p = parent[j]
        a = ZERO6
        if p >= 0:
            a = twist_down(load12(E_pj, j), load6(B, p))
        for k in range(dof[j], dof[j + 1]):
            if not free[k]:
                a = axpy6(y[k], load6(S, k), a)
        for k in range(dof[j], dof[j + 1]):
            if free[k]:
                y[k] = (u[k] - dot6(load6(U, k), a)) * D[k]
                a = axpy6(y[k], load6(S, k), a)
        store6(B, j, a)


def factor(
    model: Model,
    kin: Kinematics,
    A_m: Floats = _NO_INERTIA,
    A_r: Floats | None = None,
    free: Mask | None = None,
) -> TreeFactor:
    """Factor Jᵀ (M + A_m) J + A_r in one pass from the leaves: A_m (nl, 21) in joint frames, A_r (nr,) diagonal."""
    t = model.tree
    nr = model.nr
    f = TreeFactor(
        S=kin.S,
        E_pj=kin.E_pj,
        U=np.empty((nr, 6)),
        D=np.empty(nr),
        Pi=np.empty((model.nl, 21)),
        free=t.all_free if free is None else free,
    )
    _factor(
        t.parent, t.dof, t.inertia, kin.E_pj, kin.S, A_m, np.zeros(nr) if A_r is None else A_r, f.free,
        f.U, f.D, f.Pi,
    )  # fmt: skip
    return f


def solve(model: Model, f: TreeFactor, x: Floats, known: Floats | None = None) -> Floats:
    """Solve the factored system for one right-hand side in two passes, shape (nr,).

    `known` gives the values of the coordinates that are not free.
    """
    t = model.tree
    y = np.zeros(len(x)) if known is None else known.copy()
    _solve(t.parent, t.dof, f.E_pj, f.S, f.U, f.D, f.Pi, f.free, x, y)
    return y


@njit
def _mass_times(
    parent: Ints, dof: Ints, inertia: Floats, E_pj: Floats, S: Floats, x: Floats, out: Floats
) -> None:
    nl = len(parent)
    W = np.empty((nl, 6))
    for j in range(nl):
        a = ZERO6
        if parent[j] >= 0:
            a = twist_down(load12(E_pj, j), load6(W, parent[j]))
        for k in range(dof[j], dof[j + 1]):
            a = axpy6(x[k], load6(S, k), a)
        store6(W, j, a)
    for j in range(nl):
        store6(W, j, sym_times(load21(inertia, j), load6(W, j)))
    for j in range(nl - 1, -1, -1):
        f = load6(W, j)
        for k in range(dof[j], dof[j + 1]):
            out[k] = dot6(load6(S, k), f)
        p = parent[j]
        if p >= 0:
            store6(W, p, add6(load6(W, p), wrench_up(load12(E_pj, j), f)))


def mass_times(model: Model, kin: Kinematics, x: Floats) -> Floats:
    """M x with M = JᵀMJ, in two passes, shape (nr,)."""
    out: Floats = np.empty(model.nr)
    t = model.tree
    _mass_times(t.parent, t.dof, t.inertia, kin.E_pj, kin.S, x, out)
    return out


def mass_solve(model: Model, kin: Kinematics, x: Floats) -> Floats:
    """M⁻¹ x."""
    return solve(model, factor(model, kin), x)
