"""A walking machine on six Klann linkages, in which every pin has friction (paper, Fig. 1d and 5c).

On each side of the hull a crankshaft drives three legs. A leg is a planar linkage of a connecting rod on the crank pin,
the leg itself on the end of the rod, and two rockers on the hull that guide them: five revolute joints with the crank,
and two loops. While the pin passes over the top the foot is on the ground and moves in a nearly straight line; while it
passes underneath the foot is lifted and brought back. The pins of the three legs that walk together are at one angle,
those of the other three opposite, so that three feet are always down.

The proportions are those of J. Klann's patent (US 6,260,862): a stride is one unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, cos, hypot, pi, sin, sqrt
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from ..errors import InputError
from ..scene import (
    BodySpec,
    Capsule,
    ColliderSpec,
    Composite,
    Cuboid,
    Cylinder,
    Free,
    JointFriction,
    JointSpec,
    LoopPoint,
    Part,
    Piece,
    Piecewise,
    Plane,
    Point,
    Polynomial,
    Pose,
    Revolute,
    SceneSpec,
    SelfCollision,
    Sphere,
    Surface,
    TimeSpec,
    Vec3,
)

if TYPE_CHECKING:
    from ..run.result import Result

Floats = NDArray[np.float64]
Facing = Literal[1, -1]

GRAVITY = 9.81
"""[m/s²], downwards."""
AXIS: Vec3 = (0.0, -1.0, 0.0)
"""Of every hinge: angles grow from x towards z."""
UPPER, LOWER, CRANK = complex(1.366, 1.366), complex(1.009, 0.574), complex(1.599, 0.750)
"""Axles on the hull of the upper rocker, the lower rocker and the crank, in strides, for a leg that faces -x."""
PIN, ELBOW, KNEE, HIP, FOOT = (
    complex(1.331, 0.750), complex(0.741, 0.750), complex(0.232, 0.866), complex(0.866, 1.500), 0j
)  # fmt: skip
"""The other points of the linkage while the pin is nearest to the foot."""


class Linkage(NamedTuple):
    """Where the pins of a leg are, x and z [m] from the crank's axle as complex numbers."""

    upper: complex
    lower: complex
    pin: complex
    elbow: complex
    knee: complex
    hip: complex
    foot: complex


class Leg(NamedTuple):
    name: str
    side: Literal["L", "R"]
    facing: Facing
    """Along x."""
    group: Literal[0, 1]
    """Of the three legs that are down at the same time."""
    lane: float
    """Distance of its plane from the hull's middle, in strides."""


LEGS = (
    Leg("front.L", "L", 1, 0, 0.62),
    Leg("front.R", "R", 1, 0, 0.62),
    Leg("hind.L", "L", -1, 0, 0.15),
    Leg("outer.L", "L", 1, 1, 1.0),
    Leg("outer.R", "R", 1, 1, 1.0),
    Leg("hind.R", "R", -1, 1, 0.15),
)
"""Either three are a tripod of two feet in front and one behind, near the middle, that stands throughout its stride."""


@dataclass(frozen=True)
class Klann:
    """Sizes, friction and drive of the machine."""

    friction: float = 0.4
    """Coefficient inside all joints and loops."""
    floor: float = 0.8
    """Coefficient between feet and floor."""
    stride: float = 0.4
    """[m]"""
    hull: float = 6.0
    """Mass of the hull [kg]."""
    density: float = 600.0
    """Of rods, rockers and legs [kg/m³]."""
    pin: float = 0.008
    """Radius of the pins that rub in all joints [m]."""
    width: float = 0.03
    """Length of the pins [m]."""
    foot: float = 0.02
    """Radius of a foot [m]."""
    speed: float = pi
    """Of the cranks [rad/s], once they have started."""
    start: float = 0.5
    """How long the cranks take to reach their speed [s]."""

    def __post_init__(self) -> None:
        if min(self.friction, self.floor) < 0.0:
            raise InputError(
                "klann", f"friction is {self.friction} and {self.floor}", "Give coefficients of zero or more."
            )

    def linkage(self, facing: Facing, angle: float) -> Linkage:
        """The leg while its pin is at an angle from x towards z [rad]."""
        turn = angle if facing < 0 else pi - angle
        pin = CRANK + abs(PIN - CRANK) * complex(cos(turn), sin(turn))
        elbow = _meet(pin, abs(ELBOW - PIN), LOWER, abs(ELBOW - LOWER), _side(PIN, LOWER, ELBOW))
        knee = _carried(KNEE, (PIN, ELBOW), (pin, elbow))
        hip = _meet(knee, abs(HIP - KNEE), UPPER, abs(HIP - UPPER), _side(KNEE, UPPER, HIP))
        foot = _carried(FOOT, (KNEE, HIP), (knee, hip))
        points = [self.stride * (p - CRANK) for p in (UPPER, LOWER, pin, elbow, knee, hip, foot)]
        return Linkage(*(points if facing < 0 else [-p.conjugate() for p in points]))

    def pin_angle(self, leg: Leg) -> float:
        """Of the leg's crank pin at the start [rad]."""
        return pi * leg.group

    @property
    def height(self) -> float:
        """Of the cranks above the floor while all feet stand on it [m]."""
        lowest = [self.linkage(leg.facing, self.pin_angle(leg)).foot.imag for leg in LEGS]
        return self.foot - min(lowest)

    def crank(self, side: str) -> str:
        return f"crank.{side}"

    def lane(self, leg: Leg) -> float:
        """Where the leg's plane is, along y [m]."""
        return (leg.lane if leg.side == "L" else -leg.lane) * self.stride

    @property
    def revolution(self) -> float:
        """[s]"""
        return 2.0 * pi / self.speed

    def drive(self) -> Piecewise:
        """Angle of the cranks over time [rad]: an even start, and then a constant speed."""
        a, b = self.start, self.speed
        # the speed rises as 3 s² - 2 s³ does over s = t / a
        ramp = Polynomial([0.0, 0.0, 0.0, b / a**2, -0.5 * b / a**3])
        return Piecewise([Piece(ramp, until=a), Piece(Polynomial([0.5 * b * a, b], t0=a))])


def spec(klann: Klann | None = None, *, end: float = 5.0, step: float = 1.0 / 240.0) -> SceneSpec:
    """The machine as a scene, standing on all six feet; x is forwards, z is up."""
    klann = klann or Klann()
    bodies = [_hull(klann), *(_crank(klann, side) for side in ("L", "R"))]
    constraints = []
    for leg in LEGS:
        parts, loops = _leg(klann, leg)
        bodies += parts
        constraints += loops
    return SceneSpec(
        name="klann",
        gravity=(0.0, 0.0, -GRAVITY),
        bodies=bodies,
        constraints=list(constraints),
        colliders=[ColliderSpec(name="floor", shape=Plane(), friction=klann.floor)],
        self_collision=SelfCollision(enabled=False),
        integrator="euler",
        time=TimeSpec(end=end, step=step),
    )


def _side(a: complex, b: complex, c: complex) -> float:
    """1 where c is to the left of the way from a to b, -1 to the right."""
    return 1.0 if ((b - a).conjugate() * (c - a)).imag > 0.0 else -1.0


def _meet(a: complex, r: float, b: complex, s: float, side: float) -> complex:
    """Where circles about a and b meet, on a side of the way from a to b."""
    d = abs(b - a)
    along = (r * r - s * s + d * d) / (2.0 * d)
    across = sqrt(r * r - along * along)
    return a + (b - a) / d * complex(along, side * across)


def _carried(c: complex, before: tuple[complex, complex], after: tuple[complex, complex]) -> complex:
    """Where a point of a rigid part is when two others have moved."""
    turn = (after[1] - after[0]) / (before[1] - before[0])
    return after[0] + turn / abs(turn) * (c - before[0])


def _rub(klann: Klann) -> JointFriction | None:
    return JointFriction(klann.friction, klann.pin, klann.width) if klann.friction > 0.0 else None


def _bar(a: complex, b: complex, radius: float, y: float = 0.0) -> Part:
    """A round bar between two points of the plane."""
    d, middle = b - a, 0.5 * (a + b)
    pose = Pose((middle.real, y, middle.imag), [0.0, atan2(d.real, d.imag), 0.0])
    return Part(Capsule(radius, hypot(d.real, d.imag)), pose)


def _hull(klann: Klann) -> BodySpec:
    """Axles across, held by two trusses, with a load on top; its frame is at the middle of the cranks."""
    s, radius = klann.stride, 0.024 * klann.stride
    front, back = klann.linkage(1, 0.0), klann.linkage(-1, 0.0)
    axles = [front.upper, front.lower, 0j, back.lower, back.upper]
    across = [0.5 * pi, 0.0, 0.0]
    parts = [
        Part(Cylinder(radius, 2.15 * s), Pose((a.real, 0.0, a.imag), across), density=1.0) for a in axles
    ]
    for y in (-0.385 * s, 0.385 * s):
        ends = zip(axles, [*axles[1:], axles[0]])
        parts += [replace(_bar(a, b, 1.5 * radius, y), density=1.0) for a, b in ends]
    load = Cuboid((0.75 * s, 0.6 * s, 0.22 * s))
    parts.append(Part(load, Pose((0.15 * s, 0.0, 0.85 * s)), density=0.6))
    return BodySpec(
        name="hull",
        shape=Composite(parts),
        mass=klann.hull,
        joint=JointSpec(type=Free(), frame=Pose((0.0, 0.0, klann.height))),
    )


def _crank(klann: Klann, side: Literal["L", "R"]) -> BodySpec:
    """A shaft with a web and a pin for each of its legs, which turns in the hull."""
    s = klann.stride
    mine = [leg for leg in LEGS if leg.side == side]
    lanes = [klann.lane(leg) for leg in mine]
    middle = 0.5 * (min(lanes) + max(lanes))
    shaft = Cylinder(klann.pin, max(lanes) - min(lanes) + 0.4 * s)
    parts = [Part(shaft, Pose((0.0, 0.0, 0.0), [0.5 * pi, 0.0, 0.0]))]
    for leg, y in zip(mine, lanes):
        pin = klann.linkage(leg.facing, klann.pin_angle(leg)).pin
        parts.append(_bar(0j, pin, 1.2 * klann.pin, y - middle))
    return BodySpec(
        name=klann.crank(side),
        parent="hull",
        shape=Composite(parts),
        density=klann.density,
        joint=JointSpec(
            type=Revolute(AXIS),
            frame=Pose((0.0, middle, 0.0)),
            motion=[klann.drive()],
            friction=_rub(klann),
        ),
    )


def _leg(klann: Klann, leg: Leg) -> tuple[list[BodySpec], list[LoopPoint]]:
    """Rod, leg and two rockers, and the loops at elbow and hip."""
    at = klann.linkage(leg.facing, klann.pin_angle(leg))
    y, layer = klann.lane(leg), 0.028 * klann.stride * (1.0 if leg.side == "L" else -1.0)
    radius = 0.028 * klann.stride
    shaft = 0.5 * sum(sorted(klann.lane(each) for each in LEGS if each.side == leg.side)[::2])

    def part(name: str, parent: str, origin: complex, lane: float, parts: list[Part]) -> BodySpec:
        frame = Pose((origin.real, lane, origin.imag))
        joint = JointSpec(type=Revolute(AXIS), frame=frame, friction=_rub(klann))
        return BodySpec(
            name=f"{name}.{leg.name}",
            parent=parent,
            shape=Composite(parts),
            density=klann.density,
            joint=joint,
        )

    pin, elbow, knee = at.pin, at.elbow, at.knee
    rod = part(
        "rod", klann.crank(leg.side), pin, y - shaft,
        [_bar(0j, elbow - pin, radius, layer), _bar(elbow - pin, knee - pin, radius, layer)],
    )  # fmt: skip
    shank = part(
        "leg", rod.name, knee - pin, 0.0,
        [_bar(0j, at.foot - knee, radius), _bar(0j, at.hip - knee, radius)],
    )  # fmt: skip
    foot = Pose(_in_plane(at.foot - knee))
    shank.surface = Surface(friction=klann.floor, shape=Composite([Part(Sphere(klann.foot), foot)]))
    lower = part("lower", "hull", at.lower, y, [_bar(0j, elbow - at.lower, radius, -layer)])
    upper = part("upper", "hull", at.upper, y, [_bar(0j, at.hip - at.upper, radius, -layer)])
    loops = [
        _loop(klann, f"elbow.{leg.name}", rod.name, elbow - pin, lower.name, elbow - at.lower),
        _loop(klann, f"hip.{leg.name}", shank.name, at.hip - knee, upper.name, at.hip - at.upper),
    ]
    return [rod, shank, lower, upper], loops


def _loop(klann: Klann, name: str, a: str, at_a: complex, b: str, at_b: complex) -> LoopPoint:
    return LoopPoint(
        Point(_in_plane(at_a), a),
        Point(_in_plane(at_b), b),
        perpendicular_to=AXIS,
        name=name,
        friction=_rub(klann),
    )


def crank_torque(result: Result, klann: Klann | None = None) -> tuple[Floats, Floats]:
    """Angle of the cranks [rad] and the torque that drives both [N·m], over the frames of a recording."""
    klann = klann or Klann()
    columns = [result.coordinates(klann.crank(side)).start for side in ("L", "R")]
    return result.q[:, columns[0]], np.asarray(result.torque[:, columns].sum(axis=1))


def check(result: Result, klann: Klann | None = None, *, gap: float = 1e-4) -> None:
    """Raise AssertionError when a run of the machine is not physical.

    gap: how far a loop may be open, as a fraction of a stride. Wrong are, besides, a foot that leaves its path or goes
    through the floor, a hull that tips over, and a machine that does not get ahead by about two strides a revolution.
    """
    klann = klann or Klann()
    if not np.isfinite(result.q).all():
        raise AssertionError("klann: a coordinate is not a number")
    pose = {name: result.joint_pose[:, k] for k, name in enumerate(result.bodies)}
    for loop in (loop for leg in LEGS for loop in _leg(klann, leg)[1]):
        ends = [_carried_point(pose[str(end.body)], end.position) for end in (loop.a, loop.b)]
        apart = float(np.linalg.norm(ends[0] - ends[1], axis=1).max()) / klann.stride
        if apart > gap:
            raise AssertionError(f"klann: the loop '{loop.name}' opens by {apart:.2g} of a stride")
    hull = pose["hull"]
    for leg in LEGS:
        at = klann.linkage(leg.facing, klann.pin_angle(leg))
        foot = _carried_point(pose[f"leg.{leg.name}"], _in_plane(at.foot - at.knee))
        below = klann.foot - float(foot[:, 2].min())
        if below > 0.01 * klann.height:
            raise AssertionError(f"klann: the foot of '{leg.name}' is {below:.2g} m below the floor")
        on_hull = np.einsum("fji,fj->fi", hull[:, :9].reshape(-1, 3, 3), foot - hull[:, 9:])
        angle = result.q[:, result.coordinates(klann.crank(leg.side)).start]
        path = np.array([klann.linkage(leg.facing, klann.pin_angle(leg) + a).foot for a in angle])
        off = float(np.abs(on_hull[:, 0] + 1j * on_hull[:, 2] - path).max()) / klann.stride
        if off > gap:
            raise AssertionError(
                f"klann: the foot of '{leg.name}' leaves the path of its linkage by {off:.2g} of a stride"
            )
    check_walk(result.t, hull, klann)


def check_walk(t: Floats, hull: Floats, klann: Klann) -> None:
    """The hull, poses of shape (nf, 12), stays upright and gets ahead by about two strides a revolution."""
    tilt = float(np.degrees(np.arccos(np.clip(hull[:, 8], -1.0, 1.0))).max())
    if tilt > 12.0:
        raise AssertionError(f"klann: the hull tilts by {tilt:.0f}°")
    turns = (t[-1] - t[0] - 0.5 * klann.start) / klann.revolution
    ahead = float(hull[-1, 9] - hull[0, 9]) / klann.stride
    if turns >= 1.0 and not 1.5 * turns < ahead < 2.2 * turns:
        raise AssertionError(f"klann: it gets ahead by {ahead:.2g} strides in {turns:.2g} revolutions")


def _in_plane(p: complex) -> Vec3:
    return (p.real, 0.0, p.imag)


def _carried_point(pose: Floats, x: Vec3) -> Floats:
    """A point of a body in the world, over the frames of a recording [m], shape (nf, 3)."""
    return np.asarray(pose[:, 9:] + pose[:, :9].reshape(-1, 3, 3) @ np.array(x))
