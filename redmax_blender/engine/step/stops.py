"""Stops that hold where all impulses of a step together were found only roughly."""

from __future__ import annotations

import numpy as np

from ..algebra.arrays import Floats, Ints, Mask, Places
from ..impulses.ordering import sorted_by
from ..impulses.pace import NEWTON
from ..impulses.solve import Layout, solve_islands
from ..jit.decorators import borrower, subroutine

_EXACT = 1e-7
"""Residual of their impulses, as a fraction of the largest among them."""


@borrower
def loosest(dof: Ints, side: Floats, holding: Mask, speed: Floats, qdot: Floats) -> float:
    """Speed by which the stop that holds worst is missed [rad/s, m/s]."""
    most = 0.0
    for i in range(len(dof)):
        if holding[i]:
            most = max(most, side[i] * (speed[i] - qdot[dof[i]]))
    return most


@borrower
def lacking(dof: Ints, side: Floats, holding: Mask, speed: Floats, qdot: Floats, way: Floats) -> None:
    """Change of speed that each stop that holds wants, one after the other."""
    n = 0
    for i in range(len(dof)):
        if holding[i]:
            way[n] = side[i] * (speed[i] - qdot[dof[i]])
            n += 1


@borrower
def without(stops: int, value: Floats, others: Floats) -> None:
    """Impulses (m,) of all rows but the first, those of stops."""
    for i in range(len(value)):
        others[i] = value[i] if i >= stops else 0.0


@subroutine
def stop_impulses(
    at: Places, index: Places, pushed: Floats, free: Mask, way: Floats, first: Ints, kind: Ints, mu: Floats,
    normal: Ints, soft: Floats, bound: Floats, island: Ints, layout: Layout, value: Floats,
) -> None:  # fmt: skip
    """Impulses of stops (n,), the first rows, for the changes of speed `way` (n,) that the others leave to them.

    What weighs next to nothing goes far beyond its stop for an impulse that is nothing to the rest of a tree. Blocks of
    `layout` are those of stops from here on."""
    n = len(way)
    sorted_by(island, len(layout.size), layout.first_block, layout.member)
    solve_islands(
        at[:n], at[1 : n + 1], index, pushed, free, way, first, kind, mu, normal, soft, island, layout, _EXACT,
        _EXACT, np.inf, NEWTON, 0.0, False, bound, value,
    )  # fmt: skip
