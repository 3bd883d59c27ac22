"""Hybrid dynamics in linear time (supplement Alg. 6): each coordinate is driven by a force or follows an acceleration.

A joint of several coordinates is eliminated one column of S at a time, as rank-one updates: one code path for any
number of them, and for any of them prescribed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import joints
from ..algebra.spatial import (
    ZERO6,
    ad_times,
    ad_transpose_times,
    add6,
    add21,
    axpy6,
    compose,
    dot6,
    load6,
    load12,
    load21,
    load21_at,
    store6,
    store12,
    store21,
    sym_minus_outer,
    sym_times,
    sym_up,
    twist_down,
    wrench_up,
)
from ..jit.decorators import njit
from ..model.records import Floats, Ints, Model
from ..model.state import State
from .articulated import forward_dynamics

Mask = NDArray[np.bool_]
_NO_WRENCHES = np.zeros((0, 6))


@njit
def _hybrid_dynamics(
    links: Ints,
    constants: Floats,
    params: Floats,
    gravity: Floats,
    chart: Ints,
    q: Floats,
    qdot: Floats,
    free: Mask,
    wrenches: Floats,
    tau: Floats,
    qddot: Floats,
) -> None:
    """Articulated-body recursion. In: tau where free, qddot elsewhere. Out: the other one of each."""
    nl = len(links)
    nr = len(q)
    E_pj = np.empty((nl, 12))
    V = np.empty((nl, 6))
    C = np.empty((nl, 6))
    IA = np.empty((nl, 21))
    PA = np.empty((nl, 6))
    S = np.empty((nr, 6))
    Sdot = np.empty((nr, 6))
    U = np.empty((nr, 6))
    D = np.empty(nr)
    u = np.empty(nr)
    pushed = len(wrenches) > 0
    for j in range(nl):
        p, kind, i, n, at = links[j, 0], links[j, 1], links[j, 2], links[j, 3], links[j, 4]
        E = compose(load12(constants, j), joints.transform(kind, params, at, chart[j], q, i))
        store12(E_pj, j, E)
        joints.subspace(kind, params, at, chart[j], q, qdot, i, n, S, Sdot)
        rate, bias = ZERO6, ZERO6
        for k in range(i, i + n):
            rate = axpy6(qdot[k], load6(S, k), rate)
            bias = axpy6(qdot[k], load6(Sdot, k), bias)
            if not free[k]:
                bias = axpy6(qddot[k], load6(S, k), bias)
        twist = rate
        if p >= 0:
            twist = add6(twist_down(E, load6(V, p)), rate)
            bias = add6(ad_times(twist, rate), bias)
        store6(V, j, twist)
        store6(C, j, bias)
        M = load21_at(constants, j, 12)
        store21(IA, j, M)
        f = ad_transpose_times(twist, sym_times(M, twist))
        if pushed:
            f = add6(f, load6(wrenches, j))
        store6(PA, j, axpy6(-1.0, f, ZERO6))
    for j in range(nl - 1, -1, -1):
        p, i, n = links[j, 0], links[j, 2], links[j, 3]
        M = load21(IA, j)
        f = load6(PA, j)
        for k in range(i + n - 1, i - 1, -1):
            if free[k]:
                s = load6(S, k)
                w = sym_times(M, s)
                d = 1.0 / dot6(s, w)
                r = tau[k] - dot6(s, f)
                store6(U, k, w)
                D[k] = d
                u[k] = r
                M = sym_minus_outer(M, w, d)
                f = axpy6(r * d, w, f)
        if p >= 0:
            E = load12(E_pj, j)
            f = add6(f, sym_times(M, load6(C, j)))
            store21(IA, p, add21(load21(IA, p), sym_up(E, M)))
            store6(PA, p, add6(load6(PA, p), wrench_up(E, f)))
    for j in range(nl):
        p, i, n = links[j, 0], links[j, 2], links[j, 3]
        E = load12(E_pj, j)
        if p >= 0:
            a = add6(twist_down(E, load6(V, p)), load6(C, j))
        else:
            a = add6(twist_down(E, (0.0, 0.0, 0.0, -gravity[0], -gravity[1], -gravity[2])), load6(C, j))
        for k in range(i, i + n):
            if free[k]:
                x = (u[k] - dot6(load6(U, k), a)) * D[k]
                qddot[k] = x
                a = axpy6(x, load6(S, k), a)
        store6(V, j, a)  # twists are no longer needed: the row now holds the acceleration
        for k in range(i, i + n):
            if not free[k]:
                f = add6(sym_times(load21(IA, j), a), load6(PA, j))
                tau[k] = dot6(load6(S, k), f)


def hybrid_dynamics(
    model: Model,
    state: State,
    tau: Floats,
    qddot: Floats,
    free: Mask,
    wrenches: Floats = _NO_WRENCHES,
) -> tuple[Floats, Floats]:
    """Each coordinate is either driven by its force (free) or follows its acceleration; returns (qddot, tau).

    `tau` counts where `free`, `qddot` elsewhere. `wrenches` (nl, 6) act on the links in their joint frames.
    """
    if free.all():
        return forward_dynamics(model, state, tau, wrenches), tau.copy()
    tau, qddot = tau.copy(), qddot.copy()
    t = model.tree
    _hybrid_dynamics(
        t.links,
        t.constants,
        t.params,
        model.gravity,
        state.chart,
        state.q,
        state.qdot,
        free,
        wrenches,
        tau,
        qddot,
    )
    return qddot, tau
