"""From excitation to activation: calcium comes faster than it goes."""

from __future__ import annotations

import numpy as np

from ...jit.decorators import njit, subroutine
from ...model.records import Floats
from .muscle import Records

_SUBSTEP = 0.2
"""Longest Runge-Kutta step in time constants: leaves 1e-6."""


@subroutine
def activation_rate(rise: float, fall: float, least: float, a: float, u: float) -> float:
    """da/dt [1/s] = (u - a) / τ, with τ = rise (0.5 + 1.5 a) when it grows and fall / (0.5 + 1.5 a) when it fades."""
    a = min(max(a, least), 1.0)
    slow = 0.5 + 1.5 * a
    return (u - a) / (rise * slow if u > a else fall / slow)


@subroutine
def activate(rise: float, fall: float, least: float, a: float, u: float, h: float) -> float:
    """Activation after h [s] of a constant excitation; the excitation itself where the time constants are zero."""
    u = min(max(u, least), 1.0)
    fastest = 0.5 * rise if u > a else 0.5 * fall
    if not fastest > 0.0:
        return u
    n = max(1, int(np.ceil(h / (_SUBSTEP * fastest))))
    d = h / n
    for _ in range(n):
        k1 = activation_rate(rise, fall, least, a, u)
        k2 = activation_rate(rise, fall, least, a + 0.5 * d * k1, u)
        k3 = activation_rate(rise, fall, least, a + 0.5 * d * k2, u)
        k4 = activation_rate(rise, fall, least, a + d * k3, u)
        a += d / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return a


@njit
def activation_rates(records: Records, a: Floats, u: Floats, out: Floats) -> None:
    """da/dt of many muscles."""
    for i in range(len(records)):
        r = records[i]
        out[i] = activation_rate(r.rise, r.fall, r.least, a[i], u[i])
