"""What a mechanism is made of: bodies where they are, connections between them, and the joint of each connection."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ..algebra import se3
from ..errors import SceneError
from ..model.records import Floats
from ..scene import (
    CompositeJoint,
    Curve,
    Fixed,
    FreePlanar,
    Guide,
    JointKind,
    JointSpec,
    Limits,
    Planar,
    Pose,
    Prismatic,
    Revolute,
    Shape,
    Spherical,
    SplineCurve,
    SplineSurface,
    Switch,
    Translational,
    Universal,
    Vec3,
)

Kind = Literal[
    "fixed", "point", "hinge", "slider", "piston", "universal", "planar", "free-planar", "translational", "curve",
    "surface", "generic",
]  # fmt: skip
CLOSING: tuple[Kind, ...] = ("fixed", "point", "hinge", "slider", "piston")
"""Kinds of which there are constraints that close a loop."""
ONE_WAY: tuple[Kind, ...] = ("curve", "surface")
"""Kinds whose joint can only run from the first part, which has the curve or surface, to the second one."""


@dataclass
class Body:
    """A part, where it is."""

    name: str
    shape: Shape
    pose: Floats
    """World pose of the shape, shape (4, 4)."""
    mass: float | None = None
    density: float | None = None
    damping: float = 0.0
    weight: float = 1.0
    """How much of gravity it feels."""
    motion: list[Curve | None] | None = None
    """Of an anchored body: path of a `free` joint in the world, six curves. Null: it stands still."""
    anchored: bool = False
    """It does not feel forces: it stands still, or follows its motion."""


@dataclass
class Axis:
    """One of the six directions of a generic connection: free, locked, limited, sprung, driven."""

    free: bool = False
    lower: float | None = None
    upper: float | None = None
    stiffness: float = 0.0
    damping: float = 0.0
    motion: Curve | None = None
    """Path of this coordinate, which `guide` pulls towards; without a guide it is followed exactly."""
    guide: Guide | None = None


@dataclass
class Connection:
    """Two parts, or a part and the world, and how they may move against each other.

    Axes are those of `pose`: a hinge turns about z, a slider and a piston move along x, as Blender's rigid body
    constraints do; a universal joint turns about x and then about y, planar ones keep to the plane across z.
    """

    name: str
    kind: Kind
    a: str | None
    b: str | None
    pose: Floats
    """World pose of the connection, as the first part has it now, shape (4, 4)."""
    axes: dict[str, Axis] = field(default_factory=dict)
    """Settings by direction: x, y, z (lengths) and rx, ry, rz (angles); `generic` needs `free` to be set."""
    cut: Literal["auto", "always", "never"] = "auto"
    spline: SplineCurve | SplineSurface | None = None
    """Of a curve or surface: its frames, seen from `pose`."""
    loose: bool = False
    """Whether what slides along a curve or surface may turn freely, as a bead does."""
    unit: float = 1.0
    """Length of a whole number of the first coordinate [m], along a curve or surface."""
    pose_b: Floats | None = None
    """The same as the second part has it, where the two are not together; lengths and angles are zero where they
    are."""

    @property
    def apart(self) -> Floats:
        """Pose of the connection as the second part has it, seen from that of the first, shape (4, 4)."""
        return np.eye(4) if self.pose_b is None else np.asarray(se3.inverse(self.pose) @ self.pose_b)


BALL = ("rx", "ry", "rz")
"""Names of angles; all three together are a rotation vector."""
_AXES: dict[str, Vec3] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_OF_KIND: dict[str, tuple[str, ...]] = {
    "fixed": (),
    "point": ("rx", "ry", "rz"),
    "hinge": ("rz",),
    "slider": ("x",),
    "piston": ("x", "rx"),
    "universal": ("rx", "ry"),
    "planar": ("x", "y"),
    "free-planar": ("x", "y", "rz"),
    "translational": ("x", "y", "z"),
    "curve": ("u",),
    "surface": ("u", "v"),
}


def free_axes(c: Connection) -> list[str]:
    """Names of the directions in which the second part may move, in the order of the joint's coordinates."""
    names = ("x", "y", "z", "rx", "ry", "rz")
    if c.kind == "generic":
        return [n for n in names if n in c.axes and c.axes[n].free]
    if c.kind in ONE_WAY:
        return [*_OF_KIND[c.kind], *(("rx", "ry", "rz") if c.loose else ())]
    return [n for n in names if n in _OF_KIND[c.kind]]


def names_in_order(c: Connection, flipped: bool) -> list[str]:
    """Names of a joint's coordinates in their order: lengths first, or last where it runs from the second part to the
    first one."""
    free = free_axes(c)
    if not flipped or c.kind == "piston":  # which is the same both ways
        return free
    angles = [n for n in free if n in BALL]
    return (angles if len(angles) == 3 else angles[::-1]) + [n for n in free if n not in BALL]


def joint_of(c: Connection, flipped: bool) -> JointSpec:
    """The joint of a connection, and what acts in its coordinates."""
    free = names_in_order(c, flipped)
    joint = JointSpec(type=_type_of(c, free, flipped))
    settings = [c.axes.get(n, Axis()) for n in free]
    if any(s.stiffness or s.damping for s in settings):
        joint.stiffness = [s.stiffness for s in settings]
        joint.damping = [s.damping for s in settings]
    if any(s.lower is not None or s.upper is not None for s in settings):
        low, high = [s.lower for s in settings], [s.upper for s in settings]
        if flipped:
            low, high = [None if x is None else -x for x in high], [None if x is None else -x for x in low]
        joint.limits = Limits(lower=low, upper=high)
    if any(s.motion is not None for s in settings):
        if flipped:
            raise SceneError(
                f"connection '{c.name}'",
                "a driven joint must run from its first to its second object, and here the second one carries it",
                "Swap the two objects and the sign of the motion, or fix the first object to the world.",
            )
        joint.motion = [s.motion for s in settings]
        guides = [s.guide for s in settings if s.guide is not None]
        if guides:
            joint.guide = guides[0]
            joint.modes = [Switch(time=-1e9, mode="guided")]
    return joint


def _type_of(c: Connection, free: list[str], flipped: bool) -> JointKind:
    """The joint itself, whose coordinates have these names."""
    match c.kind:
        case "universal" if not flipped:
            return Universal()
        case "planar":
            return Planar()
        case "translational":
            return Translational()
        case "free-planar" if not flipped:
            return FreePlanar()
        case "curve" | "surface":
            assert c.spline is not None
            return CompositeJoint([c.spline, Spherical()]) if c.loose else c.spline
    ball = set(BALL) <= set(free)
    parts: list[JointKind] = []
    for name in free:
        if ball and name in BALL:
            parts += [Spherical()] if name == "rx" else []
        else:
            parts.append(Revolute(_AXES[name[1]]) if name in BALL else Prismatic(_AXES[name]))
    return Fixed() if not parts else parts[0] if len(parts) == 1 else CompositeJoint(joints=parts)


def as_pose(E: Floats) -> Pose:
    return Pose(position=vec3(E[:3, 3]), rotation=[float(x) for x in se3.quaternion(E[:3, :3])])


def vec3(v: Floats) -> Vec3:
    return (float(v[0]), float(v[1]), float(v[2]))
