"""Prismatic, planar and translational joints (supplement §4.2-4.4): lengths along one, two or three fixed axes."""

from __future__ import annotations

from ..algebra.spatial import Floats, Row, Tuple
from ..jit.decorators import inline


@inline
def translation(x: float, y: float, z: float) -> Tuple:
    return (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, x, y, z)


@inline
def prismatic_transform(params: Row, at: int, q: Row, i: int) -> Tuple:
    return translation(params[at] * q[i], params[at + 1] * q[i], params[at + 2] * q[i])


@inline
def prismatic_subspace(params: Row, at: int, S: Floats, i: int) -> None:
    S[i, 0] = S[i, 1] = S[i, 2] = 0.0
    S[i, 3] = params[at]
    S[i, 4] = params[at + 1]
    S[i, 5] = params[at + 2]


@inline
def axes_subspace(S: Floats, i: int, n: int) -> None:
    """The first n coordinate axes, for the planar (n = 2) and the translational joint (n = 3)."""
    for k in range(n):
        for c in range(6):
            S[i + k, c] = 0.0
        S[i + k, 3 + k] = 1.0
