"""The kinds of solids that the collision kernels know."""

from __future__ import annotations

from enum import IntEnum
from typing import Final


class Solid(IntEnum):
    """What a piece is, and what its three sizes mean [m]. Every piece is centred at its own origin."""

    SPHERE = 0
    """A point; its radius is the piece's rounding."""
    CAPSULE = 1
    """A segment along z of half length size[2]; its radius is the piece's rounding."""
    BOX = 2
    """Half lengths along x, y, z."""
    HULL = 3
    """A convex polytope: its vertices."""
    CYLINDER = 4
    """Exact: radius size[0], half height size[2], along z."""
    ELLIPSOID = 5
    """Exact: radii along x, y, z."""
    PLANE = 6
    """Everything with z < 0 is solid."""
    MESH = 7
    """A triangle mesh; colliders only."""


SPHERE: Final = int(Solid.SPHERE)
CAPSULE: Final = int(Solid.CAPSULE)
BOX: Final = int(Solid.BOX)
HULL: Final = int(Solid.HULL)
CYLINDER: Final = int(Solid.CYLINDER)
ELLIPSOID: Final = int(Solid.ELLIPSOID)
PLANE: Final = int(Solid.PLANE)
MESH: Final = int(Solid.MESH)

KEYS: Final = 1 << 20
"""Numbers that a pair of pieces has for the features of its contacts; a contact's key is pair · KEYS + feature."""
MOST: Final = 5
"""Contacts that two convex pieces have at most: four, and the guard."""
GUARD: Final = KEYS - 1
"""The feature that is none: a row that only keeps the middle of a body from passing (`narrow/guard.py`)."""


class Edge(IntEnum):
    """What an edge of a triangle in a mesh is."""

    FLUSH = 0
    """The triangle beyond it goes on in the same plane."""
    RIDGE = 1
    """The triangle beyond it falls away."""
    CREASE = 2
    """The triangle beyond it rises."""
    BORDER = 3
    """Nothing is beyond it, or several triangles are."""


FLUSH: Final = int(Edge.FLUSH)
RIDGE: Final = int(Edge.RIDGE)
CREASE: Final = int(Edge.CREASE)
BORDER: Final = int(Edge.BORDER)
