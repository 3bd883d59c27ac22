"""Shapes of bodies, from which mass and inertia follow."""

from __future__ import annotations

import msgspec

from .base import Pose, Spec, Vec3


class Cuboid(Spec, tag_field="kind", tag="cuboid"):
    sides: Vec3
    """Full lengths along x, y, z [m]."""


class Sphere(Spec, tag_field="kind", tag="sphere"):
    radius: float


class Cylinder(Spec, tag_field="kind", tag="cylinder"):
    """Axis along z, centred."""

    radius: float
    height: float


class Capsule(Spec, tag_field="kind", tag="capsule"):
    """Axis along z, centred: a cylinder of the given height with a hemisphere on each end."""

    radius: float
    height: float
    """Length of the cylindrical part [m], without the caps."""


class Ellipsoid(Spec, tag_field="kind", tag="ellipsoid"):
    radii: Vec3


class Mesh(Spec, tag_field="kind", tag="mesh"):
    """A closed triangle mesh, its triangles counter-clockwise seen from outside."""

    vertices: list[Vec3]
    triangles: list[tuple[int, int, int]]


class Inertia(Spec, tag_field="kind", tag="inertia"):
    """No geometry: the mass properties themselves, about the centre of mass, in principal axes."""

    mass: float
    moments: Vec3
    """Principal moments [kg·m²]."""


class Part(Spec):
    shape: Cuboid | Sphere | Cylinder | Capsule | Ellipsoid | Mesh | Inertia
    pose: Pose = msgspec.field(default_factory=Pose)
    density: float | None = None
    """[kg/m³]; the body's own density when null."""


class Composite(Spec, tag_field="kind", tag="composite"):
    parts: list[Part]


Shape = Cuboid | Sphere | Cylinder | Capsule | Ellipsoid | Mesh | Inertia | Composite
