"""Where the solver of a step's impulses begins: with those of the last step, contact by contact."""

from __future__ import annotations

import numpy as np

from ...constraints.active import ActiveRows
from ...contact.contacts import Contacts
from ...model.records import Floats, Ints
from ..blocks import Blocks
from ..memory import DryMemory
from .kept import guess_impulses, sort_impulses

_NO_KEYS: Ints = np.zeros(0, np.int64)
_NO_IMPULSES: Floats = np.zeros((0, 3))


def first_guess(
    blocks: Blocks,
    rows: ActiveRows | None,
    contacts: Contacts | None,
    memory: DryMemory,
) -> Floats:
    """Impulses of the last step, shape (m,); zero for what is new. The bounds of the blocks are set likewise."""
    value: Floats = np.zeros(len(blocks.wanted))
    if rows is not None and np.array_equal(memory.owner, rows.owner):
        value[blocks.rows] = memory.row_value
    a, b = blocks.rows.stop, blocks.contacts.start
    if b > a and len(memory.inner) == b - a:
        value[a:b] = memory.inner
    if len(memory.bound):
        blocks.bound[blocks.rubs.start : blocks.loops.stop] = memory.bound
    if blocks.contact is not None and contacts is not None:
        guess_impulses(
            memory.keys, memory.impulse, memory.place, contacts.key, contacts.x, contacts.normal,
            blocks.contact.tangent, blocks.normal, blocks.mu, b, value, blocks.bound,
        )  # fmt: skip
    return value


def keep(
    memory: DryMemory, blocks: Blocks, rows: ActiveRows | None, contacts: Contacts | None, value: Floats
) -> Floats:
    """Remember what a step found; returns the impulses of contacts in the world [N·s], shape (nc, 3)."""
    memory.owner = _NO_KEYS if rows is None else rows.owner
    memory.row_value = value[blocks.rows].copy()
    memory.inner = value[blocks.rows.stop : blocks.contacts.start].copy()
    memory.bound = blocks.bound[blocks.rubs.start : blocks.loops.stop].copy()
    if blocks.contact is None or contacts is None:
        memory.keys, memory.impulse, memory.place = _NO_KEYS, _NO_IMPULSES, _NO_IMPULSES
        return _NO_IMPULSES
    nc = len(contacts)
    impulse: Floats = np.empty((nc, 3))
    memory.keys, memory.impulse, memory.place = np.empty(nc, np.int64), np.empty((nc, 3)), np.empty((nc, 3))
    sort_impulses(
        contacts.key, contacts.x, contacts.normal, blocks.contact.tangent, blocks.contacts.start, value, impulse,
        memory.keys, memory.impulse, memory.place,
    )  # fmt: skip
    return impulse
