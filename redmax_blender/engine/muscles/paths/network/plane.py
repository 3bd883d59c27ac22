"""What a network learns: the path round a circle of radius one, seen along a cylinder's axis.

A cylinder looks the same when it is turned about its axis, moved along it, or scaled, and a path goes forward along it
evenly. What is left of (origin, insertion, α, radius) are the distances of the two ends from the axis in radii, the
angle from one to the other the way round that the path takes, and α; what is left of the point, its place across the
axis. The network gives how far it is from the straight line between the ends, relative to `scale`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....model.records import Floats

NEAREST, FARTHEST = 1.05, 30.0
"""Range of the ends' distances from the axis [radii]."""
LEAST_TURN, MOST_TURN = 0.05, 5.8
"""Range of the angle between them [rad]."""
INPUTS, OUTPUTS = 6, 3
BEND, STRETCHED = 0.08, 0.25
"""Of inputs that are stretched where paths bend: below BEND they count in proportion, beyond by their logarithm."""


def exact(near: Any, far: Any, turn: Any, alpha: Any) -> tuple[Floats, Floats, Floats]:
    """Points (n, 2) at fractions α of shortest paths round the unit circle, counter-clockwise from (near, 0) to the
    point that is `far` from the centre at the angle `turn` in (0, 2π); the paths' lengths and wrapped lengths (n,)."""
    near, far, turn, alpha = (np.asarray(v, float) for v in (near, far, turn, alpha))
    first, last = np.sqrt(near * near - 1.0), np.sqrt(far * far - 1.0)
    leaves, arrives = np.arccos(1.0 / near), turn - np.arccos(1.0 / far)
    arc = np.maximum(arrives - leaves, 0.0)
    a = np.stack([near, np.zeros_like(near)], axis=1)
    b = np.stack([far * np.cos(turn), far * np.sin(turn)], axis=1)
    wraps = arc > 0.0
    length = np.where(wraps, first + arc + last, np.linalg.norm(b - a, axis=1))
    s = alpha * length
    angle = leaves + np.clip(s - first, 0.0, arc)
    on = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    along = np.stack([-np.sin(angle), np.cos(angle)], axis=1)
    ahead = np.minimum(s - first, 0.0) + np.maximum(s - first - arc, 0.0)
    x = np.where(wraps[:, None], on + ahead[:, None] * along, a + alpha[:, None] * (b - a))
    return x, length, arc


def scale(near: Any, far: Any, turn: Any) -> Any:
    """About the length of the path, and smooth: the distance of the ends where they are close together."""
    return np.sqrt((far - near) ** 2 + 16.0 * near * far * np.sin(0.25 * turn) ** 2)


def inputs(near: Any, far: Any, turn: Any, alpha: Any) -> Floats:
    """What the network is given, about -1 to 1 inside its range, shape (n, 6): logarithms of the distances, turn, α;
    and, stretched where they are small, how far the path is turned beyond touching and how far α is beyond the middle
    of what it wraps, where it bends."""
    low, high = np.log(NEAREST), np.log(FARTHEST)
    first, last = np.sqrt(near * near - 1.0), np.sqrt(far * far - 1.0)
    beyond = turn - np.arctan(first) - np.arctan(last)
    return np.stack(
        [
            2.0 * (np.log(near) - low) / (high - low) - 1.0,
            2.0 * (np.log(far) - low) / (high - low) - 1.0,
            2.0 * (turn - LEAST_TURN) / (MOST_TURN - LEAST_TURN) - 1.0,
            2.0 * alpha - 1.0,
            STRETCHED * np.arcsinh(beyond / BEND),
            STRETCHED * np.arcsinh((alpha - first / (first + last)) / BEND),
        ],
        axis=1,
    )


def targets(near: Any, far: Any, turn: Any, alpha: Any) -> tuple[Floats, Floats, Floats]:
    """What it should answer, shape (n, 3): how far the point is from the straight line, along and across the line
    halfway between the ends, over 4 α (1 - α) · scale; and length over scale, less one. Then the lengths and wrapped
    lengths (n,)."""
    x, length, arc = exact(near, far, turn, alpha)
    a = np.stack([near, np.zeros_like(near)], axis=1)
    b = np.stack([far * np.cos(turn), far * np.sin(turn)], axis=1)
    d = x - a - np.asarray(alpha)[:, None] * (b - a)
    c, s = np.cos(0.5 * turn), np.sin(0.5 * turn)
    size = scale(near, far, turn)
    window = np.maximum(4.0 * alpha * (1.0 - alpha), 1e-9) * size
    out = np.stack(
        [(c * d[:, 0] + s * d[:, 1]) / window, (c * d[:, 1] - s * d[:, 0]) / window, length / size - 1.0], 1
    )
    return out, length, arc
