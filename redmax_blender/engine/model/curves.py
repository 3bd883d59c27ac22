"""Inputs that vary with time: the curves of a scene packed into arrays, with their first two time
derivatives.

Every curve becomes a row of *pieces* in time, and every piece is one of three formulas: a polynomial, a sine
or a logistic. A constant is a polynomial of degree 0, a smooth step is constant, quintic, constant, and
sampled values are the pieces of their interpolant between two constants. One kernel then evaluates hundreds
of curves in microseconds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from ..jit.decorators import njit
from ..scene import Constant, Curve, Logistic, Piece, Piecewise, Polynomial, Sampled, Sine, SmoothStep

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Formula(IntEnum):
    """How a piece is evaluated, and what its parameters are."""

    POLYNOMIAL = 0
    """t0, then the coefficients of (t - t0)^k, lowest first."""
    SINE = 1
    """amplitude, angular frequency [rad/s], phase [rad], offset."""
    LOGISTIC = 2
    """height, rate [1/s], time of the middle [s]: height / (1 + exp(-rate · (t - middle)))."""


@dataclass(frozen=True)
class Curves:
    """n curves and the coordinate that each of them drives."""

    target: Ints
    """The coordinate of each curve, shape (n,)."""
    first: Ints
    """Curve i has the pieces first[i]:first[i+1], shape (n+1,)."""
    until: Floats
    """First time [s] at which the next piece applies; infinite for the last of a curve, shape (pieces,)."""
    formula: Ints
    """`Formula` of each piece, shape (pieces,)."""
    at: Ints
    """Piece p has the parameters data[at[p]:at[p+1]], shape (pieces+1,)."""
    data: Floats

    def __len__(self) -> int:
        return len(self.target)


_Segment = tuple[float, Formula, list[float]]
"""until [s], formula, parameters."""


def pack(curves: Iterable[tuple[int, Curve, str]]) -> Curves:
    """Pack (coordinate, curve, place in the scene) into arrays; the place is for error messages."""
    target: list[int] = []
    first, at = [0], [0]
    until: list[float] = []
    formula: list[int] = []
    data: list[float] = []
    for coordinate, curve, place in curves:
        target.append(coordinate)
        for end, kind, parameters in _segments(curve, place):
            until.append(end)
            formula.append(int(kind))
            data.extend(parameters)
            at.append(len(data))
        first.append(len(until))
    return Curves(
        np.array(target, np.int64), np.array(first, np.int64), np.array(until, np.float64),
        np.array(formula, np.int64), np.array(at, np.int64), np.array(data, np.float64),
    )  # fmt: skip


def evaluate(curves: Curves, t: float) -> Floats:
    """Value, first and second time derivative of every curve at time t [s], shape (n, 3)."""
    return evaluate_each(curves, np.full(len(curves.target), float(t)))


def evaluate_each(curves: Curves, t: Floats) -> Floats:
    """The same with a time, or another argument, for each curve: t has shape (n,)."""
    out = np.empty((len(curves.target), 3))
    evaluate_pieces(curves.first, curves.until, curves.formula, curves.at, curves.data, t, out)
    return out


@njit
def evaluate_pieces(
    first: Ints, until: Floats, formula: Ints, at: Ints, data: Floats, times: Floats, out: Floats
) -> None:
    for i in range(out.shape[0]):
        t = times[i]
        low, high = first[i], first[i + 1] - 1
        while low < high:  # the first piece with t < until; the last one has until = inf
            middle = (low + high) // 2
            if t < until[middle]:
                high = middle
            else:
                low = middle + 1
        a, b = at[low], at[low + 1]
        if formula[low] == 0:
            dt = t - data[a]
            x = 0.0
            v = 0.0
            half = 0.0
            for k in range(b - 1, a, -1):  # Horner's scheme for the polynomial and its derivatives
                half = half * dt + v
                v = v * dt + x
                x = x * dt + data[k]
            out[i, 0], out[i, 1], out[i, 2] = x, v, 2.0 * half
        elif formula[low] == 1:
            amplitude, omega = data[a], data[a + 1]
            s = amplitude * math.sin(omega * t + data[a + 2])
            out[i, 0] = data[a + 3] + s
            out[i, 1] = amplitude * omega * math.cos(omega * t + data[a + 2])
            out[i, 2] = -omega * omega * s
        else:
            height, rate = data[a], data[a + 1]
            # Beyond 700 the exponential overflows; the value is 0 to 300 digits by then.
            s = 1.0 / (1.0 + math.exp(min(-rate * (t - data[a + 2]), 700.0)))
            slope = rate * s * (1.0 - s)
            out[i, 0] = height * s
            out[i, 1] = height * slope
            out[i, 2] = height * rate * slope * (1.0 - 2.0 * s)


def _segments(curve: Curve, place: str) -> list[_Segment]:
    """The pieces of a curve from minus infinity on; the last one is for ever."""
    match curve:
        case Constant(value=value):
            return [_constant(value, math.inf)]
        case Polynomial():
            if not curve.coefficients:
                raise SceneError(
                    f"{place}.coefficients", "the list is empty", "Give at least one coefficient."
                )
            return [(math.inf, Formula.POLYNOMIAL, [curve.t0, *curve.coefficients])]
        case Sine():
            omega = 2.0 * math.pi * curve.frequency
            return [(math.inf, Formula.SINE, [curve.amplitude, omega, curve.phase, curve.offset])]
        case Logistic():
            _check_order(curve.t0, curve.t1, place)
            rate = 2.0 * curve.steepness / (curve.t1 - curve.t0)
            return [(math.inf, Formula.LOGISTIC, [curve.height, rate, 0.5 * (curve.t0 + curve.t1)])]
        case SmoothStep():
            return _smooth_step(curve, place)
        case Sampled():
            return _sampled(curve, place)
        case Piecewise():
            return _piecewise(curve.pieces, f"{place}.pieces")


def _constant(value: float, until: float) -> _Segment:
    return (until, Formula.POLYNOMIAL, [0.0, value])


def _check_order(t0: float, t1: float, place: str) -> None:
    if not t1 > t0:
        raise SceneError(f"{place}.t1", f"t1 = {t1} s is not after t0 = {t0} s", "Make t1 larger than t0.")


def _smooth_step(curve: SmoothStep, place: str) -> list[_Segment]:
    _check_order(curve.t0, curve.t1, place)
    span = curve.t1 - curve.t0
    rise = curve.end - curve.start
    quintic = [curve.start, 0.0, 0.0] + [rise * c / span**k for k, c in ((3, 10.0), (4, -15.0), (5, 6.0))]
    return [
        _constant(curve.start, curve.t0),
        (curve.t1, Formula.POLYNOMIAL, [curve.t0, *quintic]),
        _constant(curve.end, math.inf),
    ]


def _sampled(curve: Sampled, place: str) -> list[_Segment]:
    times, values = curve.times, curve.values
    if not times:
        raise SceneError(f"{place}.times", "the list is empty", "Give at least one time and value.")
    if len(times) != len(values):
        raise SceneError(
            f"{place}.values",
            f"there are {len(values)} values for {len(times)} times",
            "Give one value a time.",
        )
    for i in range(1, len(times)):
        if not times[i] > times[i - 1]:
            raise SceneError(
                f"{place}.times[{i}]",
                f"{times[i]} s does not come after {times[i - 1]} s",
                "Give the times in increasing order, each of them once.",
            )
    if len(times) == 1:
        return [_constant(values[0], math.inf)]
    if curve.interpolation == "step":
        held = [_constant(value, until) for value, until in zip(values, times[1:], strict=False)]
        return [*held, _constant(values[-1], math.inf)]
    if curve.interpolation == "linear":
        slopes = np.diff(values) / np.diff(times)
        coefficients = np.stack([np.asarray(values[:-1], float), slopes], axis=1)
    else:
        # Not-a-knot: two continuous derivatives, and exact for cubics up to both ends, so that accelerations
        # derived from dense keys are good at the first and last key as well.
        from scipy.interpolate import CubicSpline  # takes a quarter of the engine's import time

        coefficients = CubicSpline(times, values).c[::-1].T
    # The last piece holds a hair beyond the last time: a time that was summed up step by step and exceeds it
    # by rounding still has the velocity of the motion, not that of the hold after it.
    ends = [*times[1:-1], times[-1] + 1e-9 * (times[-1] - times[-2])]
    pieces: list[_Segment] = [
        (end, Formula.POLYNOMIAL, [start, *row])
        for start, end, row in zip(times[:-1], ends, coefficients.tolist(), strict=True)
    ]
    return [_constant(values[0], times[0]), *pieces, _constant(values[-1], math.inf)]


def _piecewise(pieces: list[Piece], place: str) -> list[_Segment]:
    if not pieces:
        raise SceneError(place, "the list is empty", "Give at least one piece.")
    segments: list[_Segment] = []
    begin = -math.inf
    for i, piece in enumerate(pieces):
        last = i == len(pieces) - 1
        if last and piece.until is not None:
            raise SceneError(
                f"{place}[{i}].until", "the last piece ends", "Leave `until` out: the last piece is for ever."
            )
        if not last and piece.until is None:
            raise SceneError(
                f"{place}[{i}].until", "a piece that is not the last has no end", "Say until when it applies."
            )
        end = math.inf if piece.until is None else piece.until
        if not end > begin:
            raise SceneError(
                f"{place}[{i}].until", f"{end} s does not come after {begin} s", "Give increasing times."
            )
        before = -math.inf
        for until, formula, parameters in _segments(piece.curve, f"{place}[{i}].curve"):
            if until > begin and before < end:
                segments.append((min(until, end), formula, parameters))
            before = until
        begin = end
    return segments
