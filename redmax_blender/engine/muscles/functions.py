"""Functions of coordinates, as musculoskeletal models have them: each with its first and second derivative.

`f(x)` is the value, `f(x, 1)` and `f(x, 2)` are derivatives. The spline is that of Forsythe, Malcolm and Moler,
whose end conditions are the third derivatives of the cubics through the four outermost knots; beyond them it goes on
straight.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .records import Curve


@dataclass(frozen=True)
class Constant:
    value: float

    def __call__(self, x: float, order: int = 0) -> float:
        return self.value if order == 0 else 0.0


@dataclass(frozen=True)
class Linear:
    slope: float
    intercept: float = 0.0

    def __call__(self, x: float, order: int = 0) -> float:
        return self.slope * x + self.intercept if order == 0 else (self.slope if order == 1 else 0.0)


@dataclass(frozen=True)
class Polynomial:
    coefficients: tuple[float, ...]
    """Highest power first."""

    def __call__(self, x: float, order: int = 0) -> float:
        return float(np.polyval(np.polyder(np.array(self.coefficients), order), x))


@dataclass(frozen=True)
class Wave:
    """amplitude sin(frequency x + phase) + offset."""

    amplitude: float
    frequency: float
    phase: float
    offset: float = 0.0

    def __call__(self, x: float, order: int = 0) -> float:
        turned = (
            self.amplitude
            * self.frequency**order
            * math.sin(self.frequency * x + self.phase + order * math.pi / 2)
        )
        return turned + (self.offset if order == 0 else 0.0)


@dataclass(frozen=True)
class Scaled:
    scale: float
    of: Curve

    def __call__(self, x: float, order: int = 0) -> float:
        return self.scale * self.of(x, order)


class PiecewiseLinear:
    def __init__(self, x: list[float], y: list[float]) -> None:
        self.x, self.y = x, y
        self.slopes = [(y[i + 1] - y[i]) / (x[i + 1] - x[i]) for i in range(len(x) - 1)]

    def __call__(self, x: float, order: int = 0) -> float:
        if len(self.x) < 2:
            return self.y[0] if order == 0 else 0.0
        i = min(max(bisect_right(self.x, x) - 1, 0), len(self.slopes) - 1)
        if order == 0:
            return self.y[i] + self.slopes[i] * (x - self.x[i])
        return self.slopes[i] if order == 1 else 0.0


class CubicSpline:
    """Through knots; `ends` is 'cubic' (Forsythe, Malcolm and Moler) or 'natural'."""

    def __init__(self, x: list[float], y: list[float], ends: str = "cubic") -> None:
        self.x, self.y, self.ends = x, y, ends
        n = len(x)
        if n < 3:
            slope = (y[1] - y[0]) / (x[1] - x[0])
            self.b, self.c, self.d = [slope, slope], [0.0, 0.0], [0.0, 0.0]
            return
        h, rise = np.diff(x), np.diff(y) / np.diff(x)
        # Unknown: half the second derivatives at the knots, c.
        A, right = np.zeros((n, n)), np.zeros(n)
        for i in range(1, n - 1):
            A[i, i - 1 : i + 2] = h[i - 1], 2.0 * (h[i - 1] + h[i]), h[i]
            right[i] = 3.0 * (rise[i] - rise[i - 1])
        if ends == "natural":
            A[0, 0] = A[-1, -1] = 1.0
        else:
            A[0, 0], A[0, 1] = -h[0], h[0]
            A[-1, -2], A[-1, -1] = h[-1], -h[-1]
            if n > 3:
                second = np.diff(rise) / (np.array(x[2:]) - np.array(x[:-2]))
                right[0] = 3.0 * h[0] ** 2 * (second[1] - second[0]) / (x[3] - x[0])
                right[-1] = -3.0 * h[-1] ** 2 * (second[-1] - second[-2]) / (x[-1] - x[-4])
        c = np.linalg.solve(A, right)
        b = rise - h * (2.0 * c[:-1] + c[1:]) / 3.0
        d = np.diff(c) / (3.0 * h)
        last = b[-1] + h[-1] * (2.0 * c[-2] + 3.0 * d[-1] * h[-1])
        self.b, self.c, self.d = [*b.tolist(), float(last)], c.tolist(), [*d.tolist(), 0.0]

    def __call__(self, x: float, order: int = 0) -> float:
        knots = self.x
        if x < knots[0] or x > knots[-1]:
            i = 0 if x < knots[0] else len(knots) - 1
            if order == 0:
                return self.y[i] + self.b[i] * (x - knots[i])
            return self.b[i] if order == 1 else 0.0
        i = min(bisect_right(knots, x) - 1, len(knots) - 2)
        u = x - knots[i]
        if order == 0:
            return self.y[i] + u * (self.b[i] + u * (self.c[i] + u * self.d[i]))
        if order == 1:
            return self.b[i] + u * (2.0 * self.c[i] + 3.0 * u * self.d[i])
        return 2.0 * self.c[i] + 6.0 * u * self.d[i]


def rows_of(curve: Curve) -> NDArray[np.float64]:
    """A piecewise cubic as knots: place, value, and the three other coefficients to the next, shape (n, 5)."""
    if isinstance(curve, CubicSpline):
        return np.array([curve.x, curve.y, curve.b, curve.c, curve.d], float).T.copy()
    assert isinstance(curve, PiecewiseLinear)
    out = np.zeros((len(curve.x), 5))
    out[:, 0], out[:, 1] = curve.x, curve.y
    out[:-1, 2], out[-1, 2] = curve.slopes, curve.slopes[-1]
    return out


class Step:
    """From one value to another between two places, with a quintic."""

    def __init__(self, start: float, end: float, low: float, high: float) -> None:
        self.start, self.end, self.low, self.high = start, end, low, high

    def __call__(self, x: float, order: int = 0) -> float:
        width = self.end - self.start
        u = min(max((x - self.start) / width, 0.0), 1.0)
        rise = self.high - self.low
        if order == 0:
            return self.low + rise * u**3 * (10.0 + u * (6.0 * u - 15.0))
        if order == 1:
            return rise * 30.0 * u**2 * (1.0 - u) ** 2 / width
        return rise * 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u) / width**2


def plain(curve: Any) -> Any:
    """A scaled line as a line; anything else as it is."""
    if isinstance(curve, Scaled):
        inner = plain(curve.of)
        if isinstance(inner, Linear):
            return Linear(curve.scale * inner.slope, curve.scale * inner.intercept)
    return curve
