"""Contact and friction in a scene: surfaces of bodies, colliders, friction and motors inside joints."""

from __future__ import annotations

from typing import Literal

import msgspec

from .base import Curve, Name, Pose, Spec, Vec3
from .shapes import Capsule, Composite, Cuboid, Cylinder, Ellipsoid, Mesh, Sphere


class JointFriction(Spec):
    """Dry friction where the two halves of a joint rub on each other (paper, §5).

    A revolute or universal joint is a cylinder about its axis, a spherical one a ball, a prismatic one a sleeve, a
    spline joint a bead on its curve.
    """

    coefficient: float
    """μ, 0 or more."""
    radius: float = 0.0
    """Of the cylinder or ball [m]. Without one only the joint's end faces and sleeves rub."""
    height: float = 0.0
    """Length of the cylinder or sleeve along the axis [m]."""
    static: float | None = None
    """Coefficient at rest; that of motion when null."""
    sides: Vec3 | None = None
    """A prismatic joint as a rectangular rod instead, with these sides along the joint's axes [m]."""


class Motor(Spec):
    """Drives a coordinate towards a speed, with no more than a given torque."""

    speed: Curve
    """[rad/s, m/s] over time."""
    torque: float
    """Largest torque or force, either way [N·m, N]."""


class Surface(Spec):
    """How the outside of a body collides. Between two surfaces the friction coefficients are averaged geometrically,
    and the larger restitution counts."""

    friction: float = 0.5
    restitution: float = 0.0
    margin: float = 0.0
    """Thickness that is added all around [m]."""
    shape: Cuboid | Sphere | Cylinder | Capsule | Ellipsoid | Mesh | Hull | Composite | None = None
    """In the frame of the body's shape; the body's own shape when null. A body's mesh collides as its convex hull."""
    groups: list[str] = msgspec.field(default_factory=list)
    """Named groups that it is in; see `SelfCollision.ignore`."""


class Hull(Spec, tag_field="kind", tag="hull"):
    """The convex hull of points."""

    vertices: list[Vec3]


class Plane(Spec, tag_field="kind", tag="plane"):
    """A half-space: everything below the plane through the origin is solid. Its normal is z."""


class ColliderSpec(Spec):
    """Something solid that moves as its curves say, or not at all."""

    name: Name
    shape: Plane | Cuboid | Sphere | Cylinder | Capsule | Ellipsoid | Hull | Mesh
    """A mesh collides with all its triangles, from both sides when it is open."""
    pose: Pose = msgspec.field(default_factory=Pose)
    motion: list[Curve] = msgspec.field(default_factory=list)
    """Position x, y, z [m] and rotation vector x, y, z [rad] over time, instead of `pose`; six curves or none."""
    friction: float = 0.5
    restitution: float = 0.0
    groups: list[str] = msgspec.field(default_factory=list)


class SelfCollision(Spec):
    """Which bodies collide with one another. Bodies whose surfaces are not given never do."""

    enabled: bool = True
    neighbours: int = 1
    """Bodies that are so many joints apart, or fewer, do not collide; nor do bodies that overlap at the start."""
    ignore: list[tuple[str, str]] = msgspec.field(default_factory=list)
    """Pairs of groups, or of bodies and colliders, that do not collide."""
    cone: Literal["smooth", "boxed"] = "smooth"
    """Friction within a circle, or within a square along two tangents."""


class Tube(Spec):
    """One smooth skin for a chain of long thin bodies, which collides with itself and with other tubes.

    A spline passes through the origins of the bodies' joints and through the end of the last body. The bodies do not
    collide with one another otherwise; against everything else they have their own surfaces.
    """

    name: Name
    bodies: list[Name]
    """From one end to the other, at least two."""
    radius: list[float] | float
    """[m]; a list has one number a body."""
    tip: Vec3 | None = None
    """The other end of the last body, in the frame of its shape [m]; mirrored from its joint at its centre of mass when
    null."""
    friction: float = 0.0
    restitution: float = 0.0
