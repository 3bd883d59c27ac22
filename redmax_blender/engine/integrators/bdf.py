"""BDF1, BDF2 and SDIRK2: implicit in every term, by Newton's method with exact derivatives.

Every stage has one form. With a step length c and two known combinations of the past,

    qdot = (q - q_a) / c,    M(q) (q - q_b) = c² f(q, qdot),

which is inverse dynamics at qddot = (q - q_b) / c²; its derivative along (1, 1/c, 1/c²) is the Newton matrix.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..errors import ConvergenceError, InputError
from ..forces.applied import applied_changes, applied_wrenches, has_applied
from ..forces.joint import JointAction, joint_action, motion_modes
from ..model.control import control_at
from ..model.records import PRESCRIBED, Floats, Ints, Model
from ..model.state import Options, State
from ..muscles.lift_off import parts
from ..muscles.stage import MuscleStage
from ..tree.charts import leave_singularities
from ..tree.kinematics import forward_kinematics
from ..tree.linearise import Linearisation

_LINE_SEARCH = 20
_ROUND_OFF = 1e-11
"""A residual below this fraction of the forces in it, that no step can reduce, counts as solved."""
_CLOSER = 1e-4
"""How much closer the residual has to come where Newton's matrix is not exact, and its last step not far below it."""
_SLOW = 1e-3
"""Reduction of the residual's square in an iteration for which that matrix is good enough."""
ALPHA = 1.0 - math.sqrt(0.5)
"""Diagonal coefficient of the L-stable two-stage SDIRK of order 2."""


def stage(
    model: Model,
    t: float,
    q_a: Floats,
    q_b: Floats,
    c: float,
    guess: Floats,
    chart: Ints,
    options: Options,
    muscles: MuscleStage | None = None,
) -> tuple[Floats, Floats]:
    """Solve one stage that ends at time t [s]; returns q and qdot. What muscles do in it is left in `muscles`."""
    joints = model.joints
    control = control_at(model, t)
    held = joints.motion.target[motion_modes(model, t) == PRESCRIBED]
    free = np.setdiff1d(np.arange(model.nr), held)
    weights = np.array([1.0, 1.0 / c, 1.0 / (c * c)])
    pushed = has_applied(model)
    q = guess.copy()
    if len(held):
        q[held] = control.motion[np.isin(joints.motion.target, held), 0]

    def residual(q: Floats) -> tuple[Floats, Linearisation, JointAction]:
        state = State(t, q, (q - q_a) / c, chart)
        kin = forward_kinematics(model, state)
        wrenches = applied_wrenches(model, kin, t) if pushed else None
        lin = Linearisation(model, state, kin, (q - q_b) / (c * c), wrenches)
        action = joint_action(model, state, control)
        force = action.force - action.damping * state.qdot
        if muscles is not None:
            force = force + muscles.force(model, state, kin, (q - q_b) / (c * c))
        return c * c * (lin.tau - force)[free], lin, action

    tolerance = options.newton_tolerance if muscles is None else _CLOSER * options.newton_tolerance
    slow = False  # whether muscles' own matrix was not good enough
    g, lin, action = residual(q)
    for _ in range(max(options.newton_iterations, 10 * model.nr)):
        xi, dV, dF = lin.directions(weights)
        if pushed:
            dF -= applied_changes(model, lin.kin, t, xi, dV)
        G = lin.columns(weights, dF)
        G[np.diag_indices(model.nr)] += action.stiffness + action.damping / c
        if muscles is not None:
            here = lin.state, (q - q_b) / (c * c)
            G += muscles.exact_matrix(model, *here) if slow else muscles.matrix()
        dq = np.zeros(model.nr)
        dq[free] = -np.linalg.solve(c * c * G[np.ix_(free, free)], g)
        scale, norm = 1.0, float(g @ g)
        for _ in range(_LINE_SEARCH):
            trial = q + scale * dq
            g, lin, action = residual(trial)
            if float(g @ g) < norm:
                break
            scale *= 0.5
        q = trial
        slow = slow or (muscles is not None and float(g @ g) > _SLOW * norm)
        if math.sqrt(float(g @ g)) < tolerance or not np.isfinite(g).all():
            break
        if float(g @ g) >= norm and math.sqrt(norm) < _ROUND_OFF * c * c * float(np.abs(lin.tau).max()):
            break  # rounding leaves nothing to gain
    else:
        worst = int(free[np.argmax(np.abs(g))])
        raise ConvergenceError(t, model.joint_of(worst), float(np.linalg.norm(g)))
    return q, (q - q_a) / c


def _sdirk2_step(model: Model, s: State, h: float, options: Options) -> State:
    c = ALPHA * h
    q, v, chart = s.q, s.qdot, s.chart
    guess = q + c * v
    muscles = MuscleStage.of(model, s, c)
    q_a, v_a = stage(model, s.t + c, q, q + c * v, c, guess, chart, options, muscles)
    past_q = q + (1.0 - ALPHA) * h * v_a
    past_v = q + (2.0 * ALPHA - 1.0) * h * v + 2.0 * (1.0 - ALPHA) * h * v_a
    if muscles is not None:
        muscles = muscles.second(model, s, h, (1.0 - ALPHA) * h / c)
    q1, v1 = stage(model, s.t + h, past_q, past_v, c, q_a + (h - c) * v_a, chart, options, muscles)
    return State(s.t + h, q1, v1, chart, muscle=s.muscle if muscles is None else muscles.state)


def _exact_time(start: float, n: int, h: float, state: State) -> State:
    return State(start + n * h, state.q, state.qdot, state.chart, muscle=state.muscle)


def _check_unconstrained(model: Model, name: str, t: float) -> None:
    """These integrators solve for coordinates alone: nothing may be constrained from time t [s] on.

    A point that is only guided by then is a force.
    """
    c = model.constraints
    held = any(
        not spans or any(end > t + 1e-9 and start < np.inf for start, end, _ in spans) for spans in c.active
    )
    if held or len(c.limits.dof):
        raise InputError("integrator", f"'{name}' cannot hold constraints", "Use 'euler' for this scene.")
    if model.reduction is not None:
        raise InputError("integrator", f"'{name}' cannot hold couplings", "Use 'euler' for this scene.")


def bdf1(model: Model, state: State, options: Options) -> Iterator[State]:
    """Backward Euler: first order, very stable, loses energy."""
    _check_unconstrained(model, "bdf1", state.t)
    start, n, h = state.t, 0, options.h
    while True:
        state, _ = leave_singularities(model, state)
        ahead = state.q + h * state.qdot
        n += 1
        muscles = MuscleStage.of(model, state, h)
        q, v = stage(model, start + n * h, state.q, ahead, h, ahead, state.chart, options, muscles)
        own = state.muscle if muscles is None else muscles.state
        state = State(start + n * h, q, v, state.chart, muscle=own)
        yield state


def sdirk2(model: Model, state: State, options: Options) -> Iterator[State]:
    """Two implicit stages a step: second order, one-step."""
    _check_unconstrained(model, "sdirk2", state.t)
    start, n = state.t, 0
    while True:
        state, _ = leave_singularities(model, state)
        n += 1
        state = parts(model, state, options.h, lambda s, h: _sdirk2_step(model, s, h, options))
        state = _exact_time(start, n, options.h, state)
        yield state


def bdf2(model: Model, state: State, options: Options) -> Iterator[State]:
    """Second order with one solve a step; its first step is an SDIRK2 step."""
    _check_unconstrained(model, "bdf2", state.t)
    start, n, h = state.t, 1, options.h
    before, _ = leave_singularities(model, state)
    state = _sdirk2_step(model, before, h, options)
    yield state
    while True:
        now, last = leave_singularities(model, state, before)
        assert last is not None
        past_q = (4.0 * now.q - last.q) / 3.0
        past_v = past_q + h * (8.0 * now.qdot - 2.0 * last.qdot) / 9.0
        n += 1
        guess = now.q + h * now.qdot
        c = 2.0 * h / 3.0
        muscles = MuscleStage.of(model, now, c)
        if muscles is not None:
            muscles = muscles.after(model, now, h, (4.0 * now.muscle[:, 1] - last.muscle[:, 1]) / 3.0)
        q, v = stage(model, start + n * h, past_q, past_v, c, guess, now.chart, options, muscles)
        own = now.muscle if muscles is None else muscles.state
        before, state = now, State(start + n * h, q, v, now.chart, muscle=own)
        yield state
