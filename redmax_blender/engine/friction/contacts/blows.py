"""Contacts that bounce (`bounce.py`) on the general route: the step without their blows, and what rows ask for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...contact.contacts import Contacts
from ...jit.decorators import njit
from ...model.records import Floats, Ints, Model
from ..blocks import Blocks
from ..response import Precision, Response
from .bounce import aim, ease, let_go


@dataclass(frozen=True)
class Blows:
    """A step in which something bounces."""

    without: Floats
    """Velocities at the end of the step without the blows, shape (nr,)."""
    others: Floats
    """Impulses of all rows without the blows, shape (m,)."""
    when: Floats
    """What `bounce.aim` tells of islands."""
    island: Ints
    """Of each contact, shape (nc,)."""
    lack: Floats
    """What velocities lack for gaps to close and no more, of contact rows, shape (3 nc,)."""
    speed: Floats
    """Of contact rows without the blows, shape (3 nc,)."""
    part: Floats
    """As which part of the step each coordinate moves with them, shape (nr,)."""

    def mean(self, qdot: Floats) -> Floats:
        """Velocities that lead to where a step ends that has qdot after its blows."""
        return np.asarray(qdot + self.part * (self.without - qdot))


@njit
def _let_go(hits: Floats, link: Ints, gap: Floats, h: float, begin: int, lack: Floats, r: Floats) -> None:
    let_go(hits, link, gap, h, begin, lack, r)


@njit
def _aim(
    hits: Floats, before: Floats, restitution: Floats, gap: Floats, h: float, island: Ints, begin: int, when: Floats,
    r: Floats,
) -> bool:  # fmt: skip
    return bool(aim(hits, before, restitution, gap, h, island, begin, when, r))


@njit
def _ease(
    hits: Floats, restitution: Floats, gap: Floats, h: float, island: Ints, when: Floats, speed: Floats, change: Floats,
    impulse: Floats, lack: Floats, work: Floats, r: Floats,
) -> bool:  # fmt: skip
    return bool(ease(hits, restitution, gap, h, island, when, speed, change, impulse, lack, work, r))


def aim_blows(
    model: Model,
    blocks: Blocks,
    response: Response,
    contacts: Contacts,
    x: Floats,
    h: float,
    precision: Precision,
    value: Floats,
) -> Blows | None:
    """Let the rows of contacts ask for the speeds with which these come apart after blows; null without any.

    x is the motion without impulses, `value` (m,) a guess of these. Flesh, whose way within a step is its own, bounces
    at the start of a step."""
    touch = blocks.contact
    if touch is None or not touch.hits.any():
        return None
    own = slice(blocks.contacts.start, blocks.contacts.stop, 3)
    closing = response.r.copy()
    if model.flesh is not None:
        now = touch.hits < 0.0
        least = np.where(contacts.gap > 0.0, -contacts.gap / h, 0.0)
        hit = now & (contacts.gap + h * touch.hits < 0.0)
        response.r[own] += np.where(hit, np.maximum(-contacts.restitution * touch.hits - least, 0.0), 0.0)
        blocks.wanted += response.r - closing
        return None
    bound, others = blocks.bound.copy(), value.copy()
    _let_go(touch.hits, contacts.link, contacts.gap, h, own.start, closing, response.r)
    response.solve(blocks, Precision(precision.tolerance, precision.enough, np.inf), value.copy(), others)
    blocks.bound[:] = bound
    response.r[:] = closing
    rows = blocks.contacts
    speed = response.changed(others)[rows] - closing[rows]
    speed[::3] += np.where(contacts.gap > 0.0, -contacts.gap / h, 0.0)
    islands = response.islands
    block = np.searchsorted(blocks.first, np.arange(own.start, own.stop, 3))
    when: Floats = np.empty(2 * islands.count)
    of, before = islands.of_block[block], np.ascontiguousarray(speed[::3])
    if not _aim(touch.hits, before, contacts.restitution, contacts.gap, h, of, own.start, when, response.r):
        return None
    blocks.wanted += response.r - closing
    part = _parts(model, response, islands.of_block, blocks, when)
    return Blows(response.moved(x, others), others, when, of, closing[rows], speed, part)


def ease_blows(
    blows: Blows, blocks: Blocks, response: Response, contacts: Contacts, h: float, value: Floats
) -> bool:
    """Let rows ask for less where blows with impulses `value` (m,) make energy; whether any do."""
    assert blocks.contact is not None
    rows, asked, more = blocks.contacts, response.r.copy(), value - blows.others
    again = _ease(
        blocks.contact.hits, contacts.restitution, contacts.gap, h, blows.island, blows.when, blows.speed,
        response.changed(more)[rows], more[rows], blows.lack, np.empty(len(blows.when)), response.r[rows],
    )  # fmt: skip
    blocks.wanted += response.r - asked
    return bool(again)


def _parts(model: Model, response: Response, of_block: Ints, blocks: Blocks, when: Floats) -> Floats:
    """The part of its island for each coordinate, shape (nr,)."""
    part: Floats = np.zeros(model.trees)
    island = np.repeat(of_block, np.diff(blocks.first))
    for k in np.flatnonzero(when[: len(when) // 2] > 0.0):
        unit = np.where(island == k, 1.0, 0.0)
        for i in np.flatnonzero(unit):
            row = np.zeros(len(unit))
            row[i] = 1.0
            moves = response.pushed(row, 0) != 0.0
            part[model.tree_of_coordinate[moves]] = when[k]
    return np.asarray(part[model.tree_of_coordinate])
