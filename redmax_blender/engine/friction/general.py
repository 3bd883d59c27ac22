"""A step with friction, motors, contacts and constraints of any kind, by the impulses of their rows (paper, §5.3).

In turn: all impulses with the friction bounds of the joints given, from one matrix W = G A⁻¹ Gᵀ; and the bounds, from
what the joints transmit then. The bounds of contacts follow their normal impulses within the first of the two.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..constraints.active import ActiveRows
from ..contact.contacts import Contacts
from ..errors import ConvergenceError
from ..model.records import Floats, Model
from ..model.state import Options
from ..solvers.constrained import LinearSolver, Multipliers, check_consistent
from ..solvers.coupled import Coupled
from ..solvers.implicit_system import ImplicitSystem
from ..solvers.pcg import PCG
from .blocks import Blocks, gather
from .contacts.blows import Blows, aim_blows, ease_blows
from .contacts.bounce import EASED
from .contacts.depenetrate import deepest, parting_impulses
from .contacts.flesh_rows import TOLERANCE, FleshRows, flesh_rows
from .contacts.restart import bounces, do_work, find_afresh, lack
from .contacts.rows import bounce_speed
from .contacts.warm_start import first_guess, keep
from .joints.bounds import JointBounds
from .joints.limits_last import stops_last
from .joints.rounds import count, settle_bounds
from .memory import DryMemory, DryReport
from .response import DenseResponse, Precision, Response, TreeResponse, whole_rows

PART = 0.2
"""Fraction of the depth by which overlapping surfaces come apart in a step."""
LOST = 0.5
"""Residual of the impulses, as a fraction of the largest, with which a step is no step."""
SLOP = 1e-5
"""Depth, as a fraction of the scene's size, that is left alone."""
_SMALLEST = 1e-3
"""And as a fraction of the radius of the smallest thing in it, at most."""


def slop(model: Model) -> float:
    """Depth of overlap that is left alone in a model [m]."""
    size = SLOP * model.constraints.size
    return size if model.contact is None else min(size, _SMALLEST * model.contact.smallest)


@dataclass
class Outcome:
    """Velocities of a step, and what it took."""

    qdot: Floats
    value: Floats
    """Impulses of all rows, shape (m,)."""
    blocks: Blocks
    response: Response
    report: DryReport
    slop: float
    """Depth of overlap that is left as it is [m]."""
    blows: Blows | None = None
    """Null where nothing bounces."""

    def multipliers(self, rows: ActiveRows | None) -> Multipliers | None:
        """Of the constraint rows alone."""
        if rows is None:
            return None
        own = self.blocks.rows
        return Multipliers(self.value[own], self.response.within(own), lambda: self.response.columns(own))

    def part(self, q: Floats) -> Floats:
        """Coordinates moved so that overlapping surfaces come apart by a fraction of their depth.

        Velocities are left alone: what is pushed out of something does not jump out of it.
        """
        contacts = self.report.contacts
        if contacts is None or not deepest(contacts) < -self.slop:
            return q
        value = parting_impulses(self.response, self.blocks, contacts, PART, self.slop)
        return self.response.moved(q, value)

    @property
    def pushed(self) -> Floats:
        """Generalized impulses of all but the constraint rows, shape (nr,)."""
        return self.response.pushed(self.value, self.blocks.rows.stop)


def solve_general(
    model: Model,
    solver: LinearSolver,
    system: ImplicitSystem,
    rows: ActiveRows | None,
    contacts: Contacts | None,
    x: Floats,
    v: Floats,
    t: float,
    options: Options,
    memory: DryMemory,
) -> Outcome:
    """Velocities at the end of a step that ends at time t [s], from the free motion x; v are those of flesh."""
    h = options.h
    kin = system.kin
    blocks = gather(model, kin, rows, contacts, v, t, h, options.boxed_friction)
    response, soft = _respond(solver, system, blocks, contacts, x)
    if soft is not None:
        options = options.with_(
            contact_tolerance=max(options.contact_tolerance, TOLERANCE),
            friction_tolerance=max(options.friction_tolerance, 10.0 * TOLERANCE),
        )
    precision = Precision(
        options.contact_tolerance, options.contact_enough, bounce_speed(model.gravity, options.h)
    )
    value = first_guess(blocks, rows, contacts, memory)
    joints = JointBounds.of(model, system, h, solver if isinstance(solver, Coupled) else None, soft)
    report = DryReport(rounds=1, contacts=contacts)
    blows = None
    if contacts is not None:
        blows = aim_blows(model, blocks, response, contacts, x, h, precision, value)

    def find() -> Floats:
        """Velocities, and impulses into `value`, which comes as a guess."""
        if joints is None:
            count(response.solve(blocks, precision, value.copy(), value), report)
            return response.moved(x, value)
        return settle_bounds(joints, response, blocks, rows, x, memory, options, precision, value, report)

    qdot = find()
    if contacts is not None and blows is not None and joints is None:
        eased = 0
        while eased < EASED and ease_blows(blows, blocks, response, contacts, h, value):
            qdot = find()
            eased += 1
    if contacts is not None and blocks.contact is not None:
        enough, bounce = max(options.contact_enough, options.friction_enough), bounces(blocks, contacts)
        astray = not lack(report) <= enough
        if not astray and soft is None and bounce.any():
            astray = do_work(blocks, response, contacts, x, qdot, value)
        if astray:
            qdot = find_afresh(find, qdot, blocks, response, joints, bounce, enough, value, report)
    if not report.residual <= LOST:
        worst = int(np.argmax(np.abs(qdot))) if np.isfinite(qdot).all() else int(np.argmin(np.isfinite(qdot)))
        raise ConvergenceError(t, model.joint_of(worst), report.residual)
    if rows is not None and report.residual > precision.tolerance:
        qdot = stops_last(response, blocks, x, qdot, value)
    if isinstance(solver, Coupled):
        solver.pushed = None if soft is None else soft.pushed(value[blocks.contacts])
    if rows is not None:
        report.blur = _blur(response.diagonal, response.r, max(precision.tolerance, report.residual))
        check_consistent(model, rows, qdot, x, t, report.blur)
    report.impulse = keep(memory, blocks, rows, contacts, value)
    _tell(model, blocks, value, h, report)
    return Outcome(qdot, value, blocks, response, report, slop(model), blows)


def _respond(
    solver: LinearSolver, system: ImplicitSystem, blocks: Blocks, contacts: Contacts | None, x: Floats
) -> tuple[Response, FleshRows | None]:
    """What impulses do: by paths of the tree where that is all there is to the matrix; by a solve a row elsewhere."""
    if isinstance(solver, PCG) and system.is_tree:
        return TreeResponse.of(system.model, system.preconditioner, blocks, x), None
    G = whole_rows(system, blocks)
    if not isinstance(solver, Coupled) or contacts is None or blocks.contact is None:
        return DenseResponse.of(system.model, solver, blocks, G, x, None), None
    soft = flesh_rows(solver, contacts, blocks.contact.tangent)
    if soft is not None:
        G[blocks.contacts] += soft.G
    out = DenseResponse.of(system.model, solver, blocks, G, x, None if soft is None else soft.W)
    if soft is not None:
        out.r[blocks.contacts] -= soft.alone
    return out, soft


def _blur(diagonal: Floats, r: Floats, tolerance: float) -> float:
    """Velocity that rows may miss where all impulses are solved for to a tolerance [m/s, rad/s]."""
    w = np.sqrt(diagonal)
    moved = w > 0.0
    return 10.0 * tolerance * float((np.abs(r[moved]) / w[moved]).max(initial=0.0) * w.max(initial=0.0))


def _tell(model: Model, blocks: Blocks, value: Floats, h: float, report: DryReport) -> None:
    """Forces, for the report."""
    if model.friction is None:
        report.force = np.zeros(model.nr)
        return
    a, b = blocks.first[blocks.rubs.start], blocks.first[blocks.rubs.stop]
    report.force = value[a:b] @ blocks.others[a:b] / h
    a, b = blocks.first[blocks.stops.start], blocks.first[blocks.stops.stop]
    report.force += value[a:b] @ blocks.others[a:b] / h
    begin = blocks.first[blocks.loops.start : blocks.loops.stop]
    if len(begin):
        end = blocks.first[blocks.loops.stop]
        report.loop_rows = value[begin[0] : end] / h
        report.loop = np.sqrt(np.add.reduceat(report.loop_rows**2, begin - begin[0]))
    a, b = blocks.first[blocks.motors.start], blocks.first[blocks.motors.stop]
    report.motor = value[a:b] / h
