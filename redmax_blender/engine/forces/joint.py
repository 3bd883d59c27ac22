"""What acts in the joints' own coordinates: torques, springs, dampers, springy stops, motions.

All of it is diagonal: a force, a stiffness -∂f/∂q and a damping -∂f/∂qdot for each coordinate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..model.curves import Curves, evaluate, evaluate_each
from ..model.records import GUIDED, PRESCRIBED, Floats, Ints, Model
from ..model.state import Control, State

_GAUSS_X, _GAUSS_W = np.polynomial.legendre.leggauss(16)  # type: ignore[no-untyped-call]


@dataclass(frozen=True)
class JointAction:
    """At one state and time. Shapes (nr,)."""

    force: Floats
    """Without the dampers, whose force is -damping · qdot [N·m, N]."""
    stiffness: Floats
    damping: Floats
    K: Floats
    """The part of the stiffness that the matrix of the implicit step has."""
    D: Floats
    """The part of the damping, likewise."""
    free: NDArray[np.bool_]
    """False for coordinates that are prescribed now."""
    known: Floats
    """Velocity of the prescribed coordinates, zero elsewhere."""
    landing: Floats
    """Where the prescribed coordinates are at the end of the step, zero elsewhere."""


def motion_modes(model: Model, t: float) -> Ints:
    """The mode of every motion at time t [s]."""
    joints = model.joints
    if not joints.switches:
        return np.zeros(len(joints.motion.target), np.int64)
    return np.array([_mode(s, t) for s in joints.switches], np.int64)


def _mode(switches: tuple[tuple[float, int, float], ...], t: float) -> int:
    mode = PRESCRIBED
    for time, new, _ in switches:
        # A step that ends at the time of a switch is still the old mode's.
        if t > time + 1e-9:
            mode = new
    return mode


def joint_action(
    model: Model, state: State, control: Control, h: float = 0.0, stabilisation: float | None = None
) -> JointAction:
    """For a step of h [s] that ends at control.t; with h = 0 at one time, without `known` and `landing`."""
    joints = model.joints
    stretch = state.q - joints.rest
    force = control.tau - joints.stiffness * stretch
    stiffness, damping = joints.stiffness.copy(), joints.damping.copy()
    if joints.profile is not None:
        d = joints.profile.target
        pull = evaluate_each(joints.profile, stretch[d])
        force[d] -= pull[:, 0]
        stiffness[d] += pull[:, 1]
    outside = np.zeros((2, model.nr))
    if joints.explicit is not None:
        outside = np.where(joints.explicit, [stiffness, damping], 0.0)
    for dof, lower, upper, k, c in joints.stops:
        i = int(dof)
        beyond = min(state.q[i] - lower, 0.0) + max(state.q[i] - upper, 0.0)
        if beyond != 0.0:
            force[i] -= k * beyond
            stiffness[i] += k
            damping[i] += c
    free, known, landing = joints.free, np.zeros(model.nr), np.zeros(model.nr)
    if len(joints.motion):
        modes = motion_modes(model, control.t)
        target = joints.motion.target
        value, rate = control.motion[:, 0], control.motion[:, 1]
        free = np.ones(model.nr, bool)
        held = modes == PRESCRIBED
        d = target[held]
        free[d] = False
        gap = value - state.q[target]
        if h > 0.0 and stabilisation is not None:
            known[d] = (rate + stabilisation * gap)[held]
            landing[d] = state.q[d] + h * known[d]
        elif h > 0.0:
            known[d], landing[d] = _follow(model, state, control, h, held)
        led = modes == GUIDED
        if led.any():
            g = target[led]
            k, c = joints.guide[led].T
            force[g] += k * gap[led] + c * rate[led]
            stiffness[g] += k
            damping[g] += c
    K, D = stiffness - outside[0], damping - outside[1]
    return JointAction(force, stiffness, damping, K, D, free, known, landing)


def _follow(
    model: Model, state: State, control: Control, h: float, held: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Velocities of held coordinates over a step of h [s], and where they end up.

    They are on their curves at the end of the step, and move as fast as these do: one that was away from its curve is
    put there without the speed that the way would need in a step. One that comes back over some time is on a cubic
    from where it is and how it moves now to the curve and its rate. One that is let go at the end of the step has the
    curve's rate there, which it keeps: the step's mean is that of half a step before.
    """
    joints = model.joints
    target = joints.motion.target[held]
    before = evaluate(joints.motion, state.t)[held]
    landing = control.motion[held, 0].copy()
    known = (landing - before[:, 0]) / h
    if joints.switches:
        for i, motion in enumerate(np.flatnonzero(held)):
            left = _time_left(joints.switches[motion], state.t, control.t)
            if left > 0.0:
                d = target[i]
                earlier = state.q[d] - h * state.qdot[d] - evaluate(joints.motion, state.t - h)[motion, 0]
                landing[i] += approach(float(state.q[d] - before[i, 0]), float(earlier), left, h)
                known[i] = (landing[i] - state.q[d]) / h
        leaving = motion_modes(model, control.t + 2e-9)[held] != PRESCRIBED
        if leaving.any():
            # From the left: the curve may do something else afterwards.
            known[leaving] = evaluate(joints.motion, control.t - 1e-9)[held][leaving, 1]
    return known, landing


def _time_left(switches: tuple[tuple[float, int, float], ...], start: float, end: float) -> float:
    """Time [s] that is left at `start` for coming back onto the curve, in a step until `end`; zero for none."""
    left = 0.0
    for time, _, over in switches:
        if end > time + 1e-9:
            left = time + over - start if over > 0.0 else 0.0
    return left if left > 1e-9 else 0.0


def approach(gap: float, earlier: float, left: float, h: float) -> float:
    """What is left of a gap after h [s], on its way to zero, and to rest, within the time `left` [s].

    The way is the cubic (t - t_end)² (a + b (t - t_end)) through the gap as it is and as it was h [s] earlier, which
    every step finds again: no plan has to be remembered.
    """
    if h >= left:
        return 0.0
    return (left - h) ** 2 * (2.0 * gap / left**2 - earlier / (left + h) ** 2)


def joint_force(model: Model, state: State, control: Control) -> Floats:
    """Total generalized force in each coordinate [N·m, N], shape (nr,)."""
    action = joint_action(model, state, control)
    return action.force - action.damping * state.qdot


def joint_spring_energy(model: Model, state: State) -> float:
    """Energy of springs and springy stops [J]. A guide has none: it follows a moving target."""
    joints = model.joints
    stretch = state.q - joints.rest
    energy = 0.5 * float(np.sum(joints.stiffness * stretch * stretch))
    if joints.profile is not None:
        energy += float(sum(_profile_energy(joints.profile, i, stretch) for i in range(len(joints.profile))))
    for dof, lower, upper, k, _ in joints.stops:
        q = state.q[int(dof)]
        beyond = min(q - lower, 0.0) + max(q - upper, 0.0)
        energy += 0.5 * float(k * beyond * beyond)
    return energy


def _profile_energy(profile: Curves, i: int, stretch: Floats) -> float:
    """∫ of curve i from 0 to the stretch of its coordinate, piece by piece, so that Gauss' rule meets no kink."""
    end = float(stretch[profile.target[i]])
    low, high = min(0.0, end), max(0.0, end)
    kinks = profile.until[profile.first[i] : profile.first[i + 1] - 1]
    marks = [low, *sorted(float(k) for k in kinks if low < k < high), high]
    total = 0.0
    for a, b in zip(marks[:-1], marks[1:], strict=True):
        for x, w in zip(_GAUSS_X, _GAUSS_W, strict=True):
            at = np.full(len(profile), 0.5 * (a + b) + 0.5 * (b - a) * x)
            total += 0.5 * (b - a) * w * float(evaluate_each(profile, at)[i, 0])
    return total if end >= 0.0 else -total
