"""Surfaces that overlap come apart: positions are moved, and velocities left alone."""

from __future__ import annotations

import numpy as np

from ...contact.contacts import Contacts
from ...impulses.laws import PUSH
from ...jit.decorators import njit
from ...model.records import Floats, Ints, Limits
from ..blocks import Blocks
from ..response import Pushes, Response


@njit
def _least(gap: Floats, tet: Ints) -> float:
    least = 0.0
    for c in range(len(gap)):
        if gap[c] < least and tet[c, 0] < 0 and tet[c, 1] < 0:
            least = gap[c]
    return least


@njit
def _ways(
    gap: Floats, tet: Ints, kind: Ints, island: Ints, rows: int, begin: int, block: int, stride: int, part: float,
    slop: float, row: Ints, what: Ints, where: Ints, way: Floats,
) -> None:  # fmt: skip
    """Arrays of `Pushes`: constraint rows, which stay as they are, and the normal row of each contact."""
    for i in range(rows):
        row[i], what[i], where[i], way[i] = i, kind[i], island[i], 0.0
    for c in range(len(gap)):
        i = rows + c
        row[i], what[i], where[i], way[i] = begin + 3 * c, PUSH, island[block + stride * c], 0.0
        if gap[c] > 0.0:
            way[i] = -gap[c]
        elif tet[c, 0] < 0 and tet[c, 1] < 0:
            way[i] = max(part * (-gap[c] - slop), 0.0)


def deepest(contacts: Contacts) -> float:
    """The gap where hard surfaces overlap most [m], zero where none do. Flesh comes out by its velocities."""
    return float(_least(contacts.gap, contacts.tet))


def parting_impulses(
    response: Response, blocks: Blocks, contacts: Contacts, part: float, slop: float
) -> Floats:
    """Impulses of all rows (m,), for moves rather than velocities, with which overlaps become less by a fraction `part`
    of what they are above `slop` [m], gaps do not close, and constraints stay as they are."""
    rows, nc = blocks.rows.stop, len(contacts)
    n, first = rows + nc, blocks.motors.stop
    row, kind, island = np.empty((3, n), np.int64)
    pushes = Pushes(row, kind, island, np.empty(n))
    _ways(
        contacts.gap, contacts.tet, blocks.kind, response.islands.of_block, rows, blocks.contacts.start, first,
        (len(blocks.kind) - first) // max(nc, 1), part, slop, pushes.row, pushes.kind, pushes.island, pushes.way,
    )  # fmt: skip
    value: Floats = np.zeros(n)
    response.part(pushes, value)
    whole: Floats = np.zeros(len(response.r))
    whole[pushes.row] = value
    return whole


def within_stops(limits: Limits, before: Floats, after: Floats) -> Floats:
    """Coordinates after they were parted, none of them further beyond a stop than before: what weighs next to nothing
    goes a long way for an impulse too small for the solver to care about."""
    dof = limits.dof
    least = np.minimum(limits.side * (before[dof] - limits.bound), 0.0)
    beyond = limits.side * (after[dof] - limits.bound) < least
    if not beyond.any():
        return after
    out = after.copy()
    out[dof[beyond]] = (limits.bound + limits.side * least)[beyond]
    return out
