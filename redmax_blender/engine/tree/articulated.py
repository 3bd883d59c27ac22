"""Forward dynamics when every coordinate is free: the articulated-body recursion, where it has to be fast.

`recursive.hybrid_dynamics` does the same one column of S after the other, for any mixture of forces and prescribed
accelerations. Here frames are turned to the joints' axes (`aligned.py`) so that columns of S are unit vectors, which
leaves half of the multiplications.
"""

from __future__ import annotations

import numpy as np

from .. import joints
from ..algebra.spatial import (
    ZERO6,
    Tuple,
    ad_times,
    add6,
    add21,
    axpy6,
    compose,
    dot6,
    load6,
    load6_at,
    load12,
    load21_at,
    store6_at,
    store12,
    store21_at,
    sym_times,
    sym_up,
    twist_down,
    unrotate,
    wrench_up,
)
from ..jit.decorators import inline, njit, subroutine
from ..joints import REVOLUTE, SPHERICAL, TRANSLATIONAL
from ..model.records import Floats, Ints, Model
from ..model.state import State
from .articulated_joints import (
    COORDINATE,
    accelerate_link,
    coordinate_acceleration,
    eliminate,
    eliminate_link,
    move,
    turn_about_x,
)
from .elimination import (
    add_rigid_inertia,
    column,
    gyroscopic_wrench,
    rigid_inertia,
    times_hinge_bias,
    up_without_rotation,
    up_without_translation,
    up_without_x_rotation,
)

# Columns of a link's row: its pose in the parent (12) and ...
TWIST = 12  # its twist, and later its acceleration (6)
BIAS = 18  # its acceleration at zero qddot and zero acceleration of the parent (6)
INERTIA = 24  # the articulated inertias of its children (21)
WRENCH = 45  # and the wrenches that they bring with them (6)
LINK = 51

INERTIA0 = 12  # column of the rigid inertia in the constants


@inline
def _on_aligned(turns: Floats, j: int, wrenches: Floats) -> Tuple:
    """The wrench on a link, in its aligned frame."""
    Z = (
        turns[j, 0], turns[j, 1], turns[j, 2], turns[j, 3], turns[j, 4], turns[j, 5], turns[j, 6], turns[j, 7],
        turns[j, 8],
    )  # fmt: skip
    m = unrotate(Z, (wrenches[j, 0], wrenches[j, 1], wrenches[j, 2]))
    f = unrotate(Z, (wrenches[j, 3], wrenches[j, 4], wrenches[j, 5]))
    return (m[0], m[1], m[2], f[0], f[1], f[2])


@subroutine
def _recursion(
    links: Ints,
    constants: Floats,
    params: Floats | None,
    chart: Ints | None,
    q: Floats,
    qdot: Floats,
    tau: Floats,
    turns: Floats | None,
    wrenches: Floats | None,
    qddot: Floats,
) -> None:
    """`params` and `chart` are None where no kind needs them, and the compiler then leaves those kinds out."""
    nl = len(links)
    L = np.empty((nl, LINK))
    C = np.empty((len(q), COORDINATE))
    if params is not None:
        S, Sdot = np.empty((len(q), 6)), np.empty((len(q), 6))

    # outwards: poses, twists, bias accelerations
    for j in range(nl):
        p, kind, i, n = links[j, 0], links[j, 1], links[j, 2], links[j, 3]
        E = load12(constants, j)
        above = ZERO6 if p < 0 else load6_at(L, p, TWIST)
        if kind == REVOLUTE:
            E = turn_about_x(E, q[i])
            V = twist_down(E, above)
            x = qdot[i]
            bias: Tuple = (0.0, x * V[2], -x * V[1], 0.0, x * V[5], -x * V[4])
            V = (V[0] + x, V[1], V[2], V[3], V[4], V[5])
        else:
            if params is not None and chart is not None and kind > SPHERICAL:
                at = links[j, 4]
                E = compose(E, joints.transform(kind, params, at, chart[j], q, i))
                joints.subspace(kind, params, at, chart[j], q, qdot, i, n, S, Sdot)
                rate, own = ZERO6, ZERO6
                for k in range(i, i + n):
                    rate = axpy6(qdot[k], load6(S, k), rate)
                    own = axpy6(qdot[k], load6(Sdot, k), own)
            else:
                E, rate, own = move(kind, i, n, E, q, qdot, tau, C)
            V = add6(twist_down(E, above), rate)
            bias = add6(ad_times(V, rate), own)
        store12(L, j, E)
        store6_at(L, j, TWIST, V)
        store6_at(L, j, BIAS, bias)

    # inwards: articulated inertias, and the wrenches that come with them
    for j in range(nl - 1, -1, -1):
        p, kind, i, n = links[j, 0], links[j, 1], links[j, 2], links[j, 3]
        leaf, last = links[j, 5], links[j, 6]
        f = gyroscopic_wrench(constants, j, INERTIA0, load6_at(L, j, TWIST))
        if wrenches is not None and turns is not None:
            f = axpy6(-1.0, _on_aligned(turns, j, wrenches), f)
        if leaf:
            M = rigid_inertia(constants, j, INERTIA0)
        else:
            M = add_rigid_inertia(load21_at(L, j, INERTIA), constants, j, INERTIA0)
            f = add6(f, load6_at(L, j, WRENCH))
        E, bias = load12(L, j), load6_at(L, j, BIAS)
        if kind == REVOLUTE:
            M, f = eliminate(C, i, column(M, 0), 1.0 / M[0], tau[i] - f[0], M, f)
            f = add6(f, times_hinge_bias(M, bias))
            M = up_without_x_rotation(E, M)
        else:
            if params is not None and chart is not None and kind > SPHERICAL:
                for k in range(i + n - 1, i - 1, -1):
                    s = load6(S, k)
                    U = sym_times(M, s)
                    M, f = eliminate(C, k, U, 1.0 / dot6(s, U), tau[k] - dot6(s, f), M, f)
            else:
                M, f = eliminate_link(kind, i, n, tau, C, M, f)
            f = add6(f, sym_times(M, bias))
            if kind == SPHERICAL:
                M = up_without_rotation(E, M)
            elif kind == TRANSLATIONAL:
                M = up_without_translation(E, M)
            else:
                M = sym_up(E, M)
        if p >= 0:
            f = wrench_up(E, f)
            if not last:
                M = add21(load21_at(L, p, INERTIA), M)
                f = add6(load6_at(L, p, WRENCH), f)
            store21_at(L, p, INERTIA, M)
            store6_at(L, p, WRENCH, f)

    # outwards: accelerations, with the world accelerated against gravity
    lift = (0.0, 0.0, 0.0, -constants[nl, 0], -constants[nl, 1], -constants[nl, 2])
    for j in range(nl):
        p, kind, i, n = links[j, 0], links[j, 1], links[j, 2], links[j, 3]
        above = lift if p < 0 else load6_at(L, p, TWIST)
        a = add6(twist_down(load12(L, j), above), load6_at(L, j, BIAS))
        if kind == REVOLUTE:
            x = coordinate_acceleration(C, i, a)
            qddot[i] = x
            a = (a[0] + x, a[1], a[2], a[3], a[4], a[5])
        elif params is not None and chart is not None and kind > SPHERICAL:
            for k in range(i, i + n):
                x = coordinate_acceleration(C, k, a)
                qddot[k] = x
                a = axpy6(x, load6(S, k), a)
        else:
            a = accelerate_link(kind, i, n, q, C, a, qddot)
        store6_at(L, j, TWIST, a)


# A call from Python costs about a twentieth of a microsecond an argument, which a ten-joint chain feels: an entry for
# the usual case, one for every kind of joint, and one for everything.


@njit
def _plain(links: Ints, constants: Floats, q: Floats, qdot: Floats, tau: Floats, qddot: Floats) -> None:
    _recursion(links, constants, None, None, q, qdot, tau, None, None, qddot)


@njit
def _with_params(
    links: Ints,
    constants: Floats,
    params: Floats,
    chart: Ints,
    q: Floats,
    qdot: Floats,
    tau: Floats,
    qddot: Floats,
) -> None:
    _recursion(links, constants, params, chart, q, qdot, tau, None, None, qddot)


@njit
def _with_wrenches(
    links: Ints, constants: Floats, params: Floats, chart: Ints, q: Floats, qdot: Floats, tau: Floats, turns: Floats,
    wrenches: Floats, qddot: Floats,
) -> None:  # fmt: skip
    _recursion(links, constants, params, chart, q, qdot, tau, turns, wrenches, qddot)


def forward_dynamics(
    model: Model, state: State, tau: Floats, wrenches: Floats | None = None, out: Floats | None = None
) -> Floats:
    """Accelerations under the generalized forces tau, gravity and Coriolis forces, shape (nr,).

    `wrenches` (nl, 6) act on the links in their joint frames [N·m, N].
    """
    t = model.aligned
    qddot = np.empty(len(state.q)) if out is None else out
    if wrenches is not None and len(wrenches):
        params, chart = model.tree.params, state.chart
        _with_wrenches(
            t.links, t.constants, params, chart, state.q, state.qdot, tau, t.turns, wrenches, qddot
        )
    elif t.plain:
        _plain(t.links, t.constants, state.q, state.qdot, tau, qddot)
    else:
        _with_params(t.links, t.constants, model.tree.params, state.chart, state.q, state.qdot, tau, qddot)
    return qddot
