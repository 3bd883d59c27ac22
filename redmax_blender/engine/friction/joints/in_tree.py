"""A step with dry friction, motors and stops in the coordinates of a tree, and nothing else that binds it."""

from __future__ import annotations

import numpy as np

from ...constraints.active import ActiveRows
from ...jit.decorators import njit
from ...model.curves import evaluate
from ...model.records import Floats, Ints, Model
from ...model.state import Options
from ...solvers.constrained import Multipliers
from ...solvers.implicit_system import ImplicitSystem
from ...tree.momentum import split_right_side
from ...tree.passes import Mask
from ..memory import DryMemory, DryReport
from .active_rows import build_stairs, resting, source_forces
from .active_set import stagger
from .sources import Sources

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


@njit
def _solve(
    parent: Ints,
    dof: Ints,
    mass: Floats,
    A_r: Floats,
    E_pj: Floats,
    S: Floats,
    F: Floats,
    b_r: Floats,
    driven: Mask,
    first: Ints,
    source: Ints,
    push: Floats,
    motor_speed: Floats,
    side: Floats,
    stop_speed: Floats,
    holds: Mask,
    shape: Ints,
    link: Ints,
    rub_dof: Ints,
    size: Floats,
    points: int,
    mu: Floats,
    sticks: Mask,
    bound: Floats,
    tolerance: float,
    most: int,
    qdot: Floats,
    force: Floats,
) -> tuple[int, int, float]:
    """Velocities, the force of every source (ns,), bounds and what sticks; see `stagger`."""
    ns, nr = len(source), len(qdot)
    order, rub_of, place = np.empty(ns, np.int64), np.empty(ns, np.int64), np.empty(nr, np.int64)
    speed, up, down = np.empty(ns), np.empty(ns), np.empty(ns)
    wrench, tau = np.empty((len(parent), 6)), np.empty(nr)
    build_stairs(
        first, source, push, motor_speed, side, stop_speed, holds, len(link), order, speed, up, down, rub_of
    )
    found = stagger(
        parent, dof, mass, A_r, E_pj, S, F, b_r, driven, first, speed, up, down, rub_of,
        shape, link, rub_dof, size, points, mu, sticks, bound, tolerance, most, place, qdot, wrench, tau,
    )  # fmt: skip
    source_forces(first, up, down, order, place, tau, force)
    resting(first, rub_of, place, sticks)
    return found


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
    h, tree, kin, limits = options.h, model.tree, system.kin, model.constraints.limits
    rubs, motors, sources = friction.rubs, friction.motors, model.sources
    memory.prepare(model)
    F, b_r = split_right_side(system, h)
    mass = tree.inertia + system.A_m
    if system.springs is not None:
        mass += system.spring_blocks
    holds, stop_speed = np.zeros(sources.stops, bool), np.zeros(sources.stops)
    if rows is not None:
        which = -1 - rows.owner
        holds[which] = True
        stop_speed[which] = limits.side[which] * rows.wanted
    driven = ~system.free
    qdot = np.where(driven, system.known, before)
    force = np.empty(len(sources))
    memory.at_rest = memory.at_rest.copy()
    rounds, passes, change = _solve(
        tree.parent, tree.dof, mass, system.A_r, kin.E_pj, kin.S, F, b_r, driven, sources.first, sources.source,
        h * motors.torque, evaluate(motors.speed, t)[:, 0] if sources.motors else _NONE, limits.side, stop_speed,
        holds, rubs.shape, rubs.link, rubs.dof, rubs.size, rubs.points, rubs.mu, memory.at_rest, memory.bound,
        options.friction_tolerance, options.friction_iterations, qdot, force,
    )  # fmt: skip
    report = DryReport(rounds=rounds, passes=passes, change=change)
    pushed = tell(model, sources, force, h, report)
    multipliers = None
    if rows is not None:
        multipliers = _stops(model, rows, force[sources.rubs + sources.motors :])
    return qdot, multipliers, report, pushed


def tell(model: Model, sources: Sources, force: Floats, h: float, report: DryReport) -> Floats:
    """Forces of friction and motors, for the report; returns their impulses, shape (nr,)."""
    inner = sources.rubs + sources.motors
    report.force = _by_coordinate(sources.dof[: sources.rubs], force[: sources.rubs] / h, model.nr)
    report.motor = force[sources.rubs : inner] / h
    return _by_coordinate(sources.dof[:inner], force[:inner], model.nr)


def _by_coordinate(dof: Ints, value: Floats, nr: int) -> Floats:
    """Sums of the values of each coordinate, shape (nr,)."""
    return np.asarray(np.bincount(dof, value, nr), np.float64)


def _stops(model: Model, rows: ActiveRows, force: Floats) -> Multipliers:
    """Impulses of the stops, in the order and with the signs of their rows."""
    which = -1 - rows.owner
    m = len(rows.owner)
    return Multipliers(
        model.constraints.limits.side[which] * force[which], np.eye(m), lambda: np.zeros((m, model.nr))
    )
