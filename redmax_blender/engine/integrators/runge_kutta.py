"""Adaptive Runge-Kutta (SciPy's DOP853) over either route to the accelerations.

The recursive route eliminates joint by joint in linear time; the RedMax route forms JᵀMJ and solves it. They agree to
rounding, and each is the other's test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..algebra.se3 import symmetric
from ..constraints.active import gear_rows, is_active, reduced_rows
from ..constraints.rows import evaluate_rows
from ..constraints.start import assemble
from ..errors import DivergedError, InputError
from ..forces.applied import applied_wrenches, has_applied
from ..forces.drag import drag_wrenches
from ..forces.joint import joint_force, motion_modes
from ..model.control import control_at
from ..model.records import PRESCRIBED, Floats, Ints, Model
from ..model.state import Control, Options, State
from ..muscles.accelerate import hybrid_with_muscles, muscle_forces, muscle_rates
from ..muscles.inertia import muscle_inertia
from ..muscles.motion import follow_muscles
from ..solvers.constrained import solve_equalities
from ..tree.charts import leave_singularities
from ..tree.jacobian import dense_link_jacobian
from ..tree.kinematics import Kinematics, forward_kinematics
from ..tree.recursive import factor, inverse_dynamics, solve

if TYPE_CHECKING:
    from scipy.integrate import DOP853

_NONE: Floats = np.zeros((0, 6))
Mask = NDArray[np.bool_]
Acceleration = Callable[[Model, State, Control, Floats, Mask], Floats]


def _wrenches(model: Model, kin: Kinematics, t: float) -> Floats:
    F = applied_wrenches(model, kin, t)
    if model.tree.damping.any():
        F += drag_wrenches(model, kin.V)
    return F


def acceleration_recursive(model: Model, state: State, control: Control, qddot: Floats, free: Mask) -> Floats:
    """qddot by the articulated-body recursion; coordinates that are not free keep what `qddot` says."""
    tau = joint_force(model, state, control)
    wrenches = _NONE
    if model.tree.damping.any() or has_applied(model):
        wrenches = _wrenches(model, forward_kinematics(model, state), control.t)
    return hybrid_with_muscles(model, state, tau, qddot, free, wrenches)[0]


def acceleration_redmax(model: Model, state: State, control: Control, qddot: Floats, free: Mask) -> Floats:
    """qddot by solving JᵀMJ qddot = Jᵀ(f_m - M Jdot qdot) + f_r (supplement Eq. 12)."""
    kin = forward_kinematics(model, state)
    J = dense_link_jacobian(model, kin)
    M = symmetric(model.tree.inertia)
    MJ = np.einsum("lij,ljr->lir", M, J.reshape(model.nl, 6, model.nr)).reshape(6 * model.nl, model.nr)
    M_r = J.T @ MJ
    bias = inverse_dynamics(model, kin, state.qdot, np.zeros(model.nr), _wrenches(model, kin, control.t))
    f = joint_force(model, state, control) - bias
    if model.muscles is not None:
        f += muscle_forces(model, state, kin)
        if model.muscles.has_mass:
            inertia = muscle_inertia(model, follow_muscles(model, state, kin, second=True))
            M_r += inertia.mass
            f += inertia.gravity - inertia.bias
    out = qddot.copy()
    if free.all():
        out[:] = np.linalg.solve(M_r, f)
    elif free.any():
        known = M_r[np.ix_(free, ~free)] @ qddot[~free]
        out[free] = np.linalg.solve(M_r[np.ix_(free, free)], f[free] - known)
    return out


def constrained_acceleration(
    model: Model, state: State, qddot: Floats, free: Mask, t: float, feedback: float
) -> tuple[Floats, Floats, Floats]:
    """Accelerations that satisfy the equality constraints, from those without; their multipliers [N, N·m]; and rows.

    Position and velocity errors decay with the rate `feedback` [1/s].
    """
    kin = forward_kinematics(model, state)
    c = model.constraints
    on = is_active(c, t)
    G, wanted = [np.zeros((0, model.nr))], [np.zeros(0)]
    if len(c.rows.type):
        rows = evaluate_rows(c.rows, t, kin)
        index = np.flatnonzero(on[c.rows.owner])
        g = reduced_rows(model, kin, rows, index)
        slip = g @ state.qdot - rows.target[index]
        G.append(g)
        wanted.append(
            (rows.target_rate - rows.bias)[index] - 2.0 * feedback * slip - feedback**2 * rows.error[index]
        )
    gears = np.flatnonzero(on[c.gears.owner]) if len(c.gears.offset) else np.zeros(0, np.int64)
    if len(gears):
        g, error = gear_rows(model, state.q, gears)
        G.append(g)
        wanted.append(-2.0 * feedback * (g @ state.qdot) - feedback**2 * error)
    rows_r, w = np.vstack(G), np.concatenate(wanted)
    if not len(w):
        return qddot, w, rows_r
    tree = factor(model, kin, free=free)
    columns = np.array([solve(model, tree, g) for g in rows_r])
    value = solve_equalities(rows_r @ columns.T, w - rows_r @ qddot)
    return qddot + value @ columns, value, rows_r


def _integrate(model: Model, state: State, options: Options, acceleration: Acceleration) -> Iterator[State]:
    nr = model.nr
    target = model.joints.motion.target

    constrained = bool(len(model.constraints.names))
    if len(model.constraints.limits.dof) or model.reduction is not None:
        what = "joint limits" if len(model.constraints.limits.dof) else "couplings"
        raise InputError(
            "integrator", f"an adaptive integrator cannot hold {what}", "Use 'euler' for this scene."
        )

    def at(t: float, y: Floats, chart: Ints) -> tuple[State, Control, Floats, Mask]:
        """The state with prescribed coordinates put exactly on their curves."""
        control = control_at(model, t)
        q, qdot, qddot, free = y[:nr].copy(), y[nr : 2 * nr].copy(), np.zeros(nr), model.tree.all_free
        if len(target):
            held = motion_modes(model, t) == PRESCRIBED
            d = target[held]
            q[d], qdot[d], qddot[d] = control.motion[held].T
            free = np.ones(nr, bool)
            free[d] = False
        return State(t, q, qdot, chart, muscle=y[2 * nr :].reshape(-1, 2).copy()), control, qddot, free

    from scipy.integrate import DOP853  # not needed by the other integrators, and slow to import

    def begin(state: State) -> DOP853:
        def rate(t: float, y: Floats) -> Floats:
            now, control, qddot, free = at(t, y, state.chart)
            qddot = acceleration(model, now, control, qddot, free)
            if constrained:
                qddot, _, _ = constrained_acceleration(model, now, qddot, free, t, options.feedback)
            if model.muscles is None:
                return np.concatenate([now.qdot, qddot])
            rates = muscle_rates(model, now, forward_kinematics(model, now))
            return np.concatenate([now.qdot, qddot, rates.ravel()])

        y = np.concatenate([state.q, state.qdot, state.muscle.ravel()])
        return DOP853(rate, state.t, y, np.inf, rtol=options.rtol, atol=options.atol)

    held = motion_modes(model, state.t + options.h) == PRESCRIBED
    free = np.ones(nr, bool)
    free[target[held]] = False
    state = assemble(model, state, free, options)
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
