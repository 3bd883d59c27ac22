"""Steps of a tree that nothing binds but its own joints and loops, all in one kernel: Euler's step (`euler.py`) without
flesh, contacts, and springs between bodies.

It takes as many steps as it is asked for, unless one needs something that it does not do: then it ends before that one.
What is constant comes packed (`trees/pack.py`): a call costs about a tenth of a microsecond an array, and a step of
ten joints five microseconds. Here all arrays are made that the steps work on; they themselves (`trees/advance.py`) make
none, and count none.
"""

from __future__ import annotations

import numpy as np

from ...jit.decorators import njit_short_loops
from ...model.records import Floats, Ints
from ...tree.passes import Mask
from .advance import take_steps
from .checks import any_calm, too_fast
from .unpack import length_of

__all__ = ["any_calm", "too_fast", "tree_steps"]


@njit_short_loops
def tree_steps(
    ints: Ints,
    floats: Floats,
    at: Ints,
    masks: Mask,
    loops: Ints | None,
    chart: Ints,
    q: Floats,
    qdot: Floats,
    kept_bound: Floats,
    kept_rest: Mask,
    kept_calm: Floats,
    kept_impulse: Floats,
    kept_trend: Floats,
    start: float,
    count: int,
    most: int,
    out: Floats,
    force: Floats,
    row_value: Floats,
    tell: Floats,
) -> int:
    """Steps number count + 1 and so on of a run from `start` [s]; returns how many were done, up to `most`.

    `loops` is null for a tree without them, for which a kernel of its own is compiled, and otherwise any integers.
    `kept_bound` and `kept_rest` (n,) are what friction hands on (`DryMemory`), `kept_calm` (nt,) how long trees have
    been calm [s], `kept_impulse` (ns + pins + 4 m + 1,) what holds a tree with loops and more (`DryMemory.held`),
    `kept_trend` (3, n) how the bounds changed in the last steps. For the last step, `out` (5, nr) becomes q and qdot at
    its end, the same at its start, and what drives the prescribed coordinates [N·m·s, N·s]; `force` (ns,) the impulses
    of the sources of the staircases; `row_value` (m + pins,) those of the rows of loops and of their pins; and row i of
    `tell` (most, 4) rounds, passes, the last change of the bounds and the largest error of step i [m].
    """
    nl, nr, ns = length_of(ints, 0), len(q), length_of(ints, 5)
    nm, nc = length_of(ints, 12), length_of(ints, 14) - 1
    n_limit, n_profile, nb = length_of(ints, 9), length_of(ints, 17), len(kept_bound)
    m, pins = length_of(ints, 23), length_of(ints, 27)
    n, r_ = (ns + pins, m + pins) if m > 0 else (0, 0)
    factors, pushes = ints[ints[35] - 1], ints[ints[38] - 1]  # the last of each
    # Made together where they are alike: an array costs as much as a joint.
    return take_steps(
        ints, floats, at, masks, loops, chart, q, qdot, kept_bound, kept_rest, kept_calm, kept_impulse, kept_trend,
        start, count, most, out, force, row_value, tell,
        np.empty((5, nl, 12)),
        np.zeros((15, nl, 6)),
        np.zeros((6 * nr, 6)),
        np.empty((2 * nl, 21)),
        np.zeros((25, nr)),
        np.zeros(3 * nr + n_limit + 2 * r_, np.bool_),
        np.empty(nb, np.bool_),
        np.empty(nr + r_ + 1, np.int64),
        np.empty((3, ns)),
        np.empty((3, ns), np.int64),
        np.empty((nc + nm + n_profile, 3)),
        np.empty(n_limit + n_profile + nc + length_of(at, 10)),
        np.empty((4, nb)),
        np.zeros(len(masks) - nl - nr),
        np.zeros((3, m)),
        np.zeros((6, r_)),
        np.zeros((2 * r_ + m, 2, 6)),
        np.zeros(2 * (nr + pushes + factors)),
        np.empty((2 * r_ + pins, 6)),
        np.zeros((10, n)),
        np.zeros((2, n), np.int64),
        np.empty((length_of(ints, 40) // 8, 6)),
    )  # fmt: skip
