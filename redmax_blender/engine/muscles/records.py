"""Data types of a muscle's path: what it is attached to and what it slides over.

A path is a row of points, each fixed to a frame, and between two of them it may slide over surfaces, each fixed to a
frame as well. *Frames* are numbered: a row of poses (nf, 12), rotation matrix row by row and then the origin, as the
engine keeps them everywhere, says where they are; their twists are (angular, linear) in the frame itself. The world is
frame -1. Lengths in metres, angles in radians.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

WORLD = -1


class Surface(IntEnum):
    """What a path can slide over. In each frame of a surface, the axis of symmetry is z."""

    CYLINDER = 0
    """Without ends; `size` = (radius, -, -)."""
    SPHERE = 1
    """`size` = (radius, -, -)."""
    ELLIPSOID = 2
    """`size` = the half axes along x, y, z."""
    TORUS = 3
    """`size` = (radius of the ring, radius of the tube, -); a path goes through the hole."""
    CAPSULE = 4
    """Points within a radius of the axis from z = -length to z = 0; `size` = (radius, length, -). With length = inf it
    is the cylinder with a sphere at its upper end."""


class Side(IntEnum):
    """Which way round a surface a path goes, seen along +z of a cylinder; for other surfaces see `Wrap.towards`."""

    SHORTEST = 0
    COUNTER_CLOCKWISE = 1
    CLOCKWISE = -1


class Curve(Protocol):
    """A function of one variable with derivatives (`functions.py`)."""

    def __call__(self, x: float, order: int = 0) -> float: ...


@dataclass(frozen=True)
class Mover:
    """One component of a moving point: a function of a coordinate [m]."""

    coordinate: int
    """Index into the coordinates of the skeleton; -1 for a constant."""
    curve: Callable[..., float]


@dataclass(frozen=True)
class PathPoint:
    frame: int
    location: tuple[float, float, float]
    """In the frame [m]; of a moving point, not used."""
    movers: tuple[Mover, Mover, Mover] | None = None
    """Functions of coordinates for x, y and z, of a moving point."""
    active: tuple[int, float, float] | None = None
    """Coordinate and range in which a conditional point is part of the path; None: always."""


@dataclass(frozen=True)
class WrapSurface:
    name: str
    kind: Surface
    size: tuple[float, float, float]
    frame: int
    rotation: tuple[float, ...]
    """Axes of the surface in the frame, as a matrix row by row (9)."""
    origin: tuple[float, float, float]
    """Centre in the frame [m]."""
    active: bool = True
    quadrant: tuple[int, int] | None = None
    """(axis 0-2, sign): the path has to be on this half of the surface (OpenSim's `quadrant`); None: any."""
    length: float = np.inf
    """Of a cylinder: a path whose two tangent points are both beyond its ends does not touch it."""


@dataclass(frozen=True)
class Wrap:
    """A muscle's use of a surface."""

    surface: int
    """Index into `MusclePath.surfaces`."""
    first: int = 0
    """First of the points between which the path may slide over the surface (index into all points)."""
    last: int = -1
    """Last of them; -1 for the end."""
    side: Side = Side.SHORTEST
    method: str = "hybrid"
    """How the half of an ellipsoid with a quadrant is found: hybrid, midpoint or axial, as OpenSim has them."""


@dataclass(frozen=True)
class MusclePath:
    name: str
    points: tuple[PathPoint, ...]
    surfaces: tuple[WrapSurface, ...] = ()
    wraps: tuple[Wrap, ...] = ()
    network: bool = False
    """Whether a trained network says where it goes, instead of an exact or smooth path."""

    @property
    def type(self) -> int:
        """1: straight; 2: through points; 3: over surfaces (thesis, chapter 5)."""
        if self.wraps:
            return 3
        simple = len(self.points) == 2 and all(p.movers is None and p.active is None for p in self.points)
        return 1 if simple else 2

    @property
    def coordinates(self) -> list[int]:
        """Coordinates that move points of the path."""
        return sorted({m.coordinate for p in self.points for m in p.movers or () if m.coordinate >= 0})


@dataclass
class PathShape:
    """A path in one pose: everything in world axes [m]."""

    length: float
    gradient: Floats
    """d length / d twist of each frame, shape (nf, 6) [m/rad, -]."""
    points: Floats
    """Points at the fractions that were asked for, shape (na, 3)."""
    jacobian: Floats
    """Velocity of these points by the twists of the frames, shape (na, 3, nf, 6)."""
    jacobian_rate: Floats | None = None
    """Its time derivative at the given twists, same shape."""
    coordinate_gradient: Floats = field(default_factory=lambda: np.zeros(0))
    """d length by the coordinates that move points (`MusclePath.coordinates`) with the frames at rest, shape (nc,)."""
    coordinate_jacobian: Floats = field(default_factory=lambda: np.zeros((0, 3, 0)))
    """The same of the points, shape (na, 3, nc)."""
    coordinate_jacobian_rate: Floats | None = None
    wrapped: tuple[int, ...] = ()
    """Indices into `wraps` of the surfaces that it touches, in order."""
    corners: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    """Path points and tangent points along the path, shape (nc, 3)."""
