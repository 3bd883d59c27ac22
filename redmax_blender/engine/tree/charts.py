"""Keeping rotations away from the singularities of their coordinates, between steps.

Exponential coordinates are shortened by whole turns before 2π; Euler angles move to another chart near gimbal lock.
Both keep the rotation and the angular velocity, and both convert the previous state of a two-step method as well.
Coordinates that a motion prescribes or guides keep their numbers; so do Euler angles that a spring, a torque, a limit
or a gear refers to, and it is up to the scene to keep those away from gimbal lock.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..jit.decorators import njit
from ..joints import spherical, spherical_euler
from ..joints.kinds import CHARTS, Kind
from ..model.curves import evaluate
from ..model.records import Floats, Ints, Model
from ..model.state import State
from .kinematics import forward_kinematics

Mask = NDArray[np.bool_]

_SPHERICAL = int(Kind.SPHERICAL)
_EULER = int(Kind.SPHERICAL_EULER)
_NCHARTS = len(CHARTS)


@njit
def _shorten(kind: Ints, dof: Ints, limit: Floats, q: Floats, qdot: Floats) -> bool:
    changed = False
    for j in range(len(kind)):
        if kind[j] == _SPHERICAL and spherical.reparameterise(q, qdot, dof[j], limit[j]):
            changed = True
    return changed


@njit
def needs_shortening(kind: Ints, dof: Ints, limit: Floats, q: Floats) -> bool:
    for j in range(len(kind)):
        if kind[j] == _SPHERICAL:
            i = dof[j]
            if q[i] * q[i] + q[i + 1] * q[i + 1] + q[i + 2] * q[i + 2] > limit[j] * limit[j]:
                return True
    return False


@njit
def near_gimbal_lock(kind: Ints, dof: Ints, may: Mask, chart: Ints, q: Floats) -> bool:
    for j in range(len(kind)):
        lock = kind[j] == _EULER and may[j]
        if lock and spherical_euler.determinant(chart[j], q[dof[j] + 1]) <= spherical_euler.SWITCH_BELOW:
            return True
    return False


@njit
def _convert(old: int, new: int, i: int, q: Floats, qdot: Floats) -> None:
    R = np.empty(9)
    M = spherical_euler.euler_rotation(old, q[i], q[i + 1], q[i + 2])
    for k in range(9):
        R[k] = M[k]
    a, b, c = spherical_euler.euler_columns(old, q[i + 1], q[i + 2])
    w = np.empty(3)
    for k in range(3):
        w[k] = a[k] * qdot[i] + b[k] * qdot[i + 1] + c[k] * qdot[i + 2]
    q[i], q[i + 1], q[i + 2] = spherical_euler.euler_angles(new, R)
    a, b, c = spherical_euler.euler_columns(new, q[i + 1], q[i + 2])
    # S⁻¹ w by Cramer's rule; the chart was chosen to be far from singular.
    bc = (b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0])
    ca = (c[1] * a[2] - c[2] * a[1], c[2] * a[0] - c[0] * a[2], c[0] * a[1] - c[1] * a[0])
    ab = (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    det = a[0] * bc[0] + a[1] * bc[1] + a[2] * bc[2]
    qdot[i] = (w[0] * bc[0] + w[1] * bc[1] + w[2] * bc[2]) / det
    qdot[i + 1] = (w[0] * ca[0] + w[1] * ca[1] + w[2] * ca[2]) / det
    qdot[i + 2] = (w[0] * ab[0] + w[1] * ab[1] + w[2] * ab[2]) / det


@njit
def _switch(
    kind: Ints,
    dof: Ints,
    may: Mask,
    chart: Ints,
    q: Floats,
    qdot: Floats,
    q_before: Floats,
    qdot_before: Floats,
) -> None:
    R = np.empty(9)
    for j in range(len(kind)):
        if kind[j] != _EULER or not may[j]:
            continue
        i = dof[j]
        if spherical_euler.determinant(chart[j], q[i + 1]) > spherical_euler.SWITCH_BELOW:
            continue
        best, best_value = chart[j], -1.0
        for c in range(_NCHARTS):
            M = spherical_euler.euler_rotation(chart[j], q[i], q[i + 1], q[i + 2])
            for k in range(9):
                R[k] = M[k]
            value = spherical_euler.determinant(c, spherical_euler.euler_angles(c, R)[1])
            M = spherical_euler.euler_rotation(chart[j], q_before[i], q_before[i + 1], q_before[i + 2])
            for k in range(9):
                R[k] = M[k]
            value = min(value, spherical_euler.determinant(c, spherical_euler.euler_angles(c, R)[1]))
            if value > best_value:
                best, best_value = c, value
        _convert(chart[j], best, i, q, qdot)
        _convert(chart[j], best, i, q_before, qdot_before)
        chart[j] = best


def leave_singularities(
    model: Model, state: State, before: State | None = None
) -> tuple[State, State | None]:
    """The same motion in coordinates that are safe for the next step; `before` is converted along with it."""
    t = model.tree
    if len(model.let_go[0]):
        state, before = (
            _taken_back(model, state),
            None if before is None else _taken_back(model, before, state.t),
        )
    limits = turn_limits(model, state.t)
    shorten = needs_shortening(t.kind, t.dof, limits, state.q)
    switch = near_gimbal_lock(t.kind, t.dof, model.switchable, state.chart, state.q)
    if not (shorten or switch):
        return state, before
    q, qdot, chart = state.q.copy(), state.qdot.copy(), state.chart.copy()
    previous = state if before is None else before
    q_before, qdot_before = previous.q.copy(), previous.qdot.copy()
    if shorten:
        long = _long_rotations(model, limits, q)
        _shorten(t.kind, t.dof, limits, q, qdot)
        for i, limit in long:
            # Not by its own length: the previous state must take the same turn, and it may be just below the limit.
            spherical.reparameterise(
                q_before, qdot_before, i, min(limit, _length(q_before, i) * (1.0 - 1e-12))
            )
    if switch:
        _switch(t.kind, t.dof, model.switchable, chart, q, qdot, q_before, qdot_before)
    state = replace(state, q=q, qdot=qdot, chart=chart)
    return state, None if before is None else replace(before, q=q_before, qdot=qdot_before, chart=chart)


def _length(q: Floats, i: int) -> float:
    return float(np.linalg.norm(q[i : i + 3]))


def turn_limits(model: Model, t: float) -> Floats:
    """Lengths from which rotation vectors are shortened in a step that begins at time t [s], shape (nl,)."""
    link, span, alone = model.let_go
    if not len(link):
        return model.turn_limit
    now = (span[:, 0] <= t + 1e-9) & (t + 1e-9 < span[:, 1])
    limits = model.turn_limit.copy()
    limits[link[now]] = alone[now]
    return limits


def _taken_back(model: Model, state: State, t: float | None = None) -> State:
    """The same state where a motion that was left takes hold again at time t [s]: rotation vectors that were shortened
    by turns meanwhile are those nearest to their curves."""
    link, span, _ = model.let_go
    t = state.t if t is None else t
    back = link[(np.abs(span[:, 1] - t) < 1e-9) & (model.tree.kind[link] == _SPHERICAL)]
    if not len(back):
        return state
    motion = model.joints.motion
    wanted = dict(zip(motion.target.tolist(), evaluate(motion, t)[:, 0].tolist(), strict=True))
    q, qdot = state.q.copy(), state.qdot.copy()
    S = forward_kinematics(model, state).S
    for i in (int(model.tree.dof[j]) for j in back):
        r, length = q[i : i + 3], _length(q, i)
        goal = np.array([wanted.get(i + k, r[k]) for k in range(3)])
        turns = round((float(r @ goal) / length - length) / (2.0 * np.pi)) if length > 1e-9 else 0
        q[i : i + 3] = r * (1.0 + 2.0 * np.pi * turns / length) if turns else r
    if np.array_equal(q, state.q):
        return state
    turned = forward_kinematics(model, replace(state, q=q)).S
    for i in (int(model.tree.dof[j]) for j in back):
        omega = S[i : i + 3, :3].T @ qdot[i : i + 3]
        qdot[i : i + 3] = np.linalg.solve(turned[i : i + 3, :3].T, omega)
    return replace(state, q=q, qdot=qdot)


def _long_rotations(model: Model, limits: Floats, q: Floats) -> list[tuple[int, float]]:
    """First coordinate and limit of the rotation vectors that are to be shortened."""
    t = model.tree
    ball = np.flatnonzero(t.kind == _SPHERICAL)
    found = [(int(t.dof[j]), float(limits[j])) for j in ball]
    return [(i, limit) for i, limit in found if _length(q, i) > limit]
