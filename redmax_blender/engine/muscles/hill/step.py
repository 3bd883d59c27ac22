"""A musculotendon over one step: the fibre follows implicitly, so that a stiff tendon does not need small steps.

The fibre's length is integrated by a stiffly accurate SDIRK method of second order over short parts of the step, while
the musculotendon's length changes evenly from what it was to what it will be. The tension at the end is then a function
of the length at the end; its derivative is the stiffness that the step of the bones sees.
"""

from __future__ import annotations

import numpy as np

from ...jit.decorators import njit, subroutine
from ...model.records import Floats
from .activation import activate
from .equilibrium import implicit_fibre, rigid_force, tension
from .muscle import Records

_PART = 1.0 / 400.0
"""Longest part of a step [s]: contractions at 1/240 s agree with small steps to a few thousandths."""
_ALPHA = 1.0 - np.sqrt(0.5)
"""Diagonal of the L-stable SDIRK method of two stages."""


@subroutine
def hill_step(
    records: Records, curves: Floats, i: int, a: float, l: float, u: float, L0: float, L1: float, h: float
) -> tuple[float, float, float, float]:
    """Activation, fibre length and tension after h [s] at excitation u, and dT/dL1 [N/m].

    a, l, L0: activation, fibre length and musculotendon length at the start; L1: musculotendon length at the end.
    """
    r = records[i]
    if r.rigid == 1:
        a = activate(r.rise, r.fall, r.least, a, u, h)
        rate = (L1 - L0) / h
        T, k, d, l = rigid_force(records, curves, i, a, L1, rate)
        return a, l, T, k + d / h
    n = max(1, int(np.ceil(h / _PART)))
    part = h / n
    c = _ALPHA * part
    dl = 0.0  # dl / dL1
    for p in range(n):
        middle = activate(r.rise, r.fall, r.least, a, u, c)
        a = activate(r.rise, r.fall, r.least, middle, u, part - c)
        at = (p + _ALPHA) / n
        l1, by_L, by_l = implicit_fibre(records, curves, i, middle, l, c, L0 + at * (L1 - L0))
        d1 = by_L * at + by_l * dl
        past = l + (1.0 - _ALPHA) * part * (l1 - l) / c
        dpast = dl + (1.0 - _ALPHA) * part * (d1 - dl) / c
        at = (p + 1.0) / n
        l, by_L, by_l = implicit_fibre(records, curves, i, a, past, c, L0 + at * (L1 - L0))
        dl = by_L * at + by_l * dpast
    T, by_L, by_l = tension(records, curves, i, l, L1)
    return a, l, T, by_L + by_l * dl


@njit
def hill_steps(
    records: Records,
    curves: Floats,
    state: Floats,
    u: Floats,
    L0: Floats,
    L1: Floats,
    h: float,
    out: Floats,
) -> None:
    """Activation, fibre length, tension and stiffness of many muscles after a step; out has shape (n, 4)."""
    for i in range(len(records)):
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = hill_step(
            records, curves, i, state[i, 0], state[i, 1], u[i], L0[i], L1[i], h
        )
