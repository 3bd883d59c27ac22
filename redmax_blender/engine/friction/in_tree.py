"""A step with dry friction, motors and stops in the coordinates of a tree, and nothing else that binds it."""

from __future__ import annotations

import numpy as np

from ..constraints.active import ActiveRows
from ..curves import evaluate
from ..jit import njit
from ..model import Floats, Ints, Model
from ..solvers.constrained import Multipliers
from ..solvers.implicit_system import ImplicitSystem
from ..state import Options
from .memory import DryMemory, DryReport
from .momentum import split_right_side
from .parts import Friction
from .staircase import stagger
from .tree_passes import Mask

_NONE: Floats = np.zeros(0)


def applies(model: Model, system: ImplicitSystem, rows: ActiveRows | None) -> bool:
    """Whether the recursion of a tree can do it all: no loops, no springs between links, no balls or plates."""
    return (
        (model.friction is None or model.friction.in_tree)
        and model.reduction is None
        and model.flesh is None
        and system.is_tree
        and (rows is None or bool(rows.inequality.all()))
    )


class Staircases:
    """The steps of all coordinates, sorted by coordinate and by speed; ns of them."""

    def __init__(self, friction: Friction, model: Model, rows: ActiveRows | None, t: float, h: float) -> None:
        rubs, motors = friction.rubs, friction.motors
        nr, nm = len(rubs), len(motors.torque)
        stop_dof, stop_speed, lower = np.zeros(0, np.int64), _NONE, np.zeros(0, bool)
        if rows is not None:
            limits = model.constraints.limits
            which = -1 - rows.owner
            stop_dof, lower = limits.dof[which], limits.side[which] > 0.0
            stop_speed = limits.side[which] * rows.wanted
        push = h * motors.torque
        dof = np.concatenate([rubs.dof, motors.speed.target, stop_dof])
        speed = np.concatenate([np.zeros(nr), evaluate(motors.speed, t)[:, 0] if nm else _NONE, stop_speed])
        up = np.concatenate([np.zeros(nr), push, np.where(lower, np.inf, 0.0)])
        down = np.concatenate([np.zeros(nr), push, np.where(lower, 0.0, np.inf)])
        # at one speed, an upper stop comes after everything else and a lower one before: nothing is beyond them
        rank = np.concatenate([np.ones(nr + nm), np.where(lower, 0.0, 2.0)])
        order = np.lexsort((rank, speed, dof))
        self.order: Ints = order
        self.dof: Ints = dof[order]
        self.speed: Floats = speed[order]
        self.up: Floats = up[order]
        self.down: Floats = down[order]
        self.rub_of: Ints = np.where(order < nr, order, -1)
        self.first: Ints = np.searchsorted(self.dof, np.arange(model.nr + 1))
        self.counts = (nr, nm)


@njit
def _first_guess(
    first: Ints,
    speed: Floats,
    up: Floats,
    down: Floats,
    rub_of: Ints,
    sticks: Mask,
    driven: Mask,
    qdot: Floats,
) -> None:
    """Velocities before the step, at rest where surfaces stick, and within the stops."""
    for k in range(len(qdot)):
        if driven[k]:
            continue
        for i in range(first[k], first[k + 1]):
            if rub_of[i] >= 0 and sticks[rub_of[i]]:
                qdot[k] = 0.0
        for i in range(first[k], first[k + 1]):
            if up[i] == np.inf:
                qdot[k] = max(qdot[k], speed[i])
            elif down[i] == np.inf:
                qdot[k] = min(qdot[k], speed[i])


@njit
def _step_forces(first: Ints, up: Floats, down: Floats, place: Ints, tau: Floats, out: Floats) -> None:
    """The force of each step of the staircases on its coordinate."""
    for k in range(len(place)):
        at = place[k] // 2 if place[k] % 2 == 1 else -1
        passed = place[k] // 2
        rest = tau[k]
        for i in range(first[k], first[k + 1]):
            if i - first[k] != at:
                out[i] = -down[i] if i - first[k] < passed else up[i]
                rest -= out[i]
        if at >= 0:
            out[first[k] + at] = rest


def solve_in_tree(
    model: Model,
    system: ImplicitSystem,
    rows: ActiveRows | None,
    before: Floats,
    t: float,
    options: Options,
    memory: DryMemory,
) -> tuple[Floats, Multipliers | None, DryReport, Floats]:
    """Velocities at the end of a step that ends at time t [s], from those before it; multipliers of stops; and the
    impulses of friction and motors, shape (nr,)."""
    friction = model.friction
    assert friction is not None
    h = options.h
    tree, kin = model.tree, system.kin
    stairs = Staircases(friction, model, rows, t, h)
    rubs = friction.rubs
    memory.prepare(model)
    F, b_r = split_right_side(system, h)
    mass = tree.inertia + system.A_m + system.spring_blocks
    driven = ~system.free
    qdot = np.where(driven, system.known, before)
    place = np.zeros(model.nr, np.int64)
    _first_guess(
        stairs.first, stairs.speed, stairs.up, stairs.down, stairs.rub_of, memory.at_rest, driven, qdot
    )
    wrench, tau = np.empty((model.nl, 6)), np.empty(model.nr)
    sticks = memory.at_rest.copy()
    rounds, passes, change = stagger(
        tree.parent, tree.dof, mass, system.A_r, kin.E_pj, kin.S, F, b_r, driven,
        stairs.first, stairs.speed, stairs.up, stairs.down, stairs.rub_of,
        rubs.shape, rubs.link, rubs.dof, rubs.size, rubs.points, rubs.mu, sticks, memory.bound,
        options.friction_tolerance, options.friction_iterations, place, qdot, wrench, tau,
    )  # fmt: skip
    own = np.empty(len(stairs.dof))
    _step_forces(stairs.first, stairs.up, stairs.down, place, tau, own)
    force = np.empty(len(own))
    force[stairs.order] = own
    nr, nm = stairs.counts
    memory.at_rest = _resting(stairs, place)
    report = DryReport(
        rounds=rounds, passes=passes, change=change, force=np.zeros(model.nr), motor=force[nr : nr + nm] / h
    )
    np.add.at(report.force, rubs.dof, force[:nr] / h)
    pushed = h * report.force
    np.add.at(pushed, friction.motors.speed.target, force[nr : nr + nm])
    multipliers = None if rows is None else _stops(model, rows, force[nr + nm :])
    return qdot, multipliers, report, pushed


def _resting(stairs: Staircases, place: Ints) -> Mask:
    """Which surfaces stick: their coordinate is held at the step that is theirs."""
    nr = stairs.counts[0]
    out = np.zeros(nr, bool)
    held = place[stairs.dof] == 2 * (np.arange(len(stairs.dof)) - stairs.first[stairs.dof]) + 1
    mine = stairs.rub_of >= 0
    out[stairs.rub_of[mine]] = held[mine]
    return out


def _stops(model: Model, rows: ActiveRows, force: Floats) -> Multipliers:
    """Impulses of the stops, in the order and with the signs of their rows."""
    side = model.constraints.limits.side[-1 - rows.owner]
    m = len(rows.owner)
    return Multipliers(side * force, np.eye(m), lambda: np.zeros((m, model.nr)))
