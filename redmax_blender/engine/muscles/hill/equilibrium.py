"""Fibre against tendon: F (a f_L f_V + f_PE + β v) cos φ = F f_T, the damped equilibrium of Millard et al. (2013).

Given activation, fibre length and musculotendon length it gives the fibre's velocity, which integrators with small
steps need; given activation, the fibre's length a time c ago and the musculotendon's length now, it gives the fibre's
length now with v = (l - l_before) / c, which an implicit step needs, and how that length changes with both.
"""

from __future__ import annotations

import numpy as np

from ...jit.decorators import njit, subroutine
from ...model.records import Floats
from .bezier import bezier
from .curves import ACTIVE, PASSIVE, TENDON, VELOCITY
from .muscle import Records

_SETTLED = 1e-8
"""A relative Newton step after which the next would be below rounding, as they shrink quadratically."""
_ITERATIONS = 100
"""Newton needs five; halving the bracket, where a curve is kinked, ends within this."""


@subroutine
def along_tendon(height: float, l: float) -> tuple[float, float]:
    """Fibre length along the tendon, l cos φ [m], and cos φ; fibres keep the height of their parallelogram."""
    c2 = l * l - height * height
    flat = np.sqrt(c2) if c2 > 0.0 else 0.0
    return flat, flat / l


@subroutine
def fibre_force(
    records: Records, curves: Floats, i: int, a: float, l: float, v: float
) -> tuple[float, float, float]:
    """Normalized force of the fibre at length l [m] and velocity v [m/s], and its derivatives with both."""
    r = records[i]
    k = r.curves
    active, d_active = bezier(curves, k + ACTIVE, l / r.fibre)
    passive, d_passive = bezier(curves, k + PASSIVE, l / r.fibre)
    speed, d_speed = bezier(curves, k + VELOCITY, v / r.speed)
    force = a * active * speed + passive + r.damping * v / r.speed
    return (
        force,
        (a * d_active * speed + d_passive) / r.fibre,
        (a * active * d_speed + r.damping) / r.speed,
    )


@subroutine
def tendon_force(records: Records, curves: Floats, i: int, length: float) -> tuple[float, float]:
    """Normalized force of a tendon of this length [m], and its derivative [1/m]."""
    r = records[i]
    f, d = bezier(curves, r.curves + TENDON, length / r.slack)
    return f, d / r.slack


@subroutine
def fibre_velocity(records: Records, curves: Floats, i: int, a: float, l: float, L: float) -> float:
    """Velocity [m/s] at which the fibre is in equilibrium with its tendon; none where it cannot shorten any more."""
    r = records[i]
    flat, cosine = along_tendon(r.height, l)
    pull = tendon_force(records, curves, i, L - flat)[0] / cosine
    low, high = -r.speed, r.speed
    for _ in range(60):
        if fibre_force(records, curves, i, a, l, low)[0] < pull:
            break
        low *= 2.0
    for _ in range(60):
        if fibre_force(records, curves, i, a, l, high)[0] > pull:
            break
        high *= 2.0
    v = 0.0
    for _ in range(_ITERATIONS):
        f, _, d = fibre_force(records, curves, i, a, l, v)
        if f > pull:
            high = v
        else:
            low = v
        after = v - (f - pull) / d if d > 0.0 else high
        if abs(after - v) <= _SETTLED * r.speed:
            v = after
            break
        v = after if low < after < high else 0.5 * (low + high)
    return 0.0 if l <= r.shortest and v < 0.0 else v


@subroutine
def rigid_force(
    records: Records, curves: Floats, i: int, a: float, L: float, rate: float
) -> tuple[float, float, float, float]:
    """Tension [N] of a muscle with a rigid tendon, its derivatives with length and rate, and the fibre length.

    It does not push.
    """
    r = records[i]
    flat = L - r.slack
    if not flat > 0.0:
        return 0.0, 0.0, 0.0, r.shortest
    l = np.sqrt(flat * flat + r.height * r.height)
    if l < r.shortest:
        return 0.0, 0.0, 0.0, r.shortest
    c = flat / l
    v = rate * c
    f, f_l, f_v = fibre_force(records, curves, i, a, l, v)
    if not f > 0.0:
        return 0.0, 0.0, 0.0, l
    dc = (1.0 - c * c) / l
    stiffness = (f_l * c + f_v * rate * dc) * c + f * dc
    return r.force * f * c, r.force * stiffness, r.force * f_v * c * c, l


@subroutine
def _miss(
    records: Records, curves: Floats, i: int, a: float, before: float, c: float, L: float, l: float
) -> tuple[float, float, float, float]:
    """Residual of the equilibrium of a fibre of length l, and its derivatives with l, L and `before`."""
    r = records[i]
    flat, cosine = along_tendon(r.height, l)
    turn = (1.0 - cosine * cosine) / l  # d cos / dl, times cos
    f, f_l, f_v = fibre_force(records, curves, i, a, l, (l - before) / c)
    t, t_l = tendon_force(records, curves, i, L - flat)
    slope = (f_l + f_v / c) * cosine + f * turn / cosine + t_l / cosine
    return f * cosine - t, slope, -t_l, -f_v * cosine / c


@subroutine
def implicit_fibre(
    records: Records, curves: Floats, i: int, a: float, before: float, c: float, L: float
) -> tuple[float, float, float]:
    """Fibre length l with (l - before) / c = v(a, l, L), and its derivatives with L and `before`."""
    r = records[i]
    low = r.shortest
    g = _miss(records, curves, i, a, before, c, L, low)[0]
    if not g < 0.0:
        return low, 0.0, 0.0
    high = max(before, low) + r.fibre
    for _ in range(60):
        if _miss(records, curves, i, a, before, c, L, high)[0] > 0.0:
            break
        high += 2.0 * (high - low)
    l = min(max(before, low), high)
    for _ in range(_ITERATIONS):
        g, slope, _, _ = _miss(records, curves, i, a, before, c, L, l)
        if g > 0.0:
            high = l
        else:
            low = l
        after = l - g / slope if slope > 0.0 else high
        if abs(after - l) <= _SETTLED * r.fibre:
            l = after
            break
        l = after if low < after < high else 0.5 * (low + high)
    g, slope, g_L, g_before = _miss(records, curves, i, a, before, c, L, l)
    if not slope > 0.0:
        return l, 0.0, 0.0
    return l, -g_L / slope, -g_before / slope


@subroutine
def tension(records: Records, curves: Floats, i: int, l: float, L: float) -> tuple[float, float, float]:
    """Tension [N] of the tendon beside a fibre of length l, and its derivatives with L and l [N/m]."""
    r = records[i]
    flat, cosine = along_tendon(r.height, l)
    t, t_l = tendon_force(records, curves, i, L - flat)
    return r.force * t, r.force * t_l, -r.force * t_l / cosine


@subroutine
def resting_fibre(records: Records, curves: Floats, i: int, a: float, L: float) -> float:
    """Fibre length at which fibre and tendon are in equilibrium without moving [m]."""
    r = records[i]
    if r.rigid == 1:
        flat = L - r.slack
        return float(max(r.shortest, np.sqrt(flat * flat + r.height * r.height) if flat > 0.0 else 0.0))
    low, high = r.shortest, max(L, r.shortest) + r.fibre
    for _ in range(200):
        l = 0.5 * (low + high)
        flat, cosine = along_tendon(r.height, l)
        f = fibre_force(records, curves, i, a, l, 0.0)[0] * cosine
        if f > tendon_force(records, curves, i, L - flat)[0]:
            high = l
        else:
            low = l
        if high - low <= 1e-15 * r.fibre:
            break
    return float(0.5 * (low + high))


@njit
def resting_fibres(records: Records, curves: Floats, a: Floats, L: Floats, out: Floats) -> None:
    """`resting_fibre` of many muscles."""
    for i in range(len(records)):
        out[i] = resting_fibre(records, curves, i, a[i], L[i])


@njit
def fibre_velocities(records: Records, curves: Floats, a: Floats, l: Floats, L: Floats, out: Floats) -> None:
    """`fibre_velocity` of many muscles."""
    for i in range(len(records)):
        out[i] = fibre_velocity(records, curves, i, a[i], l[i], L[i])


@njit
def tensions(
    records: Records, curves: Floats, a: Floats, l: Floats, L: Floats, rate: Floats, out: Floats
) -> None:
    """Tension [N] of many muscles at fibre lengths l, of those with a rigid tendon at musculotendon rates [m/s]."""
    for i in range(len(records)):
        if records[i].rigid == 1:
            out[i] = rigid_force(records, curves, i, a[i], L[i], rate[i])[0]
        else:
            out[i] = tension(records, curves, i, l[i], L[i])[0]
