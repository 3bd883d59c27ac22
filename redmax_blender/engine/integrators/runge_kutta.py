"""Adaptive Runge-Kutta (SciPy's DOP853) over either route to the accelerations.

The recursive route eliminates joint by joint in linear time; the RedMax route forms JᵀMJ and solves it. They agree to
rounding, and each is the other's test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.integrate import DOP853

from ..charts import leave_singularities
from ..control import control_at
from ..errors import DivergedError
from ..forces.drag import drag_wrenches
from ..forces.joint import joint_force
from ..jacobian import dense_link_jacobian
from ..kinematics import forward_kinematics
from ..model import Control, Floats, Ints, Model, Options, State
from ..recursive import hybrid_dynamics, inverse_dynamics
from ..se3 import symmetric

_NONE: Floats = np.zeros((0, 6))
Acceleration = Callable[[Model, State, Control, Floats], Floats]


def acceleration_recursive(model: Model, state: State, control: Control, qddot: Floats) -> Floats:
    """qddot by the articulated-body recursion; prescribed coordinates keep what `qddot` says."""
    tau = joint_force(model, state, control)
    wrenches = _NONE
    if model.tree.damping.any():
        wrenches = drag_wrenches(model, forward_kinematics(model, state).V)
    return hybrid_dynamics(model, state, tau, qddot, model.joints.free, wrenches)[0]


def acceleration_redmax(model: Model, state: State, control: Control, qddot: Floats) -> Floats:
    """qddot by solving JᵀMJ qddot = Jᵀ(f_m - M Jdot qdot) + f_r (supplement Eq. 12)."""
    kin = forward_kinematics(model, state)
    J = dense_link_jacobian(model, kin)
    M = symmetric(model.tree.inertia)
    MJ = np.einsum("lij,ljr->lir", M, J.reshape(model.nl, 6, model.nr)).reshape(6 * model.nl, model.nr)
    M_r = J.T @ MJ
    bias = inverse_dynamics(model, kin, state.qdot, np.zeros(model.nr), drag_wrenches(model, kin.V))
    f = joint_force(model, state, control) - bias
    free = model.joints.free
    out = qddot.copy()
    if free.all():
        out[:] = np.linalg.solve(M_r, f)
    elif free.any():
        known = M_r[np.ix_(free, ~free)] @ qddot[~free]
        out[free] = np.linalg.solve(M_r[np.ix_(free, free)], f[free] - known)
    return out


def _integrate(model: Model, state: State, options: Options, acceleration: Acceleration) -> Iterator[State]:
    nr = model.nr
    target = model.joints.motion.target

    def at(t: float, y: Floats, chart: Ints) -> tuple[State, Control, Floats]:
        """The state with prescribed coordinates put exactly on their curves."""
        control = control_at(model, t)
        q, qdot, qddot = y[:nr].copy(), y[nr:].copy(), np.zeros(nr)
        if len(target):
            q[target], qdot[target], qddot[target] = control.motion.T
        return State(t, q, qdot, chart), control, qddot

    def begin(state: State) -> DOP853:
        def rate(t: float, y: Floats) -> Floats:
            now, control, qddot = at(t, y, state.chart)
            return np.concatenate([now.qdot, acceleration(model, now, control, qddot)])

        y = np.concatenate([state.q, state.qdot])
        return DOP853(rate, state.t, y, np.inf, rtol=options.rtol, atol=options.atol)

    state, _ = leave_singularities(model, state)
    solver, n = begin(state), 0
    start, dense = state.t, None
    while True:
        n += 1
        until = start + n * options.h
        while solver.t < until:
            # New coordinates take effect between steps, once the frames within the last step are interpolated.
            now = at(solver.t, solver.y, state.chart)[0]
            safe, _ = leave_singularities(model, now)
            if safe is not now:
                state, solver = safe, begin(safe)
            solver.step()
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                bad = np.flatnonzero(~np.isfinite(solver.y[:nr]))
                raise DivergedError(solver.t, n, model.joint_of(int(bad[0]) if len(bad) else 0))
            dense = solver.dense_output()
        assert dense is not None
        yield at(until, dense(until), state.chart)[0]


def runge_kutta_recursive(model: Model, state: State, options: Options) -> Iterator[State]:
    """Accelerations by the linear-time recursion."""
    return _integrate(model, state, options, acceleration_recursive)


def runge_kutta_redmax(model: Model, state: State, options: Options) -> Iterator[State]:
    """Accelerations by RedMax's JᵀMJ."""
    return _integrate(model, state, options, acceleration_redmax)
