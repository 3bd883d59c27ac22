"""Curves backwards: how their values and rates change with the numbers that they are made of."""

from __future__ import annotations

import math

import numpy as np

from ..jit.decorators import njit
from ..model.curves import Curves
from ..model.records import Floats, Ints


def add_curves(
    curves: Curves, times: float | Floats, value: Floats, rate: Floats | None, out: Floats
) -> None:
    """Add Σ value · ∂(curve value)/∂data + rate · ∂(curve rate)/∂data to `out`, which has the shape of curves.data.

    times: one argument, or one a curve; value and rate: weights, shape (n,).
    """
    n = len(curves.target)
    if n:
        bars: Floats = np.zeros((n, 2))
        bars[:, 0] = value
        if rate is not None:
            bars[:, 1] = rate
        at = np.broadcast_to(np.asarray(times, float), (n,)).copy()
        _add(curves.first, curves.until, curves.formula, curves.at, curves.data, at, bars, out)


@njit
def _add(
    first: Ints,
    until: Floats,
    formula: Ints,
    at: Ints,
    data: Floats,
    times: Floats,
    bars: Floats,
    out: Floats,
) -> None:
    for i in range(len(times)):
        t, x, v = times[i], bars[i, 0], bars[i, 1]
        if x == 0.0 and v == 0.0:
            continue
        p = first[i]
        while p < first[i + 1] - 1 and t >= until[p]:
            p += 1
        a, b = at[p], at[p + 1]
        if formula[p] == 0:
            dt = t - data[a]
            power, slope, count = 1.0, 0.0, 0.0  # dt^k and its derivative
            for k in range(a + 1, b):
                out[k] += x * power + v * slope
                out[a] -= data[k] * (x * slope + v * count)
                # the second derivative of dt^(k+1), then the first, then the power
                count = dt * count + 2.0 * slope
                slope = dt * slope + power
                power *= dt
        elif formula[p] == 1:
            size, omega = data[a], data[a + 1]
            s, c = math.sin(omega * t + data[a + 2]), math.cos(omega * t + data[a + 2])
            out[a] += x * s + v * omega * c
            out[a + 1] += x * size * t * c + v * size * (c - omega * t * s)
            out[a + 2] += x * size * c - v * size * omega * s
            out[a + 3] += x
        else:
            height, rate, middle = data[a], data[a + 1], data[a + 2]
            s = 1.0 / (1.0 + math.exp(min(-rate * (t - middle), 700.0)))
            ds = s * (1.0 - s)  # by the exponent's argument
            dds = ds * (1.0 - 2.0 * s)
            y = t - middle
            out[a] += x * s + v * rate * ds
            out[a + 1] += height * (x * ds * y + v * (ds + rate * dds * y))
            out[a + 2] -= height * rate * (x * ds + v * rate * dds)
