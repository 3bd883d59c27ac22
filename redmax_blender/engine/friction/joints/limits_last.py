"""Stops hold where impulses were not found exactly.

In a jam, as of limbs that lie on each other, impulses may be off by a thousandth of the largest. That is nothing to a
trunk, and turns a finger far beyond its range in a step. So the impulses of stops are found once more, exactly and with
all others as they are: what is light gives way to its stop, and what is heavy does not notice.
"""

from __future__ import annotations

import numpy as np

from ...impulses.laws import PUSH
from ...impulses.matrix import solve_matrix
from ...model.records import Floats
from ..blocks import Blocks
from ..response import Response

_EXACT = 1e-7
"""Residual of their impulses, as a fraction of the largest among them."""


def stops_last(response: Response, blocks: Blocks, x: Floats, qdot: Floats, value: Floats) -> Floats:
    """Velocities with stops that hold, from those with impulses `value` (m,), which become the new ones; x is the free
    motion."""
    own = blocks.rows
    stops = np.flatnonzero((blocks.kind[own] == PUSH) & (response.diagonal[own] > 0.0))
    n = len(stops)
    if not n:
        return qdot
    W = np.ascontiguousarray(response.within(own)[np.ix_(stops, stops)])
    impulse = value[stops]
    lack = blocks.wanted[stops] - response.speeds(qdot)[stops] + W @ impulse
    island = np.zeros(n, np.int64)
    solve_matrix(
        W, lack, np.arange(n + 1), np.full(n, PUSH), np.zeros(n), np.full(n, -1), island, 1, _EXACT, np.zeros(n),
        impulse,
    )  # fmt: skip
    value[stops] = impulse
    return response.moved(x, value)
