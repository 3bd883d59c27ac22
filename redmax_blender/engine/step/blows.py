"""Contacts that bounce, in the kernel of `step.py`: the step without their blows, and what that asks of their rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..algebra.arrays import Floats, Ints, Mask, Places
from ..friction.contacts.bounce import add_unbound, aim, ease, let_go, row_changes
from ..impulses.pace import NEWTON
from ..impulses.solve import Layout, solve_islands
from ..jit.decorators import subroutine


class Blows(NamedTuple):
    """Of the nc contacts of a step, where some bounce."""

    island: Ints
    """Of each contact, shape (nc,)."""
    when: Floats
    """As which part of the step each island moves without blows, and when the first comes (`bounce.aim`)."""
    lack: Floats
    """What velocities lack for gaps to close and no more, shape (3 nc,)."""
    speed: Floats
    """Of rows without blows, shape (3 nc,)."""
    without: Floats
    """Impulses of all rows without blows, shape (m,)."""


@subroutine
def make_blows(nc: int, islands: int, m: int) -> Blows:
    return Blows(
        np.empty(nc, np.int64), np.empty(2 * islands), np.empty(3 * nc), np.empty(3 * nc), np.empty(m)
    )


@subroutine
def aim_blows(
    blows: Blows, hits: Floats, link: Ints, restitution: Floats, gap: Floats, h: float, at: Places, index: Places,
    pushed: Floats, free: Mask, D: Floats, r: Floats, first: Ints, kind: Ints, mu: Floats, normal: Ints, soft: Floats,
    island: Ints, layout: Layout, tolerance: float, enough: float, begin: int, block: int, stride: int, bound: Floats,
    value: Floats, scratch: Floats,
) -> bool:  # fmt: skip
    """Let rows `r` (m,) ask for the speeds with which contacts come apart after blows; whether there are any.

    `hits` is what `touch_rows` tells of the contacts, whose rows begin at `begin` and whose blocks at `block`."""
    nc, m = len(hits), len(r)
    before, bounds, calm = np.empty(nc), bound.copy(), r.copy()
    let_go(hits, link, gap, h, begin, r, calm)
    for i in range(m):
        blows.without[i] = value[i]
    solve_islands(
        at[:m], at[1 : m + 1], index, pushed, free, calm, first, kind, mu, normal, soft, island, layout, tolerance,
        enough, np.inf, NEWTON, 0.0, False, bounds, blows.without,
    )  # fmt: skip
    for i in range(3 * nc):
        blows.lack[i] = r[begin + i]
    row_changes(at, index, pushed, free, D, blows.without, begin, scratch, blows.speed)
    add_unbound(gap, h, blows.lack, blows.speed)
    for c in range(nc):
        before[c], blows.island[c] = blows.speed[3 * c], island[block + stride * c]
    return aim(hits, before, restitution, gap, h, blows.island, begin, blows.when, r)


@subroutine
def ease_blows(
    blows: Blows, hits: Floats, restitution: Floats, gap: Floats, h: float, at: Places, index: Places, pushed: Floats,
    free: Mask, D: Floats, begin: int, value: Floats, scratch: Floats, r: Floats,
) -> bool:  # fmt: skip
    """Let rows ask for less where blows with impulses `value` (m,) make energy (`bounce.ease`); whether any do."""
    m, nc = len(value), len(hits)
    more, change = np.empty(m), np.empty(3 * nc)
    for i in range(m):
        more[i] = value[i] - blows.without[i]
    row_changes(at, index, pushed, free, D, more, begin, scratch, change)
    return ease(
        hits, restitution, gap, h, blows.island, blows.when, blows.speed, change, more[begin:], blows.lack,
        np.empty(len(blows.when)), r[begin:],
    )  # fmt: skip
