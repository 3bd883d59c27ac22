"""Accelerations at a moment, and the forces that constraints need for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from ..constraints.active import gear_rows, is_active, reduced_rows
from ..constraints.rows import RowState, evaluate_rows
from ..contact.contacts import Contacts
from ..forces.applied import applied_wrenches
from ..forces.drag import drag_wrenches
from ..forces.joint import joint_force, motion_modes
from ..model.records import PRESCRIBED, Floats, Ints, Model
from ..solvers.constrained import solve_equalities
from ..tree.kinematics import Kinematics
from ..tree.recursive import inverse_dynamics, mass_times
from .moment import Moment, takes_hold
from .muscles import muscle_wrenches


@dataclass(frozen=True)
class Motion:
    """How everything accelerates, and what does it."""

    qddot: Floats
    """[rad/s², m/s²], shape (nr,)."""
    wrenches: Floats
    """Of all that acts on links from outside, loops and contacts included, but not of gravity, in joint frames [N·m,
    N], shape (nl, 6)."""
    rows: RowState | None
    index: Ints
    """Which of the maximal rows hold, shape (mm,)."""
    force: Floats
    """Of each of them [N, N·m], shape (mm,)."""
    gears: Ints
    """Which gears hold."""
    gear_force: Floats
    """Of each of them: times its factors it is the force in its coordinates, shape (len(gears),)."""


def accelerate(now: Moment) -> Motion:
    """What the equations of motion say, with the equality constraints at the level of accelerations."""
    m, state, kin = now.model, now.state, now.kin
    wrenches = applied_wrenches(m, kin, state.t) + muscle_wrenches(m, state, kin) + now.loop_friction()
    if m.tree.damping.any():
        wrenches += drag_wrenches(m, kin.V)
    if now.contacts is not None:
        wrenches += contact_wrenches(m, kin, *now.contacts)
    tau = joint_force(m, state, now.control) + now.dry_forces()
    rows, index, g, wanted, gears = _equalities(now)
    qddot, P = _prescribed(now)
    M = np.array([mass_times(m, kin, e) for e in np.eye(m.nr)]).reshape(m.nr, m.nr)
    f = tau - inverse_dynamics(m, kin, state.qdot, np.zeros(m.nr), wrenches) - M @ qddot
    A, GP = P.T @ M @ P, g @ P
    z, columns = _solve(A, P.T @ f), _solve(A, GP.T)
    if now.rows is not None and takes_hold(m, state.t, now.h):
        active, force = now.rows
        value = force[~active.inequality]
    else:
        value = solve_equalities(GP @ columns, wanted - g @ qddot - GP @ z) if len(wanted) else wanted
    qddot = qddot + P @ (z + columns @ value)
    force = value[: len(index)]
    if rows is not None:
        for side in range(2):
            held = rows.link[index, side] >= 0
            which = index[held]
            np.add.at(wrenches, rows.link[which, side], force[held, None] * rows.G[which, side])
    return Motion(qddot, wrenches, rows, index, force, gears, value[len(index) :])


def _equalities(now: Moment) -> tuple[RowState | None, Ints, Floats, Floats, Ints]:
    """Maximal rows, which of them hold, all equality rows in coordinates, the accelerations along them, and gears."""
    m, state, kin = now.model, now.state, now.kin
    c = m.constraints
    on = is_active(c, state.t + now.h)
    rows, index = None, np.zeros(0, np.int64)
    G, wanted = [np.zeros((0, m.nr))], [np.zeros(0)]
    if len(c.rows.type):
        rows = evaluate_rows(c.rows, state.t, kin)
        index = np.flatnonzero(on[c.rows.owner])
        G.append(reduced_rows(m, kin, rows, index))
        wanted.append((rows.target_rate - rows.bias)[index])
    gears = np.flatnonzero(on[c.gears.owner]) if len(c.gears.offset) else np.zeros(0, np.int64)
    if len(gears):
        G.append(gear_rows(m, state.q, gears)[0])
        wanted.append(np.zeros(len(gears)))
    return rows, index, np.vstack(G), np.concatenate(wanted), gears


def _prescribed(now: Moment) -> tuple[Floats, Floats]:
    """Accelerations of prescribed coordinates, zero elsewhere, (nr,); and the directions that are free, (nr, n)."""
    m, target = now.model, now.model.joints.motion.target
    qddot, free = np.zeros(m.nr), np.ones(m.nr, bool)
    if len(target):
        held = motion_modes(m, now.state.t + now.h) == PRESCRIBED
        free[target[held]] = False
        qddot[target[held]] = now.control.motion[held, 2]
    if m.reduction is None:
        return qddot, np.eye(m.nr)[:, free]
    led = np.any((m.reduction != 0.0) & ~free[:, None], axis=0)
    return qddot, m.reduction[:, ~led]


def _solve(A: Floats, b: Floats) -> Floats:
    """A⁻¹ b; the least of all solutions where A cannot move something."""
    if not len(A):
        return np.zeros(b.shape)
    try:
        return np.asarray(scipy.linalg.solve(A, b, assume_a="pos"))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(A, b, rcond=None)[0])


def contact_wrenches(model: Model, kin: Kinematics, contacts: Contacts, force: Floats) -> Floats:
    """Wrenches on the links, in joint frames, of forces on the first sides of contacts [N], shape (nl, 6)."""
    F: Floats = np.zeros((model.nl, 6))
    for side, sign in ((0, 1.0), (1, -1.0)):
        links = contacts.link[:, side]
        mine = links >= 0
        R = kin.E_wj[links[mine], :9].reshape(-1, 3, 3)
        f = sign * np.einsum("cij,ci->cj", R, force[mine])
        arm = np.einsum("cij,ci->cj", R, contacts.x[mine, side] - kin.E_wj[links[mine], 9:])
        np.add.at(F, links[mine], np.concatenate([np.cross(arm, f), f], axis=1))
    return F
