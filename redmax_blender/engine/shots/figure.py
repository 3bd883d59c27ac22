"""A human figure of thirty capsules on joints with limits: what falls in the shot `ragdoll`.

Sizes are those of a person of 1.75 m who stands upright with stretched arms, facing -y; the left side is at +x. Masses
are the usual fractions of the body's (P. de Leva, J. Biomechanics 29, 1996); every joint turns about the axes of the
world in that pose, one after the other, and each of its angles has a range.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, radians, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..scene import (
    BodySpec,
    Capsule,
    CompositeJoint,
    Free,
    JointFriction,
    JointSpec,
    Limits,
    Pose,
    Revolute,
    Surface,
    Vec3,
)

Floats = NDArray[np.float64]

HEIGHT = 1.75
"""[m]"""
MASS = 75.0
"""[kg]"""
GRAVITY = 9.81
"""[m/s²]"""
AXES: dict[str, Vec3] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


class Turn(NamedTuple):
    """One angle of a joint and its range [°]."""

    axis: str
    low: float
    high: float


class Segment(NamedTuple):
    """A capsule between two points [m], and the joint at `joint` that carries it."""

    name: str
    parent: str | None
    joint: Vec3
    begin: Vec3
    end: Vec3
    radius: float
    """[m]"""
    mass: float
    """As a fraction of the body's."""
    turns: tuple[Turn, ...] = ()


def _spine(
    name: str, parent: str | None, z: float, half: float, radius: float, mass: float, *turns: Turn
) -> Segment:
    """A segment that lies across, its joint below it."""
    middle = z + 0.05
    return Segment(
        name, parent, (0.0, 0.0, z), (-half, 0.0, middle), (half, 0.0, middle), radius, mass, turns
    )


_BEND = (Turn("x", -20.0, 10.0), Turn("y", -12.0, 12.0), Turn("z", -12.0, 12.0))
_NECK = (Turn("x", -25.0, 25.0), Turn("y", -20.0, 20.0), Turn("z", -30.0, 30.0))
TRUNK = (
    _spine("pelvis", None, 0.92, 0.065, 0.105, 0.112),
    _spine("lumbar", "pelvis", 1.03, 0.035, 0.105, 0.08, *_BEND),
    _spine("waist", "lumbar", 1.13, 0.035, 0.105, 0.083, *_BEND),
    _spine("thorax", "waist", 1.23, 0.05, 0.11, 0.08, *_BEND),
    _spine("chest", "thorax", 1.33, 0.06, 0.11, 0.06, *_BEND),
    Segment(
        "neck.1", "chest", (0.0, 0.0, 1.44), (0.0, 0.0, 1.46), (0.0, 0.0, 1.50), 0.055, 0.012, _NECK
    ),
    Segment(
        "neck.2", "neck.1", (0.0, 0.0, 1.51), (0.0, 0.0, 1.52), (0.0, 0.0, 1.56), 0.055, 0.012, _NECK
    ),
    Segment(
        "head", "neck.2", (0.0, 0.0, 1.57), (0.0, -0.01, 1.62), (0.0, -0.01, 1.655), 0.095, 0.057,
        (Turn("x", -30.0, 30.0), Turn("y", -25.0, 25.0), Turn("z", -40.0, 40.0)),
    ),
)  # fmt: skip
LEFT = (
    Segment(
        "clavicle", "chest", (0.03, 0.0, 1.43), (0.07, 0.0, 1.43), (0.14, 0.0, 1.43), 0.05, 0.015,
        (Turn("z", -15.0, 15.0), Turn("y", -20.0, 10.0)),
    ),
    Segment(
        "upper_arm", "clavicle", (0.18, 0.0, 1.43), (0.22, 0.0, 1.43), (0.44, 0.0, 1.43), 0.045, 0.027,
        (Turn("z", -110.0, 30.0), Turn("y", -60.0, 80.0), Turn("x", -70.0, 70.0)),
    ),
    Segment(
        "forearm", "upper_arm", (0.46, 0.0, 1.43), (0.48, 0.0, 1.43), (0.69, 0.0, 1.43), 0.038, 0.016,
        (Turn("z", -145.0, 0.0),),
    ),
    Segment(
        "hand", "forearm", (0.72, 0.0, 1.43), (0.74, 0.0, 1.43), (0.79, 0.0, 1.43), 0.028, 0.004,
        (Turn("x", -80.0, 80.0), Turn("y", -60.0, 60.0), Turn("z", -20.0, 25.0)),
    ),
    Segment(
        "thumb", "hand", (0.74, -0.02, 1.43), (0.75, -0.045, 1.43), (0.78, -0.075, 1.43), 0.014, 0.0005,
        (Turn("z", -30.0, 30.0),),
    ),
    Segment(
        "fingers.1", "hand", (0.81, 0.0, 1.43), (0.825, 0.0, 1.43), (0.85, 0.0, 1.43), 0.016, 0.001,
        (Turn("y", -10.0, 90.0),),
    ),
    Segment(
        "fingers.2", "fingers.1", (0.86, 0.0, 1.43), (0.87, 0.0, 1.43), (0.90, 0.0, 1.43), 0.014, 0.0005,
        (Turn("y", 0.0, 100.0),),
    ),
    Segment(
        "thigh", "pelvis", (0.09, 0.0, 0.91), (0.09, 0.0, 0.84), (0.09, 0.0, 0.54), 0.075, 0.1416,
        (Turn("x", -120.0, 20.0), Turn("y", -45.0, 20.0), Turn("z", -40.0, 40.0)),
    ),
    Segment(
        "shin", "thigh", (0.09, 0.0, 0.49), (0.09, 0.0, 0.45), (0.09, 0.01, 0.14), 0.05, 0.0433,
        (Turn("x", 0.0, 145.0),),
    ),
    Segment(
        "foot", "shin", (0.09, 0.02, 0.08), (0.09, 0.03, 0.05), (0.09, -0.09, 0.045), 0.038, 0.0107,
        (Turn("x", -25.0, 45.0), Turn("y", -20.0, 20.0)),
    ),
    Segment(
        "toes", "foot", (0.09, -0.12, 0.035), (0.09, -0.14, 0.03), (0.09, -0.18, 0.03), 0.028, 0.003,
        (Turn("x", -50.0, 30.0),),
    ),
)  # fmt: skip


def _mirrored(part: Segment) -> Segment:
    """The same on the right side: x and the sense of turns about y and z are the other way round."""

    def across(p: Vec3) -> Vec3:
        return (-p[0], p[1], p[2])

    turns = tuple(t if t.axis == "x" else Turn(t.axis, -t.high, -t.low) for t in part.turns)
    return part._replace(
        joint=across(part.joint), begin=across(part.begin), end=across(part.end), turns=turns
    )


def _sided(part: Segment, side: str) -> Segment:
    names = {each.name for each in LEFT}
    parent = f"{part.parent}.{side}" if part.parent in names else part.parent
    return part._replace(name=f"{part.name}.{side}", parent=parent)


SEGMENTS: tuple[Segment, ...] = (
    *TRUNK,
    *(_sided(part, "L") for part in LEFT),
    *(_sided(_mirrored(part), "R") for part in LEFT),
)
"""All thirty, parents first."""


@dataclass(frozen=True)
class Skin:
    """What the figure is made of."""

    friction: float = 0.6
    """Between it and other things."""
    joint_friction: float = 0.2
    """Coefficient inside its joints, whose radius is half that of the segment: what dampers alone never stop comes to
    rest by it. That of an arthritic joint stands for sinews and skin as well."""
    damping: float = 0.1
    """How flesh and sinews slow each joint down: the damping ratio of all that it carries as a pendulum."""


def figure(
    skin: Skin, q: list[float], angles: dict[str, list[float]] | None = None, qdot: list[float] | None = None
) -> list[BodySpec]:
    """The bodies, with `angles` at the start of joints [rad], zero where not given.

    q, qdot: place and speed of the pelvis' joint, three lengths [m, m/s] and a rotation vector [rad, rad/s].
    """
    bodies = []
    at = {part.name: part for part in SEGMENTS}
    total = sum(part.mass for part in SEGMENTS)
    for part in SEGMENTS:
        begin, end = np.array(part.begin), np.array(part.end)
        joint = JointSpec(type=Free(), q=q, qdot=qdot)
        if part.parent is not None:
            offset = np.subtract(part.joint, at[part.parent].joint)
            joint = _joint(part, skin, _vec3(offset), (angles or {}).get(part.name))
        middle = 0.5 * (begin + end) - part.joint
        bodies.append(
            BodySpec(
                name=part.name,
                parent=part.parent,
                shape=Capsule(part.radius, float(np.linalg.norm(end - begin))),
                mass=MASS * part.mass / total,
                pose=Pose(_vec3(middle), _from_z(end - begin)),
                joint=joint,
                surface=Surface(friction=skin.friction),
            )
        )
    return bodies


def _critical(part: Segment) -> float:
    """Damping at which a segment with all that hangs on it would just not swing about its joint [N·m·s/rad]."""
    names = {part.name}
    inertia, weight = 0.0, 0.0
    for other in SEGMENTS:
        if other.name in names or other.parent in names:
            names.add(other.name)
            arm = 0.5 * np.add(other.begin, other.end) - part.joint
            inertia += MASS * other.mass * (float(arm @ arm) + other.radius**2)
            weight += MASS * other.mass * GRAVITY * float(np.linalg.norm(arm))
    return 2.0 * sqrt(inertia * weight)


def _joint(part: Segment, skin: Skin, offset: Vec3, q: list[float] | None) -> JointSpec:
    kinds = [Revolute(AXES[turn.axis]) for turn in part.turns]
    rub = JointFriction(skin.joint_friction, 0.5 * part.radius, part.radius)
    return JointSpec(
        type=kinds[0] if len(kinds) == 1 else CompositeJoint(list(kinds)),
        frame=Pose(offset),
        q=q,
        rest=0.0,
        damping=skin.damping * _critical(part),
        friction=rub if skin.joint_friction > 0.0 else None,
        limits=Limits(
            lower=[radians(turn.low) for turn in part.turns],
            upper=[radians(turn.high) for turn in part.turns],
        ),
    )


def _from_z(v: Floats) -> list[float]:
    """Rotation vector that takes z to the direction of v."""
    across = hypot(v[0], v[1])
    if across < 1e-12:
        return [0.0, 0.0, 0.0]
    angle = float(np.arctan2(across, v[2]))
    return [float(-v[1] / across * angle), float(v[0] / across * angle), 0.0]


def _vec3(v: Floats) -> Vec3:
    return (float(v[0]), float(v[1]), float(v[2]))
