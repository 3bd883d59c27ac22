"""Lengths and moment arms of a model's muscles in a pose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .paths import exact
from .records import Floats, MusclePath, PathShape
from .skeleton import Motion, Skeleton, coupled, follow_couplers, move

Evaluate = Callable[..., PathShape]


@dataclass(frozen=True)
class Measured:
    length: float
    """[m]"""
    gradient: Floats
    """d length / d coordinate, shape (n,); the moment arm is its negative [m/rad, -]."""
    shape: PathShape


def gradient_of(path: MusclePath, shape: PathShape, motion: Motion, n: int) -> Floats:
    """d length by every coordinate."""
    out = np.zeros(n)
    for b in np.flatnonzero(np.abs(shape.gradient).sum(axis=1)):
        out += shape.gradient[b] @ motion.body_jacobian(int(b))
    out[path.coordinates] += shape.coordinate_gradient
    return out


def measure(
    skeleton: Skeleton,
    path: MusclePath,
    q: Any,
    motion: Motion | None = None,
    evaluate: Evaluate = exact.evaluate,
) -> Measured:
    """One muscle at coordinates q, whose couplers have been followed."""
    motion = move(skeleton, q) if motion is None else motion
    shape = evaluate(path, motion.poses, (), q)
    gradient = coupled(skeleton, np.asarray(q), gradient_of(path, shape, motion, len(skeleton.coordinates)))
    return Measured(shape.length, gradient, shape)


def measure_all(
    skeleton: Skeleton, paths: list[MusclePath], q: Any, evaluate: Evaluate = exact.evaluate
) -> dict[str, Measured]:
    """Every muscle, by name."""
    q = follow_couplers(skeleton, np.asarray(q, float))
    motion = move(skeleton, q)
    return {path.name: measure(skeleton, path, q, motion, evaluate) for path in paths}
