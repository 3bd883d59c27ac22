"""How inverse dynamics changes with q, qdot and qddot: the exact Newton matrix of an implicit step.

The recursion of `recursive.inverse_dynamics` is differentiated link by link along given directions. With σ = S δq,
the displacement of a link relative to its parent, δ(Ad(E⁻¹) X) = Ad(E⁻¹) δX - ad(σ) Ad(E⁻¹) X. A direction moves only
the links beyond its joint, so that a column costs what its subtree and the path to the root cost.
"""

from __future__ import annotations

import numpy as np

from .. import joints
from ..algebra.spatial import (
    ZERO6,
    ad_times,
    ad_transpose_times,
    add6,
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
from ..jit.decorators import njit
from ..model.records import Floats, Ints, Model
from ..model.state import State
from .kinematics import Kinematics


@njit
def _forces(
    parent: Ints,
    dof: Ints,
    inertia: Floats,
    damping: Floats,
    gravity: Floats,
    E_pj: Floats,
    V: Floats,
    S: Floats,
    Sdot: Floats,
    qdot: Floats,
    qddot: Floats,
    wrenches: Floats,
    A: Floats,
    F: Floats,
) -> None:
    """Acceleration of each link (the lift against gravity included) and the wrench that its joint transmits."""
    nl = len(parent)
    lift = np.zeros((1, 6))
    for c in range(3):
        lift[0, 3 + c] = -gravity[c]
    for j in range(nl):
        twist = load6(V, j)
        zero = ZERO6
        rate, own = zero, zero
        for k in range(dof[j], dof[j + 1]):
            rate = axpy6(qdot[k], load6(S, k), rate)
            own = axpy6(qddot[k], load6(S, k), axpy6(qdot[k], load6(Sdot, k), own))
        if parent[j] < 0:
            carried = load6(lift, 0)
        else:
            carried = load6(A, parent[j])
        a = add6(twist_down(load12(E_pj, j), carried), add6(ad_times(twist, rate), own))
        store6(A, j, a)
        M = load21(inertia, j)
        f = axpy6(-1.0, ad_transpose_times(twist, sym_times(M, twist)), sym_times(M, a))
        f = add6(f, sym_times(load21(damping, j), twist))
        store6(F, j, axpy6(-1.0, load6(wrenches, j), f))
    for j in range(nl - 1, -1, -1):
        p = parent[j]
        if p >= 0:
            store6(F, p, add6(load6(F, p), wrench_up(load12(E_pj, j), load6(F, j))))


@njit
def _outward(
    links: Ints,
    params: Floats,
    inertia: Floats,
    damping: Floats,
    gravity: Floats,
    chart: Ints,
    E_pj: Floats,
    V: Floats,
    S: Floats,
    A: Floats,
    q: Floats,
    qdot: Floats,
    qddot: Floats,
    weights: Floats,
    moves: Ints,
    xi: Floats,
    dV: Floats,
    dF: Floats,
    dS: Floats,
) -> None:
    """For every coordinate r as a direction (δq, δqdot, δqddot) = weights·e_r: displacement, δV and own δF of links.

    `moves[r]` is the link that owns r; dS is scratch of shape (3, 3, 6).
    """
    nl, nr = len(links), len(q)
    a, b, c = weights[0], weights[1], weights[2]
    zero = ZERO6
    dA = np.zeros((nl, 6))
    active = np.zeros(nl, np.bool_)
    for r in range(nr):
        first = moves[r]
        for j in range(first):
            active[j] = False
        for j in range(first, nl):
            p, kind, i, n, at = links[j, 0], links[j, 1], links[j, 2], links[j, 3], links[j, 4]
            active[j] = j == first or (p >= 0 and active[p])
            if not active[j]:
                continue
            E = load12(E_pj, j)
            twist = load6(V, j)
            rate = zero
            for k in range(i, i + n):
                rate = axpy6(qdot[k], load6(S, k), rate)
            if j != first:
                # Only carried along: the joint itself keeps its coordinates.
                o = (r * nl + p, r * nl + j)
                v = twist_down(E, load6(dV, o[0]))
                x = twist_down(E, load6(xi, o[0]))
                acc = add6(twist_down(E, load6(dA, p)), ad_times(v, rate))
            else:
                s = load6(S, r)
                sigma = axpy6(a, s, zero)
                x = sigma
                # twist and acceleration that arrive from the parent, in this frame
                came = axpy6(-1.0, rate, twist)
                if p < 0:
                    lift = twist_down(E, (0.0, 0.0, 0.0, -gravity[0], -gravity[1], -gravity[2]))
                else:
                    lift = twist_down(E, load6(A, p))
                drate = axpy6(b, s, zero)
                bias = axpy6(c, s, zero)
                if not joints.is_constant(kind):
                    for k in range(3):
                        for m in range(3):
                            for d in range(6):
                                dS[k, m, d] = 0.0
                    joints.subspace_gradient(kind, params, at, chart[j], q, i, dS)
                    e = r - i
                    w = (
                        qdot[i],
                        qdot[i + 1] if n > 1 else 0.0,
                        qdot[i + 2] if n > 2 else 0.0,
                    )
                    u = (a if e == 0 else 0.0, a if e == 1 else 0.0, a if e == 2 else 0.0)
                    bias = add6(bias, joints.bias_curvature(kind, params, at, chart[j], q, i, u, w))
                    for m in range(n):
                        along = (
                            dS[e, m, 0], dS[e, m, 1], dS[e, m, 2], dS[e, m, 3], dS[e, m, 4], dS[e, m, 5]
                        )  # fmt: skip
                        drate = axpy6(a * qdot[i + m], along, drate)
                        bias = axpy6(a * qddot[i + m] + b * qdot[i + m], along, bias)
                        turned = (
                            dS[m, e, 0], dS[m, e, 1], dS[m, e, 2], dS[m, e, 3], dS[m, e, 4], dS[m, e, 5]
                        )  # fmt: skip
                        bias = axpy6(b * qdot[i + m], turned, bias)
                v = axpy6(-1.0, ad_times(sigma, came), drate)
                acc = axpy6(-1.0, ad_times(sigma, lift), add6(ad_times(v, rate), ad_times(twist, drate)))
                acc = add6(acc, bias)
            store6(xi, r * nl + j, x)
            store6(dV, r * nl + j, v)
            store6(dA, j, acc)
            M = load21(inertia, j)
            f = axpy6(-1.0, ad_transpose_times(v, sym_times(M, twist)), sym_times(M, acc))
            f = axpy6(-1.0, ad_transpose_times(twist, sym_times(M, v)), f)
            store6(dF, r * nl + j, add6(f, sym_times(load21(damping, j), v)))


@njit
def _inward(
    links: Ints,
    params: Floats,
    chart: Ints,
    E_pj: Floats,
    S: Floats,
    F: Floats,
    q: Floats,
    a: float,
    moves: Ints,
    dF: Floats,
    dS: Floats,
    out: Floats,
) -> None:
    nl, nr = len(links), len(q)
    zero = ZERO6
    for r in range(nr):
        first = moves[r]
        for j in range(nl - 1, -1, -1):
            p, i, n = links[j, 0], links[j, 2], links[j, 3]
            f = load6(dF, r * nl + j)
            for k in range(i, i + n):
                out[k, r] = dot6(load6(S, k), f)
            if p >= 0:
                if j == first:
                    sigma = axpy6(a, load6(S, r), zero)
                    f = axpy6(-1.0, ad_transpose_times(sigma, load6(F, j)), f)
                o = r * nl + p
                store6(dF, o, add6(load6(dF, o), wrench_up(load12(E_pj, j), f)))
        kind, i, n, at = links[first, 1], links[first, 2], links[first, 3], links[first, 4]
        if not joints.is_constant(kind):
            for k in range(3):
                for m in range(3):
                    for d in range(6):
                        dS[k, m, d] = 0.0
            joints.subspace_gradient(kind, params, at, chart[first], q, i, dS)
            e = r - i
            for m in range(n):
                s = 0.0
                for d in range(6):
                    s += dS[e, m, d] * F[first, d]
                out[i + m, r] += a * s


class Linearisation:
    """Inverse dynamics with body damping and link wrenches about one (q, qdot, qddot), ready to be differentiated."""

    def __init__(
        self, model: Model, state: State, kin: Kinematics, qddot: Floats, wrenches: Floats | None = None
    ) -> None:
        t = model.tree
        self.model, self.state, self.kin, self.qddot = model, state, kin, qddot
        self.A: Floats = np.empty((model.nl, 6))
        self.F: Floats = np.empty((model.nl, 6))
        _forces(
            t.parent, t.dof, t.inertia, t.damping, model.gravity, kin.E_pj, kin.V, kin.S, kin.Sdot, state.qdot,
            qddot, np.zeros((model.nl, 6)) if wrenches is None else wrenches, self.A, self.F,
        )  # fmt: skip
        owner = np.repeat(np.arange(model.nl), np.diff(t.dof))
        self.tau: Floats = np.einsum("ri,ri->r", kin.S, self.F[owner])
        """Generalized forces that the motion needs, shape (nr,)."""
        self.owner: Ints = owner

    def directions(self, weights: Floats) -> tuple[Floats, Floats, Floats]:
        """Displacement twist, δV and δF of every link for each coordinate moved by (δq, δqdot, δqddot) = weights.

        Shapes (nr, nl, 6). δF is that of inertia, gravity and damping; add the change of other wrenches to it, with
        a minus sign, before `columns`.
        """
        m, t, s = self.model, self.model.tree, self.state
        shape = (m.nr * m.nl, 6)
        xi, dV, dF = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        _outward(
            t.links, t.params, t.inertia, t.damping, m.gravity, s.chart, self.kin.E_pj, self.kin.V, self.kin.S,
            self.A, s.q, s.qdot, self.qddot, weights, self.owner, xi, dV, dF, np.zeros((3, 3, 6)),
        )  # fmt: skip
        cube = (m.nr, m.nl, 6)
        return xi.reshape(cube), dV.reshape(cube), dF.reshape(cube)

    def columns(self, weights: Floats, dF: Floats) -> Floats:
        """δtau for each direction, as the columns of a matrix of shape (nr, nr)."""
        m, t, s = self.model, self.model.tree, self.state
        out: Floats = np.zeros((m.nr, m.nr))
        _inward(
            t.links, t.params, s.chart, self.kin.E_pj, self.kin.S, self.F, s.q, float(weights[0]), self.owner,
            np.ascontiguousarray(dF).reshape(-1, 6), np.zeros((3, 3, 6)), out,
        )  # fmt: skip
        return out

    def gradient(self, weights: Floats) -> Floats:
        """d tau / dq · weights[0] + d tau / dqdot · weights[1] + d tau / dqddot · weights[2], shape (nr, nr)."""
        return self.columns(weights, self.directions(weights)[2])
