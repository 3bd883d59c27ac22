"""Forces of a scene that act between bodies or on them, in maximal coordinates."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from .base import Curve, Name, Spec, Vec3
from .fields import Field


class Point(Spec):
    """A point on a body, or fixed in the world."""

    position: Vec3 = (0.0, 0.0, 0.0)
    """In the frame of the body's shape, or in the world [m]."""
    body: Name | None = None
    """Null for the world."""


Tangent = Literal["projected", "axial", "exact", "explicit"]
"""How a spring enters the implicit system. `axial`: its stiffness along the line only; `projected`: along and, while
it pulls, across the line, which keeps the system positive definite; `exact`: the symmetric part of the exact
derivative; `explicit`: not at all, so that the step must be small."""


class Spring(Spec, tag_field="kind", tag="spring"):
    """A spring and damper along the line through two or more points: tension = k (l - L) + d dl/dt."""

    points: Annotated[list[Point], Meta(min_length=2)]
    stiffness: float
    """k [N/m]."""
    damping: float = 0.0
    """d [N·s/m]."""
    rest_length: float | None = None
    """L [m]; the initial length when null."""
    tension_only: bool = False
    """A cable or a rubber string: it pulls and never pushes."""
    tangent: Tangent = "projected"
    name: str = ""


class PointForce(Spec, tag_field="kind", tag="point-force"):
    """A force and a torque on a body, over time."""

    body: Name
    position: Vec3 = (0.0, 0.0, 0.0)
    """Where the force acts, in the frame of the body's shape [m]."""
    force: list[Curve | None] = msgspec.field(default_factory=list)
    """Three curves [N]."""
    torque: list[Curve | None] = msgspec.field(default_factory=list)
    """Three curves [N·m]."""
    axes: Literal["world", "body"] = "world"
    """Whether the components are along the axes of the world or of the body's shape."""
    name: str = ""


class Wind(Spec, tag_field="kind", tag="wind"):
    """Drag on centres of mass in moving air: (a + b |u|) u, u being the velocity of the air past a body."""

    velocity: list[Curve | None] = msgspec.field(default_factory=list)
    """Three curves [m/s]; still air when empty."""
    linear: float = 0.0
    """a [N·s/m]."""
    quadratic: float = 0.0
    """b [N·s²/m²]."""
    bodies: list[Name] | None = None
    """All bodies when null."""
    implicit: bool = True
    name: str = ""


ForceSpec = Spring | PointForce | Wind | Field
