"""Vectors of three numbers as tuples, for kernels."""

from __future__ import annotations

import math
from typing import Any

from ...jit.decorators import inline

Tuple = Any


@inline
def dot(a: Tuple, b: Tuple) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inline
def cross(a: Tuple, b: Tuple) -> Tuple:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@inline
def axpy(s: float, a: Tuple, b: Tuple) -> Tuple:
    """s a + b."""
    return (s * a[0] + b[0], s * a[1] + b[1], s * a[2] + b[2])


@inline
def scaled(s: float, a: Tuple) -> Tuple:
    return (s * a[0], s * a[1], s * a[2])


@inline
def blend(s: float, a: Tuple, t: float, b: Tuple) -> Tuple:
    """s a + t b."""
    return (s * a[0] + t * b[0], s * a[1] + t * b[1], s * a[2] + t * b[2])


@inline
def norm(a: Tuple) -> Any:
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@inline
def unit(a: Tuple) -> Tuple:
    s = 1.0 / math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
    return (s * a[0], s * a[1], s * a[2])
