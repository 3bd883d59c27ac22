"""Linearly implicit Euler at the velocity level (paper, Eq. 2)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..charts import leave_singularities
from ..control import control_at
from ..jit import njit
from ..kinematics import Kinematics, forward_kinematics
from ..model import Control, Floats, Ints, Model, Options, State
from ..recursive import factor, solve
from ..spatial import (
    ad_transpose_times,
    add6,
    axpy6,
    dot6,
    load6,
    load12,
    load21,
    store6,
    sym_times,
    unrotate,
    wrench_up,
)


@njit
def _momentum(
    parent: Ints,
    dof: Ints,
    inertia: Floats,
    gravity: Floats,
    E_pj: Floats,
    E_wj: Floats,
    V: Floats,
    A: Floats,
    S: Floats,
    h: float,
    out: Floats,
) -> None:
    """Jᵀ (M V + h (f_m - M Jdot qdot)), with the Coriolis force and gravity in f_m."""
    nl = len(parent)
    F = np.empty((nl, 6))
    for j in range(nl):
        M = load21(inertia, j)
        V_j = load6(V, j)
        g = unrotate(load12(E_wj, j), (gravity[0], gravity[1], gravity[2]))
        # gravity acts like an acceleration of the frame: M (0, g)
        accelerated = axpy6(-1.0, load6(A, j), (0.0, 0.0, 0.0, g[0], g[1], g[2]))
        momentum = sym_times(M, V_j)
        f = add6(ad_transpose_times(V_j, momentum), sym_times(M, accelerated))
        store6(F, j, axpy6(h, f, momentum))
    for j in range(nl - 1, -1, -1):
        f = load6(F, j)
        for k in range(dof[j], dof[j + 1]):
            out[k] = dot6(load6(S, k), f)
        p = parent[j]
        if p >= 0:
            store6(F, p, add6(load6(F, p), wrench_up(load12(E_pj, j), f)))


def implicit_right_side(model: Model, state: State, kin: Kinematics, control: Control, h: float) -> Floats:
    """Right-hand side of Eq. 2, shape (nr,). Dampers are implicit only, so they are not in it."""
    t, joints = model.tree, model.joints
    b: Floats = np.empty(model.nr)
    _momentum(
        t.parent, t.dof, t.inertia, model.gravity, kin.E_pj, kin.E_wj, kin.V, kin.A, kin.S, h, b
    )
    return b + h * (control.tau - joints.stiffness * (state.q - joints.rest))


def prescribed_velocity(model: Model, state: State, control: Control, options: Options) -> Floats | None:
    """Velocity of the prescribed coordinates over the step, in an array of shape (nr,)."""
    target = model.joints.motion.target
    if not len(target):
        return None
    known: Floats = np.zeros(model.nr)
    value, rate = control.motion[:, 0], control.motion[:, 1]
    if options.stabilisation is None:
        known[target] = (value - state.q[target]) / options.h  # ends the step on the curve
    else:
        known[target] = rate + options.stabilisation * (value - state.q[target])
    return known


def step(model: Model, state: State, options: Options) -> State:
    """One step of options.h [s]."""
    h = options.h
    t = state.t + h
    control = control_at(model, t)
    kin = forward_kinematics(model, state)
    b = implicit_right_side(model, state, kin, control, h)
    A_r = h * model.joints.damping + h * h * model.joints.stiffness
    f = factor(model, kin, h * model.tree.damping, A_r, model.joints.free)
    qdot = solve(model, f, b, prescribed_velocity(model, state, control, options))
    return State(t, state.q + h * qdot, qdot, state.chart)


def euler(model: Model, state: State, options: Options) -> Iterator[State]:
    """First order, stable at any stiffness of joint springs; loses energy slowly."""
    start, n = state.t, 0
    while True:
        state, _ = leave_singularities(model, state)
        state = step(model, state, options)
        n += 1
        # Counting steps keeps the time exact where adding h would drift.
        state = State(start + n * options.h, state.q, state.qdot, state.chart)
        yield state
