"""Lines of the overlay as arrays: outlines of bodies, axes, arcs, arrows. No Blender here.

A set of lines is an array of segments, shape (n, 2, 3).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, pi

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Colour = tuple[float, float, float, float]

AROUND = 24
"""Segments of a circle."""
COOL, WARM, HOT = (0.25, 0.5, 0.95), (0.98, 0.85, 0.25), (0.95, 0.2, 0.12)
"""Nothing, half and all of the largest value."""


@dataclass
class Lines:
    """Coloured lines, collected."""

    segments: list[Floats] = field(default_factory=list)
    colours: list[Floats] = field(default_factory=list)

    def add(self, segments: Floats, colour: Colour) -> None:
        """Add segments, shape (n, 2, 3), of one colour."""
        if len(segments):
            self.segments.append(segments)
            self.colours.append(np.tile(np.array(colour), (2 * len(segments), 1)))

    def arrays(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Points and colours in the order in which they are drawn, shapes (2n, 3) and (2n, 4)."""
        if not self.segments:
            return np.zeros((0, 3), np.float32), np.zeros((0, 4), np.float32)
        points = np.concatenate(self.segments).reshape(-1, 3)
        return points.astype(np.float32), np.concatenate(self.colours).astype(np.float32)

    def __len__(self) -> int:
        return sum(len(segments) for segments in self.segments)


def polyline(points: Floats, closed: bool = False) -> Floats:
    """Points joined one after the other."""
    points = np.asarray(points, float)
    segments = np.stack([points[:-1], points[1:]], axis=1)
    return np.concatenate([segments, [[points[-1], points[0]]]]) if closed else segments


def joined(*parts: Floats) -> Floats:
    """All of them as one set."""
    return np.concatenate([np.asarray(part, float).reshape(-1, 2, 3) for part in parts])


def moved(segments: Floats, matrix: Floats) -> Floats:
    """The same lines where a matrix, shape (4, 4), puts them."""
    return np.asarray(segments @ matrix[:3, :3].T + matrix[:3, 3])


def circle(radius: float, z: float = 0.0, begin: float = 0.0, end: float = 2.0 * pi) -> Floats:
    """Points about the z axis from one angle to another [rad], both included, shape (n, 3)."""
    count = max(ceil(AROUND * abs(end - begin) / (2.0 * pi)), 1) + 1
    angle = np.linspace(begin, end, count)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), np.full(count, z)], axis=1)


def upright(points: Floats) -> Floats:
    """A circle about z turned so that it goes through the z axis: x stays, y becomes z."""
    return np.asarray(points[:, [0, 2, 1]])


def sphere(radius: float) -> Floats:
    """Three great circles."""
    flat = circle(radius)
    return joined(polyline(flat), polyline(upright(flat)), polyline(flat[:, [2, 0, 1]]))


def cylinder(radius: float, height: float) -> Floats:
    """Two rims and four sides, about z, centred."""
    half = 0.5 * height
    sides = [[(x, y, -half), (x, y, half)] for x, y in ((radius, 0), (-radius, 0), (0, radius), (0, -radius))]
    return joined(polyline(circle(radius, half)), polyline(circle(radius, -half)), np.array(sides, float))


def capsule(radius: float, height: float) -> Floats:
    """A cylinder of this height with half circles over both ends, about z, centred."""
    half = 0.5 * height
    caps = []
    for sign in (1.0, -1.0):
        arc = upright(circle(radius, begin=0.0, end=pi))
        arc[:, 2] = sign * (arc[:, 2] + half)
        caps += [polyline(arc), polyline(arc[:, [1, 0, 2]])]
    return joined(cylinder(radius, height), *caps)


def cuboid(low: Floats, high: Floats) -> Floats:
    """The twelve edges of a box between two corners."""
    corner = np.array([low, high], float)
    at = [(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    pairs = [(a, b) for a in at for b in at if a < b and sum(p != q for p, q in zip(a, b)) == 1]
    return np.array([[[corner[i][axis] for axis, i in enumerate(end)] for end in pair] for pair in pairs])


def grid(side: float, lines: int = 5) -> Floats:
    """A square in the plane z = 0, with its normal."""
    at = np.linspace(-0.5 * side, 0.5 * side, lines)
    along = [[(x, -0.5 * side, 0.0), (x, 0.5 * side, 0.0)] for x in at]
    across = [[(-0.5 * side, y, 0.0), (0.5 * side, y, 0.0)] for y in at]
    return joined(np.array(along), np.array(across), arrow(np.zeros(3), np.array([0.0, 0.0, 0.2 * side])))


def cross(size: float) -> Floats:
    """Three short lines through the origin."""
    return np.stack([-np.eye(3), np.eye(3)], axis=1) * size


def arrow(start: Floats, vector: Floats) -> Floats:
    """A line with two barbs at its end; nothing for a vector of no length."""
    length = float(np.linalg.norm(vector))
    if length < 1e-12:
        return np.zeros((0, 2, 3))
    start, tip = np.asarray(start, float), np.asarray(start, float) + vector
    side = np.cross(vector, np.eye(3)[int(np.argmin(np.abs(vector)))])
    side *= 0.12 * length / np.linalg.norm(side)
    back = tip - 0.25 * vector
    return np.array([[start, tip], [tip, back + side], [tip, back - side]])


def arc(axis: Floats, zero: Floats, low: float, high: float, radius: float) -> Floats:
    """A fan about the origin: from `low` to `high` [rad] about a unit axis, angle 0 along `zero`; with both its sides.

    `zero` need not be perpendicular to the axis.
    """
    x = zero - axis * float(axis @ zero)
    x /= np.linalg.norm(x)
    frame = np.stack([x, np.cross(axis, x), axis], axis=1)
    low, high = max(low, high - 2.0 * pi), high
    points = circle(radius, begin=low, end=high) @ frame.T
    if high - low > 2.0 * pi - 1e-6:
        return polyline(points)
    centre = np.zeros(3)
    return joined(polyline(points), np.array([[centre, points[0]], [centre, points[-1]]]))


def coil(start: Floats, end: Floats, radius: float, turns: int = 8) -> Floats:
    """A spring between two points, with straight ends."""
    way = np.asarray(end, float) - start
    length = float(np.linalg.norm(way))
    if length < 1e-12:
        return np.zeros((0, 2, 3))
    along = np.linspace(0.0, 1.0, 12 * turns + 1)
    frame = leading(way / length)
    angle = 2.0 * pi * turns * along
    reach = radius * np.clip(10.0 * np.minimum(along, 1.0 - along), 0.0, 1.0)
    local = np.stack([reach * np.cos(angle), reach * np.sin(angle), length * along], axis=1)
    return polyline(local @ frame.T + start)


def leading(axis: Floats) -> Floats:
    """A rotation whose z axis is this unit vector, shape (3, 3)."""
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    x = np.cross(helper, axis)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(axis, x), axis], axis=1)


def ramp(value: float, alpha: float = 1.0) -> Colour:
    """A colour for a value from 0 to 1, from cool to hot."""
    value = min(max(value, 0.0), 1.0)
    low, high, part = (COOL, WARM, 2.0 * value) if value < 0.5 else (WARM, HOT, 2.0 * value - 1.0)
    r, g, b = (a + part * (c - a) for a, c in zip(low, high))
    return (r, g, b, alpha)
