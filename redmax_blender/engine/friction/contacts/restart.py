"""Impulses of contacts that cannot be right are looked for afresh.

A body that is wedged in can be squeezed by any impulses that cancel each other, and where rounding, or a blow, makes
them grow from step to step, everything else drowns in them. What is wedged in by friction cannot bounce off on two
sides at once: no impulses, however large, do that. And what bounces and rubs at the same time, as the end of a rod that
hits the ground, may get more energy out of the blow than it had. So impulses that are not found, or do work, are looked
for from nothing and without bouncing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...contact.contacts import Contacts
from ...model.records import Floats
from ..blocks import Blocks
from ..joints.bounds import JointBounds
from ..memory import DryReport
from ..response import Response

_WORK = 0.05
"""Work that contacts may seem to do, as a fraction of what they take."""


def lack(report: DryReport) -> float:
    """What impulses and bounds of friction are off by, as a fraction of the largest."""
    return max(report.residual, report.shift, report.change)


def bounces(blocks: Blocks, contacts: Contacts) -> Floats:
    """The speed with which each contact is to come apart [m/s], shape (nc,); none for ropes, which are pulled in."""
    moves = np.einsum("ci,ci->c", contacts.normal, contacts.velocity)
    apart = np.maximum(blocks.wanted[blocks.contacts][::3] - moves, 0.0)
    return np.where(contacts.pair[:, 0] >= 0, apart, 0.0)


def do_work(
    blocks: Blocks, response: Response, contacts: Contacts, x: Floats, qdot: Floats, value: Floats
) -> bool:
    """Whether contacts add energy to what touches, seen from the colliders; x is the motion without their impulses."""
    own = blocks.contacts
    frame = np.concatenate([contacts.normal[:, None], _tangents(blocks)], axis=1)
    moves = np.einsum("cai,ci->ca", frame, contacts.velocity).ravel()
    before, after = response.speeds(x)[own] - moves, response.speeds(qdot)[own] - moves
    impulse = np.where(np.repeat(contacts.pair[:, 0] >= 0, 3), value[own], 0.0)
    return bool(0.5 * impulse @ (before + after) > _WORK * np.abs(impulse * before).sum())


def _tangents(blocks: Blocks) -> Floats:
    assert blocks.contact is not None
    return blocks.contact.tangent


def find_afresh(
    find: Callable[[], Floats],
    qdot: Floats,
    blocks: Blocks,
    response: Response,
    joints: JointBounds | None,
    bounce: Floats,
    enough: float,
    value: Floats,
    report: DryReport,
) -> Floats:
    """Velocities from nothing and without `bounce` (nc,), or the given ones where those lack more than they and more
    than `enough`; `value` (m,), bounds and `report` come and go with them. find: makes velocities, and impulses from a
    guess."""
    own = slice(blocks.contacts.start, blocks.contacts.stop, 3)
    before = (report.residual, report.shift, report.change, qdot, value.copy(), blocks.bound.copy())
    blocks.wanted[own] -= bounce
    response.r[own] -= bounce
    value[:] = 0.0
    blocks.bound[blocks.normal >= 0] = 0.0
    blocks.bound[blocks.rubs.start : blocks.loops.stop] = 0.0
    if joints is not None:
        joints.begin()
    qdot = find()
    now = lack(report)
    if np.isnan(now) or now > max(enough, max(before[:3])):
        blocks.wanted[own] += bounce
        response.r[own] += bounce
        report.residual, report.shift, report.change, qdot, value[:], blocks.bound[:] = before
    return qdot
