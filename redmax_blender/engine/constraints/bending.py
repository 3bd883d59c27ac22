"""How far a step follows the curve of the way that loops leave (`active._bend`)."""

from __future__ import annotations

import math

from ..jit.decorators import borrower, inline, njit
from ..model.records import Floats

TURN = 0.3
"""Angle [rad] by which links turn in a step as long as their way is near enough to a parabola."""


@inline
def bend_share(turn: float) -> float:
    """Part of the bend that is followed where links turn by up to so much in a step [rad]."""
    return 1.0 if turn <= TURN else (TURN / turn) * (TURN / turn)


@borrower
def fastest_turn(V: Floats) -> float:
    """Angular velocity of the link that turns fastest [rad/s], from twists V (nl, 6)."""
    square = 0.0
    for j in range(len(V)):
        square = max(square, V[j, 0] * V[j, 0] + V[j, 1] * V[j, 1] + V[j, 2] * V[j, 2])
    return math.sqrt(square)


@njit
def share_of(V: Floats, h: float) -> float:
    """Of a step of h [s] with link twists V, for what is not a kernel."""
    return bend_share(h * fastest_turn(V))
