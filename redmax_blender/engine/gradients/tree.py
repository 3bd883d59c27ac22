"""Reverse differentiation of the equations of motion of a tree, in linear time.

With W = J λ, the twists of virtual velocities λ, the equations of motion paired with λ are a sum over links,

    ψ = λ·(τ_inertia + τ_drag) = Σ_j W_j · (M_j A_j - ad(V_j)ᵀ M_j V_j + D_j V_j + C_j U_j),

with A the acceleration (the lift against gravity included), D what drags at the velocity V = J qdot, and C at the
velocity U = J v of another set of velocities v, those of the end of a linearly implicit step. Its derivatives by V, A,
U and W of every link, and by the displacement ξ of the link, are written into `LinkBars`; forces on links add theirs.
One sweep from the leaves to the roots turns them into derivatives by the coordinates and their rates: where the
displacement of a link relative to its parent is σ = S δq, a twist X that arrives from the parent changes by ad(X) σ.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import joints
from ..algebra.spatial import (
    ZERO6,
    Tuple,
    ad_times,
    ad_transpose_times,
    add6,
    axpy6,
    cross,
    dot6,
    load6,
    load12,
    load21,
    store6,
    sym_times,
    twist_down,
    wrench_up,
)
from ..jit.decorators import inline, njit
from ..model.records import Floats, Ints, Model
from ..tree.kinematics import Kinematics


class TreeArrays(NamedTuple):
    """What of a model the kernels read."""

    links: Ints
    """Parent, kind, first coordinate, number of coordinates and parameter offset of each link, shape (nl, 5)."""
    params: Floats
    inertia: Floats
    """Shape (nl, 21)."""
    drag: Floats
    """D: drag at the velocities V, shape (nl, 21)."""
    late: Floats
    """C: drag at the velocities U, shape (nl, 21)."""
    gravity: Floats
    centred: Ints
    """How a step that centres its coordinates (`centres.py`) has the part Sdot qdot of each link: 0 as it is, of the
    others the sum: 1 for none, 2 for that of a body whose centre of mass moves straight on, 4 for that of a
    translation along turned axes; shape (nl,)."""
    arm: Floats
    """That centre of mass, in the link's frame [m], shape (nl, 3)."""


class Motion(NamedTuple):
    """Where a tree is, how it moves, and its link twists. Twists are in joint frames, shape (nl, 6)."""

    chart: Ints
    q: Floats
    qdot: Floats
    qddot: Floats
    after: Floats
    """v, the velocities that make U, shape (nr,)."""
    lam: Floats
    """λ, shape (nr,)."""
    E_pj: Floats
    E_wj: Floats
    S: Floats
    Sdot: Floats
    V: Floats
    A: Floats
    U: Floats
    W: Floats


class LinkBars(NamedTuple):
    """Derivatives of a scalar by what each link does, wrenches in joint frames, shape (nl, 6)."""

    xi: Floats
    """By the displacement of the link, others held."""
    V: Floats
    A: Floats
    U: Floats
    W: Floats


class CoordinateBars(NamedTuple):
    """Derivatives by the coordinates and their rates, shape (nr,)."""

    q: Floats
    qdot: Floats
    qddot: Floats
    after: Floats
    lam: Floats
    """The equations of motion themselves: what they leave."""


class TreeBars(NamedTuple):
    """Derivatives by the constants of the tree."""

    inertia: Floats
    """By M as a full matrix, shape (nl, 6, 6)."""
    drag: Floats
    late: Floats
    frame: Floats
    """By the displacement of each joint's frame at q = 0, in that frame, shape (nl, 6)."""
    gravity: Floats
    arm: Floats


def tree_arrays(model: Model, drag: Floats, late: Floats) -> TreeArrays:
    t = model.tree
    plain = np.zeros(model.nl, np.int64)
    return TreeArrays(t.links, t.params, t.inertia, drag, late, model.gravity, plain, np.zeros((model.nl, 3)))


def motion_at(
    tree: TreeArrays, kin: Kinematics, chart: Ints, q: Floats, qdot: Floats, qddot: Floats, after: Floats
) -> Motion:
    """The motion with λ = 0 yet."""
    nl, nr = len(tree.links), len(q)
    motion = Motion(
        chart, q, qdot, qddot, after, np.zeros(nr), kin.E_pj, kin.E_wj, kin.S, kin.Sdot, kin.V,
        np.empty((nl, 6)), np.empty((nl, 6)), np.zeros((nl, 6)),
    )  # fmt: skip
    _accelerate(tree, motion)
    carry(tree.links, motion.E_pj, motion.S, after, motion.U)
    return motion


def link_bars(nl: int) -> LinkBars:
    return LinkBars(*(np.zeros((nl, 6)) for _ in range(5)))


def coordinate_bars(nr: int) -> CoordinateBars:
    return CoordinateBars(*(np.zeros(nr) for _ in range(5)))


def tree_bars(nl: int) -> TreeBars:
    a, b, c = np.zeros((3, nl, 6, 6))
    return TreeBars(a, b, c, np.zeros((nl, 6)), np.zeros(3), np.zeros((nl, 3)))


@njit
def _accelerate(tree: TreeArrays, m: Motion) -> None:
    """Accelerations with the lift against gravity."""
    lift = (0.0, 0.0, 0.0, -tree.gravity[0], -tree.gravity[1], -tree.gravity[2])
    for j in range(len(tree.links)):
        p, i, n = tree.links[j, 0], tree.links[j, 2], tree.links[j, 3]
        rate, own = ZERO6, ZERO6
        for k in range(i, i + n):
            rate = axpy6(m.qdot[k], load6(m.S, k), rate)
            own = axpy6(m.qddot[k], load6(m.S, k), axpy6(m.qdot[k], load6(m.Sdot, k), own))
        carried = lift if p < 0 else load6(m.A, p)
        a = add6(twist_down(load12(m.E_pj, j), carried), add6(ad_times(load6(m.V, j), rate), own))
        store6(m.A, j, a)


@njit
def carry(links: Ints, E_pj: Floats, S: Floats, rates: Floats, out: Floats) -> None:
    """Twists of all links at the given rates of the coordinates, shape (nl, 6)."""
    for j in range(len(links)):
        p, i, n = links[j, 0], links[j, 2], links[j, 3]
        twist = ZERO6
        if p >= 0:
            twist = twist_down(load12(E_pj, j), load6(out, p))
        for k in range(i, i + n):
            twist = axpy6(rates[k], load6(S, k), twist)
        store6(out, j, twist)


@inline
def _add_outer(out: Floats, j: int, a: Floats, b: Floats) -> None:
    for r in range(6):
        for c in range(6):
            out[j, r, c] += a[j, r] * b[j, c]


@inline
def _dot(a: Tuple, b: Tuple) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit
def add_bodies(tree: TreeArrays, m: Motion, bars: LinkBars, constants: TreeBars) -> None:
    """Add the derivatives of ψ by V, A, U, W, M, D and C of every link."""
    moved = np.zeros_like(m.V)
    for j in range(len(tree.links)):
        M = load21(tree.inertia, j)
        V, A, U, W = load6(m.V, j), load6(m.A, j), load6(m.U, j), load6(m.W, j)
        D, C = load21(tree.drag, j), load21(tree.late, j)
        momentum = sym_times(M, V)
        turned = ad_times(W, V)  # -(ad(V) W): the Coriolis term is turned · M V
        store6(moved, j, turned)
        f = axpy6(-1.0, ad_transpose_times(V, momentum), sym_times(M, A))
        f = add6(f, add6(sym_times(D, V), sym_times(C, U)))
        store6(bars.W, j, add6(load6(bars.W, j), f))
        store6(bars.A, j, add6(load6(bars.A, j), sym_times(M, W)))
        store6(bars.U, j, add6(load6(bars.U, j), sym_times(C, W)))
        v = add6(ad_transpose_times(W, momentum), add6(sym_times(M, turned), sym_times(D, W)))
        store6(bars.V, j, add6(load6(bars.V, j), v))
        _add_outer(constants.inertia, j, m.W, m.A)
        _add_outer(constants.inertia, j, moved, m.V)
        _add_outer(constants.drag, j, m.W, m.V)
        _add_outer(constants.late, j, m.W, m.U)


@njit
def sweep(tree: TreeArrays, m: Motion, bars: LinkBars, out: CoordinateBars, constants: TreeBars) -> None:
    """Add the derivatives by the coordinates, from those by the links, which are used up on the way."""
    dS = np.zeros((3, 3, 6))
    lift = (0.0, 0.0, 0.0, -tree.gravity[0], -tree.gravity[1], -tree.gravity[2])
    for j in range(len(tree.links) - 1, -1, -1):
        p, kind, i, n, at = (
            tree.links[j, 0], tree.links[j, 1], tree.links[j, 2], tree.links[j, 3], tree.links[j, 4],
        )  # fmt: skip
        E = load12(m.E_pj, j)
        rate, later, virtual = ZERO6, ZERO6, ZERO6
        for k in range(i, i + n):
            s = load6(m.S, k)
            rate = axpy6(m.qdot[k], s, rate)
            later = axpy6(m.after[k], s, later)
            virtual = axpy6(m.lam[k], s, virtual)
        V = load6(m.V, j)
        a_bar, u_bar, w_bar = load6(bars.A, j), load6(bars.U, j), load6(bars.W, j)
        v_bar = axpy6(-1.0, ad_transpose_times(rate, a_bar), load6(bars.V, j))
        rate_bar = add6(v_bar, ad_transpose_times(V, a_bar))
        bias_bar = a_bar
        if tree.centred[j] & 1:
            bias_bar = ZERO6
        if tree.centred[j] & 2:
            r = (tree.arm[j, 0], tree.arm[j, 1], tree.arm[j, 2])
            w, a = (rate[0], rate[1], rate[2]), (a_bar[3], a_bar[4], a_bar[5])
            turning = (0.0, 0.0, 0.0)  # the angular part of Sdot qdot
            if not tree.centred[j] & 1:
                for e in range(n):
                    k = i + e
                    turning = (
                        turning[0] + m.qdot[k] * m.Sdot[k, 0],
                        turning[1] + m.qdot[k] * m.Sdot[k, 1],
                        turning[2] + m.qdot[k] * m.Sdot[k, 2],
                    )
                b = cross(r, a)
                bias_bar = (a_bar[0] - b[0], a_bar[1] - b[1], a_bar[2] - b[2], 0.0, 0.0, 0.0)
            wr, aw, ar = _dot(w, r), _dot(a, w), _dot(a, r)
            ww, at_bar = _dot(w, w), cross(a, turning)
            extra = (
                2.0 * ar * w[0] - wr * a[0] - aw * r[0],
                2.0 * ar * w[1] - wr * a[1] - aw * r[1],
                2.0 * ar * w[2] - wr * a[2] - aw * r[2],
                0.0, 0.0, 0.0,
            )  # fmt: skip
            rate_bar = add6(rate_bar, extra)
            for c in range(3):
                constants.arm[j, c] += ww * a[c] - aw * w[c] - at_bar[c]
        if tree.centred[j] & 4:
            w, a = (V[0], V[1], V[2]), (a_bar[3], a_bar[4], a_bar[5])
            moved = cross((rate[3], rate[4], rate[5]), a)
            along = cross(a, w)
            turned = (-2.0 * moved[0], -2.0 * moved[1], -2.0 * moved[2], 0.0, 0.0, 0.0)
            v_bar = add6(v_bar, turned)
            rate_bar = add6(rate_bar, (0.0, 0.0, 0.0, -2.0 * along[0], -2.0 * along[1], -2.0 * along[2]))
            rate_bar = add6(rate_bar, turned)
        sigma = load6(bars.xi, j)
        carried = twist_down(E, lift if p < 0 else load6(m.A, p))
        sigma = add6(sigma, ad_transpose_times(carried, a_bar))
        sigma = add6(sigma, ad_transpose_times(axpy6(-1.0, rate, V), v_bar))
        sigma = add6(sigma, ad_transpose_times(axpy6(-1.0, later, load6(m.U, j)), u_bar))
        sigma = add6(sigma, ad_transpose_times(axpy6(-1.0, virtual, load6(m.W, j)), w_bar))
        Q = joints.transform(kind, tree.params, at, m.chart[j], m.q, i)
        store6(constants.frame, j, add6(load6(constants.frame, j), wrench_up(Q, sigma)))
        for k in range(i, i + n):
            s = load6(m.S, k)
            out.q[k] += dot6(s, sigma)
            out.qdot[k] += dot6(s, rate_bar)
            out.qddot[k] += dot6(s, a_bar)
            out.after[k] += dot6(s, u_bar)
            out.lam[k] += dot6(s, w_bar)
        if not joints.is_constant(kind):
            for x in range(3):
                for y in range(3):
                    for d in range(6):
                        dS[x, y, d] = 0.0
            joints.subspace_gradient(kind, tree.params, at, m.chart[j], m.q, i, dS)
            speeds = (m.qdot[i], m.qdot[i + 1] if n > 1 else 0.0, m.qdot[i + 2] if n > 2 else 0.0)
            for e in range(n):
                for y in range(n):
                    for d in range(6):
                        out.q[i + e] += dS[e, y, d] * (
                            m.qdot[i + y] * rate_bar[d]
                            + m.qddot[i + y] * a_bar[d]
                            + m.after[i + y] * u_bar[d]
                            + m.lam[i + y] * w_bar[d]
                        )
                        out.qdot[i + e] += (dS[e, y, d] + dS[y, e, d]) * m.qdot[i + y] * bias_bar[d]
                unit = (1.0 if e == 0 else 0.0, 1.0 if e == 1 else 0.0, 1.0 if e == 2 else 0.0)
                curved = joints.bias_curvature(kind, tree.params, at, m.chart[j], m.q, i, unit, speeds)
                out.q[i + e] += dot6(curved, bias_bar)
        up_a = wrench_up(E, a_bar)
        if p >= 0:
            store6(bars.xi, p, add6(load6(bars.xi, p), wrench_up(E, load6(bars.xi, j))))
            store6(bars.V, p, add6(load6(bars.V, p), wrench_up(E, v_bar)))
            store6(bars.A, p, add6(load6(bars.A, p), up_a))
            store6(bars.U, p, add6(load6(bars.U, p), wrench_up(E, u_bar)))
            store6(bars.W, p, add6(load6(bars.W, p), wrench_up(E, w_bar)))
        else:
            for c in range(3):
                constants.gravity[c] -= up_a[3 + c]
