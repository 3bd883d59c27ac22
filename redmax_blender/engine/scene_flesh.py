"""Flesh in a scene: tetrahedra of an elastic material, and which of their vertices bodies carry."""

from __future__ import annotations

from typing import Literal

import msgspec

from .scene_base import Name, Spec, Vec3
from .scene_contact import Surface


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
    """Vertices that move with a body, as if they were part of it."""

    body: Name
    vertices: list[int]
    """Numbers of the vertices, from 0."""


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
