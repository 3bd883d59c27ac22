"""Muscles of a scene: what they run through and over, the mass that slides along them, and what they pull with."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from .base import Curve, Name, Pose, Spec, Vec3

# Surfaces that paths slide over. Their axis of symmetry is z. ------------------------------------------------


class WrapCylinder(Spec, tag_field="kind", tag="cylinder"):
    """Without ends, along z."""

    radius: float
    """[m]"""


class WrapSphere(Spec, tag_field="kind", tag="sphere"):
    radius: float
    """[m]"""


class WrapEllipsoid(Spec, tag_field="kind", tag="ellipsoid"):
    radii: Vec3
    """Half axes along x, y and z [m]."""


class WrapTorus(Spec, tag_field="kind", tag="torus"):
    """A ring about z; paths go through its hole."""

    ring: float
    """Radius of the ring [m]."""
    tube: float
    """Radius of what it is made of [m]."""


class WrapCapsule(Spec, tag_field="kind", tag="capped-cylinder"):
    """A cylinder from z = -length to z = 0 with a half sphere at each end."""

    radius: float
    """[m]"""
    length: float | None = None
    """[m]; without a lower end when null."""


WrapShape = WrapCylinder | WrapSphere | WrapEllipsoid | WrapTorus | WrapCapsule


class WrapSpec(Spec):
    """A surface on a body, or in the world, that muscles can slide over."""

    name: Name
    shape: WrapShape
    body: Name | None = None
    """Null for the world."""
    pose: Pose = msgspec.field(default_factory=Pose)
    """In the frame of the body's shape, or in the world."""
    half: Literal["all", "+x", "-x", "+y", "-y", "+z", "-z"] = "all"
    """Over which half of it paths go, the long way round if need be; the shortest way when all."""
    length: float | None = None
    """Of a cylinder [m]: paths that touch it beyond both of its ends pass it; without ends when null."""


class Over(Spec):
    """A muscle's use of a surface."""

    surface: Name
    after: Annotated[int, Meta(ge=0)] = 0
    """The first of the points between which the path may slide over it, counted from 0."""
    before: int | None = None
    """The last of them; the muscle's last point when null."""
    side: Literal["shortest", "counter-clockwise", "clockwise"] = "shortest"
    """Which way round a cylinder, seen along its z axis from above."""


class WithinRange(Spec):
    """When a path point counts: while a coordinate of a joint is within a range."""

    joint: Name
    lower: float
    """[rad, m]"""
    upper: float
    coordinate: Annotated[int, Meta(ge=0)] = 0


class MovingAxis(Spec):
    """How a path point moves along an axis of its body as a coordinate of a joint changes; straight on beyond `at`."""

    axis: Literal["x", "y", "z"]
    joint: Name
    at: Annotated[list[float], Meta(min_length=2)]
    """Values of the coordinate, increasing [rad, m]."""
    values: Annotated[list[float], Meta(min_length=2)]
    """Where the point is along the axis then [m]; it replaces that number of the position."""
    coordinate: Annotated[int, Meta(ge=0)] = 0
    interpolation: Literal["cubic", "linear"] = "cubic"


class MusclePoint(Spec):
    """A point that a muscle begins at, runs through, or ends at."""

    position: Vec3 = (0.0, 0.0, 0.0)
    """In the frame of the body's shape, or in the world [m]."""
    body: Name | None = None
    """Null for the world."""
    active: WithinRange | None = None
    """Always when null; a muscle's first and last points always count."""
    moves: list[MovingAxis] = msgspec.field(default_factory=list)
    """Axes along which it moves with a coordinate."""


# What muscles pull with. --------------------------------------------------------------------------------------


class HillActuator(Spec, tag_field="kind", tag="hill"):
    """A Hill-type musculotendon with the curves of Millard et al. (2013): damped fibres at an angle to a tendon."""

    max_force: float
    """Greatest active force of its fibres [N]."""
    optimal_length: float | None = None
    """Fibre length at which that is [m]; half of the path's initial length when null."""
    slack_length: float | None = None
    """Length at which the tendon begins to pull [m]; when null, fibres are of optimal length in the initial pose."""
    pennation: float = 0.0
    """Angle of fibres of optimal length to the tendon [rad]."""
    max_velocity: float = 10.0
    """Fastest shortening [optimal lengths / s]."""
    damping: float = 0.1
    """Of the fibres, as a fraction of the greatest force at the fastest shortening."""
    activation_time: float = 0.01
    """[s]"""
    deactivation_time: float = 0.04
    """[s]"""
    min_activation: float = 0.01
    rigid_tendon: bool = False
    """A tendon that does not stretch."""
    tendon_strain: float = 0.049
    """Of the tendon at the greatest active force."""


class SpringActuator(Spec, tag_field="kind", tag="spring"):
    """max_force · activation + stiffness · (length - rest_length) + damping · d length / dt; it never pushes."""

    max_force: float = 0.0
    """[N]"""
    stiffness: float = 0.0
    """[N/m]; it acts beyond the rest length."""
    damping: float = 0.0
    """[N·s/m]"""
    rest_length: float | None = None
    """[m]; the initial length when null."""
    activation_time: float = 0.0
    """[s]; activation is excitation when 0."""
    deactivation_time: float = 0.0
    """[s]"""


class Reflex(Spec):
    """A controller that adds gain · (value - target) + rate_gain · d value / dt to the excitation."""

    joint: Name | None = None
    """The joint whose coordinate is the value [rad, m]; the muscle's length in metres when null."""
    coordinate: Annotated[int, Meta(ge=0)] = 0
    target: float | None = None
    """The initial value when null."""
    gain: float = 0.0
    """[1/rad, 1/m]"""
    rate_gain: float = 0.0
    """[s/rad, s/m]"""
    only_beyond: bool = False
    """Only where value - target is positive, as a stretch reflex."""


class MuscleSpec(Spec):
    """A muscle: a path, the mass along it, and what it pulls with."""

    name: Name
    points: Annotated[list[MusclePoint], Meta(min_length=2)]
    """From origin to insertion."""
    over: list[Over] = msgspec.field(default_factory=list)
    """Surfaces that it slides over."""
    rounding: float | None = None
    """How far above a surface the path begins to feel it [m]; 0.03 of its radius when null. With 0 it is the exact
    path, whose points change their velocities at once where they touch down: slow, for comparisons."""
    network: bool = False
    """A path of two points over one cylinder as published: by a trained network, which is right to a hundredth of the
    length inside the range that it learned."""
    segments: Annotated[int, Meta(ge=4, le=1000)] | None = None
    """Of each part of the path over surfaces; from its length and the surface's radius when null."""
    mass: float = 0.0
    """[kg]; it moves with the path as material that stretches evenly."""
    mass_points: Annotated[int, Meta(ge=1, le=1000)] = 10
    """How many points carry it."""
    distribution: list[float] = msgspec.field(default_factory=list)
    """Mass of each of them in proportion, from origin to insertion; even when empty."""
    origin_tendon: float = 0.0
    """Length at the origin that does not stretch [m]: the mass lies beyond it."""
    insertion_tendon: float = 0.0
    """The same at the insertion: the mass moves with the insertion."""
    inertia: bool = True
    """Whether the mass counts."""
    actuator: HillActuator | SpringActuator | None = None
    """What it pulls with; null: nothing."""
    excitation: Curve | None = None
    """0 to 1 over time; none when null."""
    activation: float | None = None
    """At the start; as excited then when null."""
    reflexes: list[Reflex] = msgspec.field(default_factory=list)
