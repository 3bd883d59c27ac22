"""Paths as kernels want them: records in flat arrays, every muscle's own one after the other."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....model.records import Floats, Ints

Records = NDArray[Any]

PATH = np.dtype(
    (
        np.record,
        [
            ("point", np.int64),  # its first point
            ("points", np.int64),  # how many
            ("column", np.int64),  # its first column of motion
            ("columns", np.int64),  # how many
            ("mass", np.int64),  # its first mass point
            ("masses", np.int64),  # how many
        ],
    )
)

POINT = np.dtype(
    (
        np.record,
        [
            ("frame", np.int64),  # that carries it, -1: the world
            ("x", np.float64, (3,)),  # in the frame [m]
            ("surface", np.int64),  # first surface between it and the next point
            ("surfaces", np.int64),  # how many
            ("node", np.int64),  # first node of the string to the next point
            ("segments", np.int64),  # of that string; 1 where there are no surfaces
            ("coordinate", np.int64),  # that switches it on, -1: always on
            ("lower", np.float64),  # from this value
            ("upper", np.float64),  # to this
            ("mover", np.int64),  # the first of the axes along which it moves with a coordinate
            ("movers", np.int64),  # how many
        ],
    )
)

MOVER = np.dtype(
    (
        np.record,
        [
            ("axis", np.int64),  # of the frame
            ("coordinate", np.int64),
            ("knot", np.int64),  # the first of its curve, which takes the place of x along the axis
            ("knots", np.int64),  # how many
        ],
    )
)

SURFACE = np.dtype(
    (
        np.record,
        [
            ("kind", np.int64),
            ("size", np.float64, (3,)),
            ("rounding", np.float64),  # [m]
            ("strength", np.float64),  # of the barrier
            ("shift", np.float64),  # inside the surface [m]
            ("frame", np.int64),
            ("pose", np.float64, (12,)),  # in the frame
        ],
    )
)

MASS = np.dtype(
    (
        np.record,
        [
            ("mass", np.float64),  # [kg]
            ("share", np.float64),  # it is at share · length + offset from the origin, along the path
            ("offset", np.float64),  # [m]
        ],
    )
)


class Paths(NamedTuple):
    """np paths."""

    paths: Records
    points: Records
    surfaces: Records
    masses: Records
    movers: Records
    knots: Floats
    """Of curves of movers: coordinate, value [m], the three other coefficients to the next knot, shape (nk, 5)."""
    columns: Ints
    """Coordinates that move each path."""
    nodes: Floats
    """Strings as they were found last, each in the frame of its first surface (nn, 3): where the next search begins,
    and the only array that is written to."""


class Motion(NamedTuple):
    """Where frames are and how coordinates move them. nf frames, nr coordinates; along world axes."""

    pose: Floats
    """Shape (nf, 12)."""
    turn: Floats
    """Angular velocity of each frame per coordinate, shape (nf, 3, nr)."""
    shift: Floats
    """Velocity of its origin per coordinate, shape (nf, 3, nr)."""
    turn_bias: Floats
    """Angular acceleration where coordinates do not accelerate, shape (nf, 3)."""
    shift_bias: Floats
    """Acceleration of its origin, likewise, shape (nf, 3)."""
    q: Floats
    qdot: Floats


class Followed(NamedTuple):
    """What follows from a motion for every path and mass point."""

    length: Floats
    """[m], shape (np,)."""
    gradient: Floats
    """d length / d q, shape (np, nr)."""
    length_bias: Floats
    """d² length / dt² where coordinates do not accelerate [m/s²], shape (np,)."""
    points: Floats
    """Mass points in the world [m], shape (nm, 3)."""
    jacobian: Floats
    """Their velocities by coordinates, shape (nm, 3, nr)."""
    bias: Floats
    """Their accelerations where coordinates do not accelerate, Jdot qdot [m/s²], shape (nm, 3)."""
    across: Floats
    """The part of d² length / dq² that is not negative, in the columns of each path [m], shape (np, nc, nc); empty
    where it is not wanted."""
    settled: Ints
    """Newton's steps for each path, -1 where its string did not come to rest, or ASTRAY, shape (np,)."""
