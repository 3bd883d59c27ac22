"""Up to which time two scenes are the same: where a change of keys begins to matter."""

from __future__ import annotations

from math import inf
from typing import Any

import msgspec

from ..scene.spec import Constant, Sampled, SceneSpec, Switch, TimeSpec

REACH = {"cubic": 8, "linear": 1, "step": 0}
"""Samples before one that is changed by which the curve may differ: a cubic spline's changes fade by 0.27 a sample, to
3e-5 of themselves here."""
NOISE = 1e-6
"""Difference of samples [rad, m] that is none: Blender keeps its channels in single precision."""
NO_MATTER = {"name", "task"}
"""What a scene has that does not move anything."""


def same_until(a: SceneSpec, b: SceneSpec) -> float:
    """Time [s] up to which both move alike: -inf where they differ from the start, inf where they are the same."""
    return min(_same(getattr(a, name), getattr(b, name)) for name in _fields(a) if name not in NO_MATTER)


def _fields(thing: msgspec.Struct) -> tuple[str, ...]:
    return thing.__struct_fields__


def _same(a: Any, b: Any) -> float:
    if a == b:
        return inf
    if isinstance(a, Constant) and isinstance(b, Sampled):
        a = Sampled(b.times, [a.value] * len(b.times), b.interpolation)
    if isinstance(b, Constant) and isinstance(a, Sampled):
        b = Sampled(a.times, [b.value] * len(a.times), a.interpolation)
    if type(a) is not type(b):
        return -inf
    if isinstance(a, Sampled):
        return _same_samples(a, b)
    if isinstance(a, TimeSpec):
        alike = (a.start, a.step, a.record) == (b.start, b.step, b.record)
        return min(a.end, b.end) if alike else -inf
    if isinstance(a, msgspec.Struct):
        return min(_same(getattr(a, name), getattr(b, name)) for name in _fields(a))
    if isinstance(a, list):
        if all(isinstance(each, Switch) for each in [*a, *b]):
            return _same_switches(a, b)
        if len(a) == len(b):
            return min(map(_same, a, b))
    return -inf


def _same_samples(a: Sampled, b: Sampled) -> float:
    if a.interpolation != b.interpolation:
        return -inf
    pairs = zip(a.times, a.values, b.times, b.values)
    shorter = min(len(a.times), len(b.times))
    first = next((i for i, (s, x, t, y) in enumerate(pairs) if s != t or abs(x - y) > NOISE), shorter)
    if first == len(a.times) == len(b.times):
        return inf
    first -= REACH[a.interpolation] + (a.interpolation == "step" and first > 0)
    return a.times[first] if first > 0 else -inf


def _same_switches(a: list[Switch], b: list[Switch]) -> float:
    """Modes over time: up to the first that is another."""
    rest_a, rest_b = list(a), list(b)
    while rest_a and rest_b and rest_a[0] == rest_b[0]:
        del rest_a[0], rest_b[0]
    until = min(each[0].time for each in (rest_a, rest_b) if each)
    return until if until > 0.0 else -inf
