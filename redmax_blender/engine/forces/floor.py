"""A springy floor under flesh: it pushes back where points of a surface are below it, and never pulls.

The points move with the tetrahedra that hold them at constant weights. A point at depth d feels the force k d along
the floor's normal, and while it is below the floor dampers along the normal and across it. These are in the matrix of
the implicit step only, as all dampers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.spatial import Tuple
from ..jit.decorators import inline, njit
from ..model.records import Floats, Ints


@dataclass(frozen=True)
class Floor:
    """n points, each above its own plane."""

    corner: Ints
    """Vertices that each point follows, shape (n, 4)."""
    weight: Floats
    """Their weights, shape (n, 4)."""
    block: Ints
    """Block of each pair of these vertices, shape (n, 16)."""
    plane: Floats
    """Unit normal and its product with a point of the plane [m], shape (n, 4)."""
    stiffness: Floats
    """[N/m], shape (n,)."""
    damping: Floats
    """Along the normal and across it [N·s/m], shape (n, 2)."""


@inline
def _depth(corner: Ints, weight: Floats, plane: Floats, x: Floats, n: int) -> float:
    depth = plane[n, 3]
    for k in range(4):
        i = corner[n, k]
        depth -= weight[n, k] * (plane[n, 0] * x[i, 0] + plane[n, 1] * x[i, 1] + plane[n, 2] * x[i, 2])
    return float(depth)


@inline
def _block(plane: Floats, n: int, along: float, across: float) -> Tuple:
    """along · n nᵀ + across · (1 - n nᵀ)."""
    a, b, c, g = plane[n, 0], plane[n, 1], plane[n, 2], along - across
    return (
        across + g * a * a, g * a * b, g * a * c,
        g * a * b, across + g * b * b, g * b * c,
        g * a * c, g * b * c, across + g * c * c,
    )  # fmt: skip


@njit
def _energy(corner: Ints, weight: Floats, plane: Floats, stiffness: Floats, x: Floats) -> float:
    total = 0.0
    for n in range(len(corner)):
        d = _depth(corner, weight, plane, x, n)
        if d > 0.0:
            total += 0.5 * stiffness[n] * d * d
    return total


def floor_energy(floor: Floor, x: Floats) -> float:
    """[J] at positions x (nv, 3) [m]."""
    return float(_energy(floor.corner, floor.weight, floor.plane, floor.stiffness, x))


@njit
def _add(
    corner: Ints,
    weight: Floats,
    block: Ints,
    plane: Floats,
    stiffness: Floats,
    damping: Floats,
    x: Floats,
    h: float,
    f: Floats,
    value: Floats,
) -> int:
    touching = 0
    for n in range(len(corner)):
        d = _depth(corner, weight, plane, x, n)
        if d <= 0.0:
            continue
        touching += 1
        K = _block(plane, n, h * (damping[n, 0] + h * stiffness[n]), h * damping[n, 1])
        for i in range(4):
            w = weight[n, i]
            for c in range(3):
                f[corner[n, i], c] += stiffness[n] * d * w * plane[n, c]
            for j in range(4):
                for c in range(9):
                    value[block[n, 4 * i + j], c] += w * weight[n, j] * K[c]
    return touching


def add_floor(floor: Floor, x: Floats, h: float, f: Floats, value: Floats) -> int:
    """Add the forces [N] at positions x (nv, 3) [m] to f (nv, 3), and h D - h² K to blocks of the pattern (nb, 9).

    Returns how many points touch the floor.
    """
    return int(
        _add(
            floor.corner, floor.weight, floor.block, floor.plane, floor.stiffness, floor.damping, x, h, f, value
        )
    )  # fmt: skip


def join_floors(floors: list[Floor]) -> Floor:
    """The points of several floors, in order."""
    fields = ("corner", "weight", "block", "plane", "stiffness", "damping")
    return Floor(*(np.concatenate([getattr(floor, name) for floor in floors]) for name in fields))
