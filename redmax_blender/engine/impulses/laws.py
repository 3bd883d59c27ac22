"""What the impulses of a block of rows may be."""

from __future__ import annotations

import math

from ..jit.decorators import borrower
from ..model.records import Floats

EQUAL, PUSH, BOX, DISC = 0, 1, 2, 3
"""Kinds of blocks."""


@borrower
def length(x: Floats, a: int, b: int) -> float:
    total = 0.0
    for i in range(a, b):
        total += x[i] * x[i]
    return math.sqrt(total)


@borrower
def mean_diagonal(W: Floats, a: int, b: int) -> float:
    total = 0.0
    for i in range(a, b):
        total += W[i, i]
    return total / (b - a)


@borrower
def project(kind: int, i: int, j: int, bound: float, lam: Floats) -> None:
    """The nearest impulses that a block with the rows i:j may have."""
    if kind == PUSH:
        lam[i] = max(lam[i], 0.0)
    elif kind == BOX:
        lam[i] = min(max(lam[i], -bound), bound)
    elif kind == DISC:
        size = length(lam, i, j)
        if size > bound:
            for c in range(i, j):
                lam[c] *= bound / size
