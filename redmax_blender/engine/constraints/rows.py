"""Rows of constraints between two links, or between a link and the world (thesis §3.11, §4.6.4).

Each row is a function c(q, t) that is to be zero. Its derivative along link twists is two 6-vectors, one a side, in
joint frames: ċ = G_A · V_A + G_B · V_B - target, and c̈ = G · Jq̈ + bias - target rate.

    POINT     d · (x_A - x_B), d a fixed direction of the world
    ACROSS    the same with d across an axis of side A and turning with it, along which the points may slide
    AXES      a_A · b_B, two directions that are to stay perpendicular
    DISTANCE  |x_A - x_B| - length
    TWIST     a component of the body twist; no position level
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra import se3
from ..algebra.spatial import (
    IDENTITY,
    ZERO3,
    ZERO6,
    Tuple,
    add3,
    cross,
    load6,
    load12,
    rotate,
    transform_point,
    unrotate,
)
from ..jit.decorators import borrower, inline, njit
from ..model.curves import evaluate
from ..model.records import Floats, Ints, Rows
from ..tree.kinematics import Kinematics

POINT, ACROSS, AXES, DISTANCE, TWIST = 0, 1, 2, 3, 4


@dataclass
class RowState:
    """Rows at one state. m rows."""

    link: Ints
    """shape (m, 2)."""
    G: Floats
    """Derivative by the twist of each side, in its joint frame, shape (m, 2, 6)."""
    error: Floats
    """c: what is to be zero [m, rad], shape (m,)."""
    target: Floats
    """Velocity at which the world's side moves: G V is to equal it, shape (m,)."""
    bias: Floats
    """G's own change: G Jdot qdot + Gdot V, shape (m,)."""
    target_rate: Floats
    """Time derivative of the target, shape (m,)."""
    has_position: Ints
    """0 for rows that exist at the velocity level only, shape (m,)."""


@dataclass(frozen=True)
class WorldSide:
    """Where the world's side of each row is, and how it moves; shapes (m, 3)."""

    x: Floats
    v: Floats
    a: Floats
    axis: Floats
    omega: Floats
    alpha: Floats


def world_side(rows: Rows, t: float) -> WorldSide:
    """The world's side at time t [s]: fixed, or on its curves."""
    m = len(rows.type)
    side = WorldSide(
        rows.x[:, 1].copy(),
        np.zeros((m, 3)),
        np.zeros((m, 3)),
        rows.axis[:, 1].copy(),
        np.zeros((m, 3)),
        np.zeros((m, 3)),
    )
    if not len(rows.targets):
        return side
    values = evaluate(rows.targets, t)
    for i in np.flatnonzero((rows.path >= 0) & (rows.type != TWIST)):
        c = rows.path[i]
        # A point prescribed along one direction d has its curve in one component k of the target, over d[k].
        side.x[i], side.v[i], side.a[i] = (rows.value[i] or 1.0) * values[c : c + 3].T
    for i in np.flatnonzero(rows.turn >= 0):
        c = rows.turn[i]
        q, qdot, qddot = values[c : c + 3].T
        R, S = se3.exp_so3(q), se3.right_jacobian(q)
        step = 1e-6  # of the rate of S, which only acceleration-level targets need
        Sdot = (se3.right_jacobian(q + step * qdot) - se3.right_jacobian(q - step * qdot)) / (2.0 * step)
        side.axis[i] = R @ rows.axis[i, 1]
        side.omega[i] = R @ (S @ qdot)
        side.alpha[i] = R @ (S @ qddot + Sdot @ qdot)
    return side


@inline
def _dot(a: Tuple, b: Tuple) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inline
def set_side(G: Floats, i: int, side: int, w: Tuple) -> None:
    G[i, side, 0], G[i, side, 1], G[i, side, 2] = w[0], w[1], w[2]
    G[i, side, 3], G[i, side, 4], G[i, side, 5] = w[3], w[4], w[5]


@inline
def _point_row(E: Tuple, r: Tuple, d: Tuple, sign: float) -> Tuple:
    """sign · dᵀ R Γ(r)."""
    f = unrotate(E, (sign * d[0], sign * d[1], sign * d[2]))
    m = cross(r, f)
    return (m[0], m[1], m[2], f[0], f[1], f[2])


@inline
def _point_motion(E: Tuple, V: Tuple, A: Tuple, r: Tuple) -> tuple[Tuple, Tuple]:
    """World velocity of a point of a link, and its acceleration at zero qddot."""
    w = (V[0], V[1], V[2])
    v = add3((V[3], V[4], V[5]), cross(w, r))
    a = add3((A[3], A[4], A[5]), add3(cross((A[0], A[1], A[2]), r), cross(w, v)))
    return rotate(E, v), rotate(E, a)


@inline
def place_row(
    kind: int, la: int, lb: int, x: Floats, axis: Floats, value: Floats, wx: Floats, waxis: Floats, E_wj: Floats,
    i: int, G: Floats, error: Floats,
) -> None:  # fmt: skip
    """What a row is at given poses: its error, and its derivative G by the twists of both sides."""
    EA = load12(E_wj, la) if la >= 0 else IDENTITY
    EB = load12(E_wj, lb) if lb >= 0 else IDENTITY
    rA: Tuple = (x[i, 0, 0], x[i, 0, 1], x[i, 0, 2])
    rB = (x[i, 1, 0], x[i, 1, 1], x[i, 1, 2])
    aA: Tuple = (axis[i, 0, 0], axis[i, 0, 1], axis[i, 0, 2])
    aB = (axis[i, 1, 0], axis[i, 1, 1], axis[i, 1, 2])
    if kind == TWIST:
        # side A: the row itself stands in `axis`
        error[i] = 0.0
        set_side(G, i, 0, (aA[0], aA[1], aA[2], aB[0], aB[1], aB[2]))
        set_side(G, i, 1, ZERO6)
    elif kind == AXES:
        a = rotate(EA, aA)
        b = rotate(EB, aB) if lb >= 0 else (waxis[i, 0], waxis[i, 1], waxis[i, 2])
        n = cross(a, b)
        error[i] = _dot(a, b)
        f, g = ZERO3, ZERO3
        if la >= 0:
            f = unrotate(EA, n)
        if lb >= 0:
            g = unrotate(EB, n)
        set_side(G, i, 0, (f[0], f[1], f[2], 0.0, 0.0, 0.0))
        set_side(G, i, 1, (-g[0], -g[1], -g[2], 0.0, 0.0, 0.0))
    else:
        pA = transform_point(EA, rA)
        pB = transform_point(EB, rB) if lb >= 0 else (wx[i, 0], wx[i, 1], wx[i, 2])
        gap = (pA[0] - pB[0], pA[1] - pB[1], pA[2] - pB[2])
        d, arm = aA, rA
        if kind == ACROSS:
            d = rotate(EA, aA)
            # Seen from A, whose frame d is fixed in, it is B's point that moves: the lever arm ends there. Only what
            # the points slid along the axis counts; a distance across it is an error on its way to zero.
            slid = _dot(aB, unrotate(EA, gap))
            arm = (rA[0] - slid * aB[0], rA[1] - slid * aB[1], rA[2] - slid * aB[2])
        if kind == DISTANCE:
            l = np.sqrt(_dot(gap, gap))
            inv = 1.0 / l if l > 0.0 else 0.0
            d = (gap[0] * inv, gap[1] * inv, gap[2] * inv)
            error[i] = l - value[i]
        else:
            error[i] = _dot(d, gap)
        set_side(G, i, 0, _point_row(EA, arm, d, 1.0) if la >= 0 else ZERO6)
        set_side(G, i, 1, _point_row(EB, rB, d, -1.0) if lb >= 0 else ZERO6)


@borrower
def place_rows(
    type_: Ints,
    link: Ints,
    x: Floats,
    axis: Floats,
    value: Floats,
    wx: Floats,
    waxis: Floats,
    E_wj: Floats,
    G: Floats,
    error: Floats,
) -> None:
    """Errors (m,) and derivatives G (m, 2, 6) of rows at given poses; the world's side is at wx and waxis (m, 3)."""
    for i in range(len(type_)):
        place_row(type_[i], link[i, 0], link[i, 1], x, axis, value, wx, waxis, E_wj, i, G, error)


@njit
def evaluate_all(
    type_: Ints,
    link: Ints,
    x: Floats,
    axis: Floats,
    value: Floats,
    wx: Floats,
    wv: Floats,
    wa: Floats,
    waxis: Floats,
    womega: Floats,
    walpha: Floats,
    E_wj: Floats,
    V: Floats,
    A: Floats,
    G: Floats,
    error: Floats,
    target: Floats,
    bias: Floats,
    rate: Floats,
) -> None:
    still = ZERO6
    world = IDENTITY
    for i in range(len(type_)):
        la, lb, kind = link[i, 0], link[i, 1], type_[i]
        place_row(kind, la, lb, x, axis, value, wx, waxis, E_wj, i, G, error)
        target[i] = 0.0
        rate[i] = 0.0
        EA, VA, AA = world, still, still
        EB, VB, AB = world, still, still
        if la >= 0:
            EA, VA, AA = load12(E_wj, la), load6(V, la), load6(A, la)
        if lb >= 0:
            EB, VB, AB = load12(E_wj, lb), load6(V, lb), load6(A, lb)
        rA: Tuple = (x[i, 0, 0], x[i, 0, 1], x[i, 0, 2])
        rB = (x[i, 1, 0], x[i, 1, 1], x[i, 1, 2])
        aA: Tuple = (axis[i, 0, 0], axis[i, 0, 1], axis[i, 0, 2])
        aB = (axis[i, 1, 0], axis[i, 1, 1], axis[i, 1, 2])
        if kind == AXES:
            a = rotate(EA, aA)
            wA = rotate(EA, (VA[0], VA[1], VA[2]))
            alphaA = rotate(EA, (AA[0], AA[1], AA[2]))
            if lb >= 0:
                b = rotate(EB, aB)
                wB = rotate(EB, (VB[0], VB[1], VB[2]))
                alphaB = rotate(EB, (AB[0], AB[1], AB[2]))
            else:
                b = (waxis[i, 0], waxis[i, 1], waxis[i, 2])
                wB = (womega[i, 0], womega[i, 1], womega[i, 2])
                alphaB = (walpha[i, 0], walpha[i, 1], walpha[i, 2])
            n = cross(a, b)
            if lb < 0:
                target[i] = _dot(wB, n)
            dn = add3(cross(cross(wA, a), b), cross(a, cross(wB, b)))
            w = (wA[0] - wB[0], wA[1] - wB[1], wA[2] - wB[2])
            if lb >= 0:
                bias[i] = _dot(
                    n, (alphaA[0] - alphaB[0], alphaA[1] - alphaB[1], alphaA[2] - alphaB[2])
                ) + _dot(w, dn)
            else:
                bias[i] = _dot(n, alphaA) + _dot(w, dn)
                rate[i] = _dot(n, alphaB)
            continue
        if kind == TWIST:
            # the target components stand in wv and wa
            bias[i] = 0.0
            for c in range(6):
                bias[i] += G[i, 0, c] * AA[c]
            target[i] = wv[i, 0]
            rate[i] = wa[i, 0]
            continue
        pA = transform_point(EA, rA)
        vA, accA = _point_motion(EA, VA, AA, rA)
        if lb >= 0:
            pB = transform_point(EB, rB)
            vB, accB = _point_motion(EB, VB, AB, rB)
        else:
            pB = (wx[i, 0], wx[i, 1], wx[i, 2])
            vB = (wv[i, 0], wv[i, 1], wv[i, 2])
            accB = (wa[i, 0], wa[i, 1], wa[i, 2])
        gap = (pA[0] - pB[0], pA[1] - pB[1], pA[2] - pB[2])
        closing = (vA[0] - vB[0], vA[1] - vB[1], vA[2] - vB[2])
        extra = 0.0
        d = aA
        if kind == ACROSS:
            d = rotate(EA, aA)
            slid = _dot(aB, unrotate(EA, gap))
            omega = rotate(EA, (VA[0], VA[1], VA[2]))
            alpha = rotate(EA, (AA[0], AA[1], AA[2]))
            dd = cross(omega, d)
            ddd = add3(cross(alpha, d), cross(omega, dd))
            extra = 2.0 * _dot(dd, closing) + slid * _dot(ddd, rotate(EA, aB))
        elif kind == DISTANCE:
            l = np.sqrt(_dot(gap, gap))
            inv = 1.0 / l if l > 0.0 else 0.0
            d = (gap[0] * inv, gap[1] * inv, gap[2] * inv)
            along = _dot(d, closing)
            extra = (_dot(closing, closing) - along * along) * inv
        if lb >= 0:
            bias[i] = _dot(d, (accA[0] - accB[0], accA[1] - accB[1], accA[2] - accB[2])) + extra
        else:
            target[i] = _dot(d, vB)
            bias[i] = _dot(d, accA) + extra
            rate[i] = _dot(d, accB)


def _twist_targets(rows: Rows, t: float, kin: Kinematics, side: WorldSide) -> None:
    """Targets of TWIST rows, into the first column of the world side's v and a.

    Angular components are given in the body's axes, linear ones in the world's: a linear row holds its body axis in
    `x`, in the joint frame, and picks that component of the given velocity.
    """
    twists = np.flatnonzero(rows.type == TWIST)
    if not len(twists):
        return
    values = evaluate(rows.targets, t)
    for i in twists:
        value, rate, _ = values[rows.path[i] : rows.path[i] + 6].T
        k = int(rows.part[i])
        if k < 3:
            side.v[i, 0], side.a[i, 0] = value[k], rate[k]
            continue
        link = rows.link[i, 0]
        R = kin.E_wj[link, :9].reshape(3, 3)
        direction = R @ rows.x[i, 0]
        side.v[i, 0] = direction @ value[3:]
        side.a[i, 0] = direction @ rate[3:] + np.cross(R @ kin.V[link, :3], direction) @ value[3:]


def evaluate_rows(rows: Rows, t: float, kin: Kinematics) -> RowState:
    """All rows at time t [s] of the targets and at the kinematics of a state."""
    m = len(rows.type)
    side = world_side(rows, t)
    _twist_targets(rows, t, kin, side)
    state = RowState(
        rows.link, np.empty((m, 2, 6)), np.empty(m), np.empty(m), np.empty(m), np.empty(m),
        (rows.type != TWIST).astype(np.int64),
    )  # fmt: skip
    evaluate_all(
        rows.type, rows.link, rows.x, rows.axis, rows.value, side.x, side.v, side.a, side.axis,
        side.omega, side.alpha, kin.E_wj, kin.V, kin.A, state.G, state.error, state.target, state.bias,
        state.target_rate,
    )  # fmt: skip
    return state
