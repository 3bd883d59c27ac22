"""Constraints of a scene: loops, couplings of coordinates, and prescribed points and bodies."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from .base import Curve, Name, Spec, Vec3
from .contact import JointFriction
from .forces import Point


class Interval(Spec):
    """When a constraint holds."""

    start: float | None = None
    """[s]; from the beginning when null."""
    end: float | None = None
    """[s]; for ever when null."""
    over: float = 0.0
    """Time [s] after `start` over which a gap is closed smoothly, its speed carried over; at once when 0."""


class LoopPoint(Spec, tag_field="kind", tag="loop-point"):
    """Two points stay together: a ball joint that closes a loop."""

    a: Point
    b: Point
    perpendicular_to: Vec3 | None = None
    """Only the two directions across this axis, given in the joint frame of a's body: what a planar loop needs."""
    active: list[Interval] = msgspec.field(default_factory=list)
    """Always when empty."""
    name: str = ""
    friction: JointFriction | None = None
    """Dry friction inside the joint; null for none."""


class LoopHinge(Spec, tag_field="kind", tag="loop-hinge"):
    """Two points stay together and turn only about a common axis."""

    a: Point
    b: Point
    axis: Vec3
    """In the joint frame of a's body (in the world when a is fixed there)."""
    active: list[Interval] = msgspec.field(default_factory=list)
    name: str = ""
    friction: JointFriction | None = None
    """Dry friction inside the joint; null for none."""


class LoopWeld(Spec, tag_field="kind", tag="loop-weld"):
    """Two bodies keep the relative pose they begin with."""

    a: Point
    b: Point
    active: list[Interval] = msgspec.field(default_factory=list)
    name: str = ""


class LoopSlider(Spec, tag_field="kind", tag="loop-slider"):
    """Two bodies keep their relative orientation and move against each other along an axis only."""

    a: Point
    b: Point
    axis: Vec3
    """In the joint frame of a's body (in the world when a is fixed there)."""
    active: list[Interval] = msgspec.field(default_factory=list)
    name: str = ""
    friction: JointFriction | None = None
    """Dry friction inside the joint; null for none."""


class LoopPiston(Spec, tag_field="kind", tag="loop-piston"):
    """Two bodies move along a common axis and turn about it."""

    a: Point
    b: Point
    axis: Vec3
    """In the joint frame of a's body (in the world when a is fixed there)."""
    active: list[Interval] = msgspec.field(default_factory=list)
    name: str = ""
    friction: JointFriction | None = None
    """Dry friction inside the joint; null for none."""


class LoopDistance(Spec, tag_field="kind", tag="loop-distance"):
    """Two points keep their distance: a massless rod; or come no further apart, or no nearer: a rope, a strut."""

    a: Point
    b: Point
    length: float | None = None
    """[m]; the initial distance when null."""
    sense: Literal["equal", "at-most", "at-least"] = "equal"
    """Whether the length is the distance, the largest (a rope), or the least (a strut)."""
    active: list[Interval] = msgspec.field(default_factory=list)
    name: str = ""


class Term(Spec):
    joint: Name
    factor: float
    index: int = 0
    """Which coordinate of the joint."""


class Gear(Spec, tag_field="kind", tag="gear"):
    """A linear equation between joint coordinates: Σ factor · q = offset. Gears, screws, mimic joints."""

    terms: Annotated[list[Term], Meta(min_length=1)]
    offset: float | None = None
    """The initial value of the sum when null."""
    active: list[Interval] = msgspec.field(default_factory=list)
    name: str = ""


class PrescribedPoint(Spec, tag_field="kind", tag="prescribed-point"):
    """A point of a body follows a path, in all or in some directions of the world."""

    point: Point
    path: list[Curve | None]
    """Three curves for x, y, z [m]; null leaves that direction free."""
    direction: Vec3 | None = None
    """With this, `path` is a single curve: the position along that direction [m]."""
    modes: list[Switch] = msgspec.field(default_factory=list)
    """When the path is followed exactly, guided towards, or left; followed throughout when empty."""
    guide: Guide | None = None
    """How the path guides the point in the mode `guided` [N/m, N·s/m]."""
    influence: Curve | None = None
    """How much the guide counts over time, 0 to 1: its times are multiplied by (1 - s) / s, so that 0 leaves the point
    alone, 0.5 is the guide as it is, and towards 1 the point is held exactly. Null: as it is."""
    active: list[Interval] = msgspec.field(default_factory=list)
    """When it is followed; an alternative to `modes`."""
    name: str = ""


class PrescribedTwist(Spec, tag_field="kind", tag="prescribed-twist"):
    """Components of a body's velocity over time, at the centre of mass and along its principal axes."""

    body: Name
    angular: list[Curve | None] = msgspec.field(default_factory=list)
    """Angular velocity in the body's axes [rad/s], three curves; null stands for zero."""
    linear: list[Curve | None] = msgspec.field(default_factory=list)
    """Velocity of the centre of mass in world axes [m/s], three curves, imposed along the body's axes."""
    components: list[Annotated[int, Meta(ge=0, le=5)]] | None = None
    """Which of the six are imposed: 0-2 angular, 3-5 linear, all in the body's axes. When null, the angular ones that
    have a curve, and the linear ones if any of them has."""
    active: list[Interval] = msgspec.field(default_factory=list)
    name: str = ""


class PrescribedPose(Spec, tag_field="kind", tag="prescribed-pose"):
    """A body follows a path in position and orientation."""

    body: Name
    position: list[Curve | None]
    """Path of the origin of the body's shape [m], three curves."""
    rotation: list[Curve | None] = msgspec.field(default_factory=list)
    """Rotation vector of the shape's axes in the world [rad], three curves; orientation stays free when empty."""
    active: list[Interval] = msgspec.field(default_factory=list)
    name: str = ""


ConstraintSpec = (
    LoopPoint
    | LoopHinge
    | LoopWeld
    | LoopSlider
    | LoopPiston
    | LoopDistance
    | Gear
    | PrescribedPoint
    | PrescribedTwist
    | PrescribedPose
)


class CouplingSpec(Spec):
    """Hyper-reduced coordinates (paper, Eq. 8): several joint coordinates driven by one new one."""

    terms: Annotated[list[Term], Meta(min_length=1)]
    """qdot of each term's coordinate = factor · (rate of the new coordinate)."""
    name: str = ""


Mode = Literal["prescribed", "guided", "free"]


class Switch(Spec):
    """From a time on, how a joint relates to its motion."""

    time: float
    """[s]"""
    mode: Mode
    over: float = 0.0
    """Time [s] over which it comes back onto its motion smoothly, for the mode `prescribed`; at once when 0."""


class Guide(Spec):
    """An implicit spring and damper towards a motion, for the mode `guided`."""

    stiffness: float = 0.0
    """[N·m/rad, N/m]"""
    damping: float = 0.0
    """[N·m·s/rad, N·s/m]"""
    response: float | None = None
    """With this, stiffness and damping follow from the inertia I that is moved (`guide_gains.py`), so that they need no
    tuning with mass: I / response² and 2 · ratio · I / response. A gap closes at this time scale [s]."""
    ratio: float = 1.0
    """Part of the critical damping, with `response`: below 1 it swings over."""
