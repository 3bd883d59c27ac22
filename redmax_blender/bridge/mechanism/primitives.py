"""Surfaces of the engine's shapes as arrays: what is drawn is what is simulated. No Blender here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import pi, sqrt

import numpy as np
from numpy.typing import NDArray

from ...engine.compile.poses import pose_parts
from ...engine.scene import spec

Floats = NDArray[np.float64]

SIDES = 48
"""Vertices around a round shape."""


@dataclass(frozen=True)
class Surface:
    """A closed surface, its faces counter-clockwise seen from outside."""

    vertices: Floats
    """[m], shape (n, 3)."""
    faces: list[list[int]]
    smooth: NDArray[np.bool_]
    """Whether each face is shaded as part of a round surface."""

    def moved(self, rotation: Floats, origin: Floats) -> Surface:
        """The same surface where a pose puts it: rotation (3, 3), origin [m] (3,)."""
        return Surface(self.vertices @ rotation.T + origin, self.faces, self.smooth)


def surface_of(shape: spec.Shape, place: str = "shape") -> Surface:
    """The surface of a shape, in the shape's own frame."""
    match shape:
        case spec.Cuboid():
            return cuboid(shape.sides)
        case spec.Sphere():
            return ellipsoid((shape.radius,) * 3)
        case spec.Ellipsoid():
            return ellipsoid(shape.radii)
        case spec.Cylinder():
            top = shape.height / 2
            return revolve([shape.radius, shape.radius], [-top, top])
        case spec.Capsule():
            return capsule(shape.radius, shape.height)
        case spec.Mesh():
            triangles = [list(triangle) for triangle in shape.triangles]
            return Surface(np.array(shape.vertices, float), triangles, np.zeros(len(triangles), bool))
        case spec.Inertia():
            return ellipsoid(equivalent_radii(shape))
        case spec.Composite():
            parts = enumerate(shape.parts)
            return merge(
                [surface_of(p.shape).moved(*pose_parts(p.pose, f"{place}.parts[{k}].pose")) for k, p in parts]
            )


def cuboid(sides: spec.Vec3) -> Surface:
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return Surface(corners * np.array(sides), faces, np.zeros(6, bool))


def ellipsoid(radii: spec.Vec3) -> Surface:
    angle = np.linspace(-pi / 2, pi / 2, SIDES // 2 + 1)
    ball = revolve(np.cos(angle), np.sin(angle))
    return Surface(ball.vertices * np.array(radii), ball.faces, ball.smooth)


def capsule(radius: float, height: float) -> Surface:
    angle = np.linspace(-pi / 2, pi / 2, SIDES // 2 + 2)  # an even number: half of the rings on each cap
    return revolve(radius * np.cos(angle), radius * np.sin(angle) + np.sign(angle) * height / 2)


def revolve(radius: Sequence[float] | Floats, z: Sequence[float] | Floats, sides: int = SIDES) -> Surface:
    """A profile of rings, from the lowest z [m] to the highest, turned about the z axis.

    An end of zero radius becomes a single vertex, any other end is closed by a flat face.
    """
    radius, z = np.asarray(radius, float), np.asarray(z, float)
    pole = radius < 1e-9 * radius.max()
    angle = np.linspace(0.0, 2 * pi, sides, endpoint=False)
    vertices: list[Floats] = []
    rings: list[NDArray[np.int64]] = []
    count = 0
    for r, height, is_pole in zip(radius, z, pole):
        around = angle[:1] if is_pole else angle
        points = np.stack([r * np.cos(around), r * np.sin(around), np.full(len(around), height)], axis=1)
        rings.append(np.resize(count + np.arange(len(around)), sides))
        vertices.append(points)
        count += len(around)
    faces: list[list[int]] = []
    for low, high in pairwise(rings):
        corners = np.stack([low, np.roll(low, -1), np.roll(high, -1), high], axis=1)
        faces += [list(dict.fromkeys(face)) for face in corners.tolist()]  # at a pole two corners are one
    caps = [ring.tolist() for ring in (rings[0][::-1], rings[-1]) if ring[0] != ring[1]]
    smooth = np.repeat([True, False], [len(faces), len(caps)])
    return Surface(np.concatenate(vertices), faces + caps, smooth)


def merge(surfaces: Sequence[Surface]) -> Surface:
    """All of them as one."""
    first = np.cumsum([0] + [len(s.vertices) for s in surfaces])
    return Surface(
        np.concatenate([s.vertices for s in surfaces]),
        [[k + vertex for vertex in face] for k, s in zip(first.tolist(), surfaces) for face in s.faces],
        np.concatenate([s.smooth for s in surfaces]),
    )


def equivalent_radii(inertia: spec.Inertia) -> spec.Vec3:
    """Radii [m] of the solid ellipsoid that has these moments: the picture of a body that has no geometry."""
    a, b, c = inertia.moments
    x, y, z = (sqrt(max(2.5 * square / inertia.mass, 1e-12)) for square in (b + c - a, c + a - b, a + b - c))
    return x, y, z
