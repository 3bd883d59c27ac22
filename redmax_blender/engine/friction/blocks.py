"""All rows of a step with friction, motors and contacts, in blocks for `dual.solve_blocks`."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..constraints.active import ActiveRows, reduced_rows
from ..constraints.rows import RowState
from ..contact.contacts import Contacts
from ..curves import evaluate
from ..jit import njit
from ..kinematics import Kinematics
from ..model import Floats, Ints, Model
from .contact_rows import ContactRows, contact_rows
from .dual import BOX, DISC, EQUAL, PUSH
from .joint_rows import rub_rows
from .loop_rows import loop_rows

_NONE: Floats = np.zeros(0)
_MOVES = 1e-14
"""A row whose response is this fraction of the strongest moves nothing."""


@dataclass
class Blocks:
    """m rows in nb blocks: constraints and limits first, then joints, loops, motors, and contacts."""

    G: Floats
    """In reduced coordinates, shape (m, nr)."""
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


@dataclass
class _Builder:
    G: list[Floats] = field(default_factory=list)
    wanted: list[Floats] = field(default_factory=list)
    size: list[Ints] = field(default_factory=list)
    kind: list[Ints] = field(default_factory=list)
    mu: list[Floats] = field(default_factory=list)
    normal: list[Ints] = field(default_factory=list)
    bound: list[Floats] = field(default_factory=list)
    m: int = 0
    nb: int = 0

    def add(
        self, G: Floats, wanted: Floats, size: Ints, kind: Ints, bound: Floats,
        mu: Floats | None = None, normal: Ints | None = None,
    ) -> tuple[slice, slice]:  # fmt: skip
        """The rows and the blocks that these are."""
        n = len(size)
        self.G.append(G)
        self.wanted.append(wanted)
        self.size.append(size)
        self.kind.append(kind)
        self.bound.append(bound)
        self.mu.append(np.zeros(n) if mu is None else mu)
        self.normal.append(np.full(n, -1, np.int64) if normal is None else normal)
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
    out = _Builder()
    nr = model.nr
    ones = np.ones(0 if rows is None else len(rows.owner), np.int64)
    G, wanted, kind = np.zeros((0, nr)), _NONE, ones
    if rows is not None:
        G, wanted, kind = rows.G, rows.wanted, np.where(rows.inequality, PUSH, EQUAL)
    constraint_rows, _ = out.add(G, wanted, ones, kind, np.zeros(len(ones)))
    f = model.friction
    empty = slice(out.nb, out.nb)
    rubs = loops = motors = empty
    loop = None
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
    contact, contact_slice = None, slice(out.m, out.m)
    if contacts is not None and len(contacts):
        contact = contact_rows(model, contacts, kin, v, h)
        nc = len(contacts)
        per = [1, 1, 1] if boxed else [1, 2]
        size = np.tile(np.array(per, np.int64), nc)
        kind = np.tile(np.array([PUSH, BOX, BOX] if boxed else [PUSH, DISC]), nc)
        normal = np.full((nc, len(per)), -1, np.int64)
        normal[:, 1:] = (out.m + 3 * np.arange(nc))[:, None]
        mu = np.zeros((nc, len(per)))
        mu[:, 1:] = contacts.friction[:, None]
        G = _reduced(model, kin, contact.link, contact.G)
        contact_slice, _ = out.add(
            G, contact.wanted, size, kind, np.zeros(len(size)), mu.ravel(), normal.ravel()
        )
    return Blocks(
        np.concatenate(out.G),
        np.concatenate(out.wanted),
        np.concatenate([[0], np.cumsum(np.concatenate(out.size))]).astype(np.int64),
        np.concatenate(out.kind).astype(np.int64),
        np.concatenate(out.mu),
        np.concatenate(out.normal),
        np.concatenate(out.bound),
        constraint_rows,
        rubs,
        loops,
        motors,
        contact_slice,
        contact,
        loop,
    )


def _reduced(model: Model, kin: Kinematics, link: Ints, G: Floats) -> Floats:
    m = len(link)
    if not m:
        return np.zeros((0, model.nr))
    state = RowState(link, G, _NONE, _NONE, _NONE, _NONE, np.zeros(0, np.int64))
    return reduced_rows(model, kin, state, np.arange(m))


@njit
def _join(G: Floats, first: Ints, tree: Ints, trees: int, island: Ints) -> int:
    up = np.arange(trees)
    touched = np.empty(len(island), np.int64)
    for b in range(len(island)):
        touched[b] = -1
        for i in range(first[b], first[b + 1]):
            for k in range(G.shape[1]):
                if G[i, k] != 0.0:
                    root = tree[k]
                    while up[root] != root:
                        root = up[root]
                    if touched[b] >= 0:
                        other = touched[b]
                        while up[other] != other:
                            other = up[other]
                        up[root] = other
                    touched[b] = tree[k]
    number = np.full(trees, -1)
    count = 0
    for b in range(len(island)):
        root = max(touched[b], 0)
        while up[root] != root:
            root = up[root]
        if number[root] < 0:
            number[root] = count
            count += 1
        island[b] = number[root]
    return count


def movable_islands(model: Model, blocks: Blocks, W: Floats) -> tuple[Ints, int]:
    """The island of each block: those that share no tree, even through others, are apart. -1 for blocks that nothing
    can move; within the others, rows that nothing can move get a response of their own."""
    island: Ints = np.zeros(len(blocks.kind), np.int64)
    tree = model.tree_of_coordinate
    trees = int(tree.max(initial=0)) + 1
    count = min(len(island), 1)
    if trees > 1 and model.flesh is None and not len(model.springs.rest) and model.reduction is None:
        count = int(_join(blocks.G, blocks.first, tree, trees, island))
    diagonal = np.diagonal(W)
    if len(diagonal):
        largest = np.maximum.reduceat(diagonal, blocks.first[:-1])
        island[largest <= _MOVES * float(largest.max())] = -1
        least = np.repeat(1e-9 * largest, np.diff(blocks.first))
        weak = np.flatnonzero(diagonal < least)
        W[weak, weak] = least[weak]
    return island, count
