"""Where the solver of a step's impulses begins: with those of the last step, contact by contact."""

from __future__ import annotations

import numpy as np

from ..constraints.active import ActiveRows
from ..contact.contacts import Contacts
from ..model import Floats
from .blocks import Blocks
from .memory import DryMemory


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
    if len(memory.inner) == b - a:
        value[a:b] = memory.inner
    if blocks.contact is not None and contacts is not None and len(memory.keys):
        at = np.minimum(np.searchsorted(memory.keys, contacts.key), len(memory.keys) - 1)
        same = memory.keys[at] == contacts.key
        last = np.where(same[:, None], memory.impulse[at], 0.0)
        own = value[blocks.contacts].reshape(-1, 3)
        own[:, 0] = np.maximum(np.einsum("ck,ck->c", last, contacts.normal), 0.0)
        own[:, 1:] = np.einsum("ck,cak->ca", last, blocks.contact.tangent)
        value[blocks.contacts] = own.ravel()
    inside = slice(blocks.rubs.start, blocks.loops.stop)
    blocks.bound[inside] = memory.bound
    follows = blocks.normal >= 0
    blocks.bound[follows] = blocks.mu[follows] * value[blocks.normal[follows]]
    return value


def keep(
    memory: DryMemory, blocks: Blocks, rows: ActiveRows | None, contacts: Contacts | None, value: Floats
) -> None:
    """Remember what a step found."""
    memory.owner = np.zeros(0, np.int64) if rows is None else rows.owner
    memory.row_value = value[blocks.rows].copy()
    memory.inner = value[blocks.rows.stop : blocks.contacts.start].copy()
    memory.bound = blocks.bound[blocks.rubs.start : blocks.loops.stop].copy()
    memory.keys, memory.impulse = np.zeros(0, np.int64), np.zeros((0, 3))
    if blocks.contact is not None and contacts is not None:
        own = value[blocks.contacts].reshape(-1, 3)
        t = blocks.contact.tangent
        order = np.argsort(contacts.key)
        impulse = own[:, :1] * contacts.normal + own[:, 1:2] * t[:, 0] + own[:, 2:] * t[:, 1]
        memory.keys, memory.impulse = contacts.key[order], impulse[order]
