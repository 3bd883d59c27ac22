"""What acts in the joints' own coordinates, backwards."""

from __future__ import annotations

import numpy as np

from ..forces.joint import motion_modes
from ..model.curves import evaluate, evaluate_each
from ..model.records import GUIDED, PRESCRIBED, Ints, Model
from .bars import JointBars
from .curves import add_curves
from .tree import CoordinateBars, Motion


def held_motions(model: Model, t: float) -> Ints:
    """Numbers of the motions that are prescribed at the end of a step, at time t [s]."""
    return np.asarray(np.flatnonzero(motion_modes(model, t) == PRESCRIBED))


def add_joint_forces(
    model: Model, m: Motion, t: float, h: float, out: CoordinateBars, bars: JointBars
) -> None:
    """Add the derivatives of ψ = λ·(-force) at time t [s].

    h is zero where all is implicit: then dampers are at qdot. Otherwise, in a linearly implicit step of h [s], springs
    are at q with h times their slope at the velocities `after`, and dampers are at these.
    """
    joints = model.joints
    late = h > 0.0
    lam = m.lam
    stretch = m.q - joints.rest
    implicit = np.ones(model.nr, bool)
    if not late:
        implicit[:] = False
    elif joints.explicit is not None:
        implicit = ~joints.explicit
    at_end = np.where(implicit, m.after, m.qdot)  # the velocities that dampers see
    end_bar = np.zeros(model.nr)

    # the linear springs and dampers
    k, d = joints.stiffness, joints.damping
    out.lam[:] += k * stretch + d * at_end
    out.q[:] += k * lam
    end_bar += d * lam
    bars.stiffness += lam * stretch
    bars.rest -= k * lam
    bars.damping += lam * at_end
    stiffness = k.copy()
    if joints.profile is not None:
        of = joints.profile.target
        pull = evaluate_each(joints.profile, stretch[of])
        np.add.at(out.lam, of, pull[:, 0])
        np.add.at(out.q, of, pull[:, 1] * lam[of])
        np.add.at(bars.rest, of, -pull[:, 1] * lam[of])
        stiffness[of] += pull[:, 1]
    stops = []
    for row, (dof, lower, upper, k_stop, c_stop) in enumerate(joints.stops):
        i = int(dof)
        beyond = min(m.q[i] - lower, 0.0) + max(m.q[i] - upper, 0.0)
        if beyond == 0.0:
            continue
        # Springy limits are in the matrix even where the joint's own spring is not.
        speed = m.after[i] if late else m.qdot[i]
        out.lam[i] += k_stop * beyond + c_stop * speed
        out.q[i] += k_stop * lam[i]
        (out.after if late else out.qdot)[i] += c_stop * lam[i]
        side = 1 if m.q[i] < lower else 2
        bars.stops[row, side] -= k_stop * lam[i]
        bars.stops[row, 3] += beyond * lam[i]
        bars.stops[row, 4] += speed * lam[i]
        stops.append((row, i, k_stop))

    tau = np.zeros(model.nr)
    if len(joints.torque):
        np.add.at(tau, joints.torque.target, evaluate(joints.torque, t)[:, 0])
        add_curves(joints.torque, t, -lam[joints.torque.target], None, bars.torque)
    out.lam[:] -= tau
    guided = []
    if len(joints.motion):
        values = evaluate(joints.motion, t)
        led = np.flatnonzero(motion_modes(model, t) == GUIDED)
        value, rate = np.zeros(len(joints.motion)), np.zeros(len(joints.motion))
        for n in led:
            i = joints.motion.target[n]
            k_g, c_g = joints.guide[n]
            gap, l = values[n, 0] - m.q[i], lam[i]
            speed = m.after[i] if late else m.qdot[i]
            out.lam[i] -= k_g * gap + c_g * (values[n, 1] - speed)
            out.q[i] += k_g * l
            (out.after if late else out.qdot)[i] += c_g * l
            value[n], rate[n] = -k_g * l, -c_g * l
            bars.guide[n, 0] -= gap * l
            bars.guide[n, 1] -= (values[n, 1] - speed) * l
            guided.append((n, i, k_g))
        add_curves(joints.motion, t, value, rate, bars.motion)

    profile_bar = np.zeros(model.nr)
    if late:
        # h max(K, 0) after: the sum counts, in which own springs have a part where they are implicit
        total = np.where(implicit, stiffness, 0.0)
        for _, i, k_stop in stops:
            total[i] += k_stop
        for _, i, k_g in guided:
            total[i] += k_g
        counts = total > 0.0
        push = np.where(counts, h * m.after * lam, 0.0)
        out.lam[:] += np.where(counts, h * total * m.after, 0.0)
        out.after[:] += np.where(counts, h * total * lam, 0.0)
        bars.stiffness += np.where(implicit, push, 0.0)
        for row, i, _ in stops:
            bars.stops[row, 3] += push[i]
        for n, i, _ in guided:
            bars.guide[n, 0] += push[i]
        profile_bar = np.where(implicit, push, 0.0)
    if joints.profile is not None:
        of = joints.profile.target
        curved = evaluate_each(joints.profile, stretch[of])[:, 2] * profile_bar[of]
        np.add.at(out.q, of, curved)
        np.add.at(bars.rest, of, -curved)
        add_curves(joints.profile, stretch[of], lam[of], profile_bar[of], bars.profile)
    out.after[:] += np.where(implicit, end_bar, 0.0)
    out.qdot[:] += np.where(implicit, 0.0, end_bar)
