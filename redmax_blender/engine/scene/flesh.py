"""Flesh in a scene: tetrahedra of an elastic material, and which of their vertices bodies carry."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from .base import Name, Spec, Vec3
from .contact import Surface
from .forces import Point


class MaterialSpec(Spec):
    """An isotropic elastic material with Rayleigh damping."""

    young: float
    """Young's modulus [Pa]."""
    poisson: float = 0.45
    """Poisson's ratio, in (-1, 0.5)."""
    density: float = 1000.0
    """[kg/m³]"""
    kind: Literal["corotated", "neo-hookean"] = "corotated"
    mass_damping: float = 0.0
    """Rayleigh's coefficient of the mass [1/s]: like drag, it also slows rigid motion."""
    stiffness_damping: float = 0.0
    """Rayleigh's coefficient of the stiffness [s]: slows changes of shape only."""


class Attachment(Spec):
    """Vertices that move with a body, as if they were part of it, or that springs hold to it."""

    body: Name
    vertices: list[int]
    """Numbers of the vertices, from 0."""
    stiffness: float | None = None
    """With this, each vertex hangs on a spring from where it is at the start [N/m], and may hang on several."""


class SpringFloor(Spec):
    """A floor of springs and dampers: it pushes points of the flesh that are below it, and never pulls."""

    stiffness: float
    """Of each point [N/m]."""
    damping: float = 0.0
    """Of each point along the normal, while it is below the floor [N·s/m]."""
    drag: float = 0.0
    """Of each point across the normal, while it is below the floor [N·s/m]."""
    height: float = 0.0
    """Distance of the floor from the world's origin along the normal [m]."""
    normal: Vec3 = (0.0, 0.0, 1.0)
    points: list[Vec3] | None = None
    """Places on the flesh at rest, in the world [m]: those of an embedded surface. All vertices when null."""


class FleshSpec(Spec):
    """An elastic body that may span several rigid ones, be pinned to the world, or be free."""

    name: Name
    vertices: list[Vec3]
    """Positions at rest, in the world [m]."""
    tets: list[tuple[int, int, int, int]]
    """Four vertices each."""
    material: MaterialSpec
    start: list[Vec3] | None = None
    """Positions at the start, in the world [m], as the bodies are then; those at rest when null."""
    velocities: list[Vec3] | None = None
    """Velocities at the start [m/s], zero when null. Attached vertices have those of their bodies in any case."""
    attachments: list[Attachment] = msgspec.field(default_factory=list)
    pinned: list[int] = msgspec.field(default_factory=list)
    """Vertices that stay where they are in the world."""
    stiffness: list[float] | None = None
    """Multiplies Young's modulus, a number a vertex."""
    fill: list[float] | None = None
    """Fraction that is solid, a number a tetrahedron."""
    mass: float | None = None
    """[kg]; scales the density to this mass of the whole."""
    surface: Surface | None = None
    """How the outside of the tetrahedra collides; null: it passes through everything."""
    floor: SpringFloor | None = None
    """A floor that flesh alone feels; null for none."""


class StrandSpec(Spec):
    """Point masses in a straight row with springs between neighbours (thesis §4.6.3), its ends held or loose."""

    name: Name
    begin: Point
    end: Point
    stiffness: float
    """K [J]: a segment that is stretched by the fraction ε of its length holds ½ K ε²."""
    mass: float
    """Of the whole [kg], the same at every node."""
    nodes: Annotated[int, Meta(ge=2)] = 8
    """The two ends included."""
    hold_begin: bool = True
    """Whether the first node moves with the body of `begin`, or stays in the world when that has none."""
    hold_end: bool = True
