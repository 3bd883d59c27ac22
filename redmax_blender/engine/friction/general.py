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
from ..model import Floats, Ints, Model
from ..solvers.constrained import LinearSolver, Multipliers, check_consistent
from ..solvers.coupled import Coupled
from ..solvers.direct import Direct
from ..solvers.implicit_system import ImplicitSystem
from ..solvers.pcg import PCG
from ..solvers.tree_solve import push_rows
from ..state import Options
from .blocks import Blocks, gather, movable_islands
from .dual import PUSH, solve_blocks
from .flesh_rows import flesh_rows
from .joint_rows import joint_loads
from .loop_rows import loop_loads
from .memory import DryMemory, DryReport
from .momentum import link_impulses
from .parts import Friction
from .warm_start import first_guess, keep

_PART = 0.2
"""Fraction of the depth by which overlapping surfaces come apart in a step."""
_EFFORT = 3000
"""Newton steps and sweeps after which the bounds of joints are left as they are."""
_LOST = 0.5
"""Residual of the impulses, as a fraction of the largest, with which a step is no step."""
_SLOP = 1e-5
"""Depth, as a fraction of the scene's size, that is left alone."""


@dataclass
class Response:
    """What impulses of rows do to velocities."""

    solver: LinearSolver
    system: ImplicitSystem
    G: Floats
    W: Floats
    columns: Floats | None
    """A⁻¹ Gᵀ where it was needed for W, shape (m, nr)."""

    def change(self, value: Floats) -> Floats:
        """A⁻¹ Gᵀ value, shape (nr,)."""
        if self.columns is not None:
            return np.asarray(value @ self.columns)
        assert isinstance(self.solver, PCG)
        return np.asarray(self.solver.solve_rows((value @ self.G)[None])[0])


def response_of(solver: LinearSolver, system: ImplicitSystem, G: Floats) -> Response:
    """W by paths of the tree where that is all there is to the matrix; by a solve a row elsewhere."""
    m = len(G)
    if isinstance(solver, PCG) and system.is_tree:
        f, t = system.preconditioner, system.model.tree
        W: Floats = np.empty((m, m))
        size = G.size
        push_rows(
            t.parent, t.dof, f.E_pj, f.S, f.U, f.D, f.free, np.ascontiguousarray(G), np.empty(m + 1, np.int64),
            np.empty(size, np.int64), np.empty(size), np.empty(size), W,
        )  # fmt: skip
        return Response(solver, system, G, W, None)
    if isinstance(solver, Direct | PCG):
        columns = solver.solve_rows(G)
    else:
        columns = np.array([solver.solve(g) for g in G]).reshape(m, -1)
    W = G @ columns.T
    return Response(solver, system, G, 0.5 * (W + W.T), columns)


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

    def multipliers(self, rows: ActiveRows | None) -> Multipliers | None:
        """Of the constraint rows alone."""
        if rows is None:
            return None
        own = self.blocks.rows
        columns, solver, G = self.response.columns, self.response.solver, rows.G
        if columns is not None:
            mine = columns[own]
            return Multipliers(self.value[own], self.response.W[own, own], lambda: mine)
        assert isinstance(solver, PCG)
        return Multipliers(self.value[own], self.response.W[own, own], lambda: solver.solve_rows(G))

    def part(self, q: Floats) -> Floats:
        """Coordinates moved so that overlapping surfaces come apart by a fraction of their depth.

        Velocities are left alone: what is pushed out of something does not jump out of it.
        """
        contacts, blocks = self.report.contacts, self.blocks
        if contacts is None:
            return q
        hard = np.all(contacts.tet < 0, axis=1)
        if not np.any(hard & (contacts.gap < -self.slop)):
            return q
        normal = np.arange(blocks.contacts.start, blocks.contacts.stop, 3)
        own = np.concatenate([np.arange(blocks.rows.stop), normal])
        depth = np.zeros(len(own))
        depth[blocks.rows.stop :] = np.where(hard, np.maximum(_PART * (-contacts.gap - self.slop), 0.0), 0.0)
        depth[blocks.rows.stop :] -= np.maximum(contacts.gap, 0.0)
        size = len(own)
        kind = np.concatenate([blocks.kind[: blocks.rows.stop], np.full(len(normal), PUSH)])
        value = np.zeros(size)
        solve_blocks(
            np.ascontiguousarray(self.response.W[np.ix_(own, own)]), depth, np.arange(size + 1), kind, np.zeros(size),
            np.full(size, -1), np.zeros(size, np.int64), 1, 1e-3, np.zeros(size), value.copy(), value,
        )  # fmt: skip
        whole = np.zeros(len(self.value))
        whole[own] = value
        return np.asarray(q + self.response.change(whole))

    @property
    def pushed(self) -> Floats:
        """Generalized impulses of all but the constraint rows, shape (nr,)."""
        end = self.blocks.rows.stop
        return np.asarray(self.value[end:] @ self.blocks.G[end:])


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
    soft = None
    if isinstance(solver, Coupled) and contacts is not None and blocks.contact is not None:
        soft = flesh_rows(solver, contacts, blocks.contact.tangent)
    if soft is not None:
        blocks.G[blocks.contacts] += soft.G
    response = response_of(solver, system, blocks.G)
    W = response.W
    r = blocks.wanted - blocks.G @ x
    if soft is not None:
        W[blocks.contacts, blocks.contacts] += soft.W
        r[blocks.contacts] -= soft.alone
    island, count = movable_islands(model, blocks, W)
    value = first_guess(blocks, rows, contacts, memory)
    near = value.copy()
    friction = model.friction
    joints = friction is not None and (len(friction.rubs) or len(friction.loops)) > 0
    F = link_impulses(system, h) if joints else None
    report = DryReport(contacts=contacts)
    qdot = x
    for round_ in range(1, options.friction_iterations + 1):
        report.rounds = round_
        steps, sweeps, report.residual, report.shift = solve_blocks(
            W, r, blocks.first, blocks.kind, blocks.mu, blocks.normal, island, count, options.contact_tolerance,
            blocks.bound, near, value,
        )  # fmt: skip
        report.passes += steps
        report.sweeps += sweeps
        qdot = x + response.change(value)
        if friction is None or F is None:
            break
        report.change = _update_bounds(
            model, friction, system, F, rows, blocks, value, qdot, memory, round_, options.friction_tolerance
        )
        if not report.change > options.friction_tolerance or report.passes + report.sweeps > _EFFORT:
            break
    if not report.residual <= _LOST:
        worst = int(np.argmax(np.abs(qdot))) if np.isfinite(qdot).all() else int(np.argmin(np.isfinite(qdot)))
        raise ConvergenceError(t, model.joint_of(worst), report.residual)
    if isinstance(solver, Coupled):
        solver.pushed = None if soft is None else soft.pushed(value[blocks.contacts])
    if rows is not None:
        report.blur = _blur(W, r, max(options.contact_tolerance, report.residual))
        check_consistent(model, rows, qdot, x, t, report.blur)
    keep(memory, blocks, rows, contacts, value)
    _tell(model, blocks, value, h, report)
    return Outcome(qdot, value, blocks, response, report, _SLOP * model.constraints.size)


def _blur(W: Floats, r: Floats, tolerance: float) -> float:
    """Velocity that rows may miss where all impulses are solved for to a tolerance [m/s, rad/s]."""
    w = np.sqrt(np.diagonal(W))
    moved = w > 0.0
    return 10.0 * tolerance * float((np.abs(r[moved]) / w[moved]).max(initial=0.0) * w.max(initial=0.0))


def _update_bounds(
    model: Model,
    friction: Friction,
    system: ImplicitSystem,
    F: Floats,
    rows: ActiveRows | None,
    blocks: Blocks,
    value: Floats,
    qdot: Floats,
    memory: DryMemory,
    round_: int,
    tolerance: float,
) -> float:
    """Bounds of joints and loops from what they transmit; the largest change, as a fraction of the largest bound."""
    pushes: list[tuple[Ints, Floats, Floats]] = []
    if rows is not None and rows.maximal is not None:
        index = rows.index
        pushes.append((rows.maximal.link[index], rows.maximal.G[index], value[: len(index)]))
    if blocks.loop is not None and len(blocks.loop[0]):
        a, b = blocks.first[blocks.loops.start], blocks.first[blocks.loops.stop]
        pushes.append((*blocks.loop, value[a:b]))
    if blocks.contact is not None:
        pushes.append((blocks.contact.link, blocks.contact.G, value[blocks.contacts]))
    load = np.concatenate(
        [
            joint_loads(model, system, friction.rubs, F, pushes, qdot),
            loop_loads(friction.loops, rows, value),
        ]
    )
    own = slice(blocks.rubs.start, blocks.loops.stop)
    first = blocks.first[own.start : own.stop]
    mu = np.concatenate([friction.rubs.mu, friction.loops.mu])
    now = np.where(memory.at_rest, mu[:, 1], mu[:, 0]) * load
    largest = float(now.max(initial=0.0))
    change = float(np.abs(now - blocks.bound[own]).max(initial=0.0))
    # where a joint is near to locking itself the two projections overshoot each other
    blocks.bound[own] = now if round_ <= 10 else 0.5 * (now + blocks.bound[own])
    change = change / largest if largest > 0.0 else 0.0
    if change <= tolerance:
        slides = np.abs(blocks.G[first] @ qdot) > 1e-9 * (float(np.abs(qdot).max(initial=0.0)) + 1e-12)
        if np.any(memory.at_rest & slides & (mu[:, 0] != mu[:, 1])):
            change = 1.0  # the coefficient of motion counts from now on
            memory.at_rest &= ~slides
        else:
            memory.at_rest = ~slides
    return change


def _tell(model: Model, blocks: Blocks, value: Floats, h: float, report: DryReport) -> None:
    """Forces, for the report."""
    a, b = blocks.first[blocks.rubs.start], blocks.first[blocks.rubs.stop]
    report.force = value[a:b] @ blocks.G[a:b] / h
    a, b = blocks.first[blocks.motors.start], blocks.first[blocks.motors.stop]
    report.motor = value[a:b] / h
    if blocks.contact is not None and report.contacts is not None:
        own = value[blocks.contacts].reshape(-1, 3)
        t = blocks.contact.tangent
        report.impulse = own[:, :1] * report.contacts.normal + own[:, 1:2] * t[:, 0] + own[:, 2:] * t[:, 1]
