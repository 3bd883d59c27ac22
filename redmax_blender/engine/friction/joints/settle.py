"""Bounds of friction that depend on the impulses which they bound: how the two are brought together."""

from __future__ import annotations

from ...jit.decorators import borrower, njit
from ...model.records import Floats

_LEAST, _MOST = 0.05, 8.0
"""Of what bounds are missed by, the least and the largest part by which they are moved."""
_UNSURE = 0.5
"""That part where the last two rounds tell nothing about the next."""


@borrower
def relax_bounds(found: Floats, round_: int, weight: float, missed: Floats, bound: Floats) -> float:
    """Move bounds (n,) towards those that were found with them; returns the weight with which that was done.

    Taken as they are found, bounds overshoot for ever where a joint is near to locking itself, and creep where it is
    near to letting go: from the third round on they are moved by a weight that follows from how the last one worked
    (Aitken). Rounds are counted from 1; `missed` (n,) keeps what the bounds were missed by in the last one.
    """
    along, size = 0.0, 0.0
    for i in range(len(bound)):
        miss = found[i] - bound[i]
        along += missed[i] * (miss - missed[i])
        size += (miss - missed[i]) ** 2
    if round_ < 3 or not size > 0.0:
        weight = 1.0
    else:
        weight *= -along / size
        weight = min(max(weight, _LEAST), _MOST) if weight > 0.0 else _UNSURE
    for i in range(len(bound)):
        missed[i] = found[i] - bound[i]
        bound[i] = max(bound[i] + weight * missed[i], 0.0)
    return weight


@njit
def relax(found: Floats, round_: int, weight: float, missed: Floats, bound: Floats) -> float:
    """The same, for Python."""
    return float(relax_bounds(found, round_, weight, missed, bound))
