"""Coordinates of connections: which they have, in which order, and what they are at a relative pose of their parts."""

from __future__ import annotations

from math import atan2

import numpy as np

from ..algebra import se3
from ..model.records import Floats
from .parts import BALL, ONE_WAY, Connection, free_axes, names_in_order
from .splines import nearest


def coordinates_at(c: Connection, X: Floats) -> dict[str, float]:
    """Lengths [m], angles [rad] and parameters of a curve or surface by their names, where the second part is at X
    seen from the first, shape (4, 4). What a connection does not allow is left out of account."""
    free = free_axes(c)
    out: dict[str, float] = {}
    R = X[:3, :3]
    if c.kind in ONE_WAY:
        assert c.spline is not None
        at, frame = nearest(c.spline, X[:3, 3])
        out |= dict(zip(free, at.tolist(), strict=False))
        R = frame[:3, :3].T @ R
    out |= {n: float(X["xyz".index(n), 3]) for n in free if n in "xyz"}
    angles = [n for n in free if n in BALL]
    if len(angles) == 3:
        out |= dict(zip(BALL, se3.log_so3(R).tolist(), strict=True))
    elif len(angles) == 2:
        i, j = (BALL.index(n) for n in angles)
        k = 3 - i - j
        s = 1.0 if (i + 1) % 3 == j else -1.0
        out |= {angles[0]: atan2(s * R[k, j], R[j, j]), angles[1]: atan2(s * R[i, k], R[i, i])}
    elif angles:
        k = BALL.index(angles[0])
        i, j = (k + 1) % 3, (k + 2) % 3
        out[angles[0]] = atan2(R[j, i] - R[i, j], R[i, i] + R[j, j])
    return out


def start_of(c: Connection, flipped: bool) -> Floats:
    """Coordinates of a connection's joint where its parts are now, in the order of the joint."""
    values = coordinates_at(c, c.apart) if c.pose_b is not None or c.kind in ONE_WAY else {}
    order = names_in_order(c, flipped)
    start = np.array([_within(c, name, values.get(name, 0.0)) for name in order])
    return -start if flipped else start


def _within(c: Connection, name: str, value: float) -> float:
    """An angle by as many turns as bring it into its limits, where there are some."""
    axis = c.axes.get(name)
    if axis is None or name not in BALL or axis.lower is None or axis.upper is None:
        return value
    middle = 0.5 * (axis.lower + axis.upper)
    return value - 2.0 * np.pi * round((value - middle) / (2.0 * np.pi))
