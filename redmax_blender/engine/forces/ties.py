"""Soft attachments: springs of no length between vertices of flesh and anchors that links carry.

An anchor counts among the held vertices of its flesh, without mass, so that what pulls at it reaches its link by the
same Jacobian as all that held vertices feel. The stiffer the springs, the nearer this is to vertices that are held
themselves: the constraint of Eq. 6, by a penalty.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..jit.decorators import njit
from ..model.records import Floats, Ints


@dataclass(frozen=True)
class Ties:
    """n springs."""

    ends: Ints
    """The vertex and the anchor of each, shape (n, 2)."""
    stiffness: Floats
    """[N/m], shape (n,)."""
    block: Ints
    """Blocks of vertex and vertex, vertex and anchor, anchor and vertex, anchor and anchor, shape (n, 4)."""


@njit
def _energy(ends: Ints, stiffness: Floats, x: Floats) -> float:
    total = 0.0
    for n in range(len(ends)):
        for c in range(3):
            d = x[ends[n, 1], c] - x[ends[n, 0], c]
            total += 0.5 * stiffness[n] * d * d
    return total


def tie_energy(ties: Ties, x: Floats) -> float:
    """[J] at positions x (nv, 3) [m], anchors included."""
    return float(_energy(ties.ends, ties.stiffness, x))


@njit
def _add(
    ends: Ints, stiffness: Floats, block: Ints, x: Floats, scale: float, f: Floats, value: Floats
) -> None:
    for n in range(len(ends)):
        i, j = ends[n, 0], ends[n, 1]
        k = scale * stiffness[n]
        for c in range(3):
            pull = stiffness[n] * (x[j, c] - x[i, c])
            f[i, c] += pull
            f[j, c] -= pull
            value[block[n, 0], 4 * c] += k
            value[block[n, 1], 4 * c] -= k
            value[block[n, 2], 4 * c] -= k
            value[block[n, 3], 4 * c] += k


def add_ties(ties: Ties, x: Floats, h: float, f: Floats, value: Floats) -> None:
    """Add the forces [N] at positions x (nv, 3) [m] to f (nv, 3), and -h² K to blocks of the pattern (nb, 9)."""
    _add(ties.ends, ties.stiffness, ties.block, x, h * h, f, value)
