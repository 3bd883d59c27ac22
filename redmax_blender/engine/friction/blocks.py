"""All rows of a step with friction, motors and contacts, in blocks for `impulses.dense.solve_blocks`."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..constraints.active import ActiveRows, reduced_rows
from ..constraints.rows import RowState
from ..contact.contacts import Contacts
from ..impulses.dense import BOX, DISC, EQUAL, PUSH
from ..model.curves import evaluate
from ..model.records import Floats, Ints, Model
from ..tree.kinematics import Kinematics
from .contacts.blocks import contact_blocks
from .contacts.rows import ContactRows, contact_rows
from .joints.limit_rows import stop_rows
from .joints.loop_rows import loop_rows
from .joints.rows import rub_rows

_NONE: Floats = np.zeros(0)


@dataclass
class Blocks:
    """m rows in nb blocks: constraints and limits first, then joints, loops, motors, and contacts."""

    others: Floats
    """Rows that are not of contacts, in reduced coordinates, shape (mo, nr)."""
    wanted: Floats
    """shape (m,)."""
    first: Ints
    """Block b has the rows first[b]:first[b+1], shape (nb+1,)."""
    kind: Ints
    """shape (nb,)."""
    mu: Floats
    """shape (nb,)."""
    normal: Ints
    """Row whose impulse times μ is the bound of a block, -1 for none, shape (nb,)."""
    bound: Floats
    """shape (nb,)."""
    rows: slice
    """Rows of constraints and limits."""
    rubs: slice
    """Blocks of joints."""
    loops: slice
    """Blocks of loops."""
    motors: slice
    """Blocks of motors, a row each."""
    contacts: slice
    """Rows of contacts, three each."""
    contact: ContactRows | None
    loop: tuple[Ints, Floats] | None
    """Links and derivatives of the rows of loops, in maximal coordinates."""
    stops: slice = field(default_factory=lambda: slice(0, 0))
    """Blocks of what rubs at stops, a row each."""


@dataclass
class _Builder:
    G: list[Floats] = field(default_factory=list)
    wanted: list[Floats] = field(default_factory=list)
    size: list[Ints] = field(default_factory=list)
    kind: list[Ints] = field(default_factory=list)
    bound: list[Floats] = field(default_factory=list)
    m: int = 0
    nb: int = 0

    def add(self, G: Floats, wanted: Floats, size: Ints, kind: Ints, bound: Floats) -> tuple[slice, slice]:
        """The rows and the blocks that these are."""
        n = len(size)
        self.G.append(G)
        self.wanted.append(wanted)
        self.size.append(size)
        self.kind.append(kind)
        self.bound.append(bound)
        rows, blocks = slice(self.m, self.m + len(wanted)), slice(self.nb, self.nb + n)
        self.m, self.nb = rows.stop, blocks.stop
        return rows, blocks


def gather(
    model: Model,
    kin: Kinematics,
    rows: ActiveRows | None,
    contacts: Contacts | None,
    v: Floats,
    t: float,
    h: float,
    boxed: bool,
) -> Blocks:
    """Everything that binds a step of h [s] which ends at time t [s]; bounds of joints and loops are still zero.

    v are the velocities of flesh, shape (nv, 3).
    """
    out, spans, loop = _without_contacts(model, kin, rows, t, h)
    stops, mu, normal = _stops(model, rows, out)
    nc = 0 if contacts is None else len(contacts)
    m, nb = out.m + 3 * nc, out.nb + (3 if boxed else 2) * nc
    blocks = Blocks(
        np.ascontiguousarray(_stack(out.G, np.zeros((0, model.nr)))),
        np.empty(m),
        np.empty(nb + 1, np.int64),
        np.empty(nb, np.int64),
        np.zeros(nb),
        np.full(nb, -1, np.int64),
        np.zeros(nb),
        *spans,
        slice(out.m, m),
        None,
        loop,
        stops,
    )
    blocks.mu[stops], blocks.normal[stops] = mu, normal
    blocks.first[0] = 0
    if out.nb:
        blocks.wanted[: out.m] = _stack(out.wanted, _NONE)
        blocks.first[1 : out.nb + 1] = np.cumsum(_stack(out.size, _NONE))
        blocks.kind[: out.nb] = _stack(out.kind, _NONE)
        blocks.bound[: out.nb] = _stack(out.bound, _NONE)
    if contacts is not None and nc:
        blocks.contact = contact_rows(model, contacts, kin, v, h)
        blocks.wanted[out.m :] = blocks.contact.wanted
        contact_blocks(
            contacts.friction, out.m, out.nb, boxed, blocks.first, blocks.kind, blocks.mu, blocks.normal
        )
    return blocks


def _without_contacts(
    model: Model, kin: Kinematics, rows: ActiveRows | None, t: float, h: float
) -> tuple[_Builder, tuple[slice, slice, slice, slice], tuple[Ints, Floats] | None]:
    """Rows of constraints and limits; and blocks of joints, loops and motors."""
    out = _Builder()
    nr = model.nr
    own = slice(0, 0)
    if rows is not None:
        ones = np.ones(len(rows.owner), np.int64)
        kind = np.where(rows.inequality, PUSH, EQUAL)
        own, _ = out.add(rows.G, rows.wanted, ones, kind, np.zeros(len(ones)))
    empty = slice(out.nb, out.nb)
    rubs = loops = motors = empty
    loop = None
    f = model.friction
    if f is not None:
        first, G = rub_rows(f.rubs, kin, nr)
        size = np.diff(first)
        _, rubs = out.add(G, np.zeros(len(G)), size, np.where(size == 1, BOX, DISC), np.zeros(len(size)))
        first, link, maximal = loop_rows(f.loops, kin)
        size, loop = np.diff(first), (link, maximal)
        G = _reduced(model, kin, link, maximal)
        _, loops = out.add(G, np.zeros(len(G)), size, np.where(size == 1, BOX, DISC), np.zeros(len(size)))
        n = len(f.motors.torque)
        G = np.zeros((n, nr))
        G[np.arange(n), f.motors.speed.target] = 1.0
        speed = evaluate(f.motors.speed, t)[:, 0] if n else _NONE
        _, motors = out.add(G, speed, np.ones(n, np.int64), np.full(n, BOX), h * f.motors.torque)
    return out, (own, rubs, loops, motors), loop


def _stops(model: Model, rows: ActiveRows | None, out: _Builder) -> tuple[slice, Floats, Ints]:
    """Blocks of what rubs at stops; coefficients and the rows that press."""
    if model.friction is None or not len(model.friction.stops):
        return slice(out.nb, out.nb), _NONE, np.zeros(0, np.int64)
    G, mu, normal = stop_rows(model.friction.stops, rows, model.nr)
    n = len(mu)
    _, stops = out.add(G, np.zeros(n), np.ones(n, np.int64), np.full(n, BOX), np.zeros(n))
    return stops, mu, normal


def _stack(parts: list[Floats] | list[Ints], none: Floats) -> Floats:
    """One below the other."""
    if len(parts) == 1:
        return np.asarray(parts[0])
    return np.concatenate(parts) if parts else none


def _reduced(model: Model, kin: Kinematics, link: Ints, G: Floats) -> Floats:
    m = len(link)
    if not m:
        return np.zeros((0, model.nr))
    state = RowState(link, G, _NONE, _NONE, _NONE, _NONE, np.zeros(0, np.int64))
    return reduced_rows(model, kin, state, np.arange(m))
