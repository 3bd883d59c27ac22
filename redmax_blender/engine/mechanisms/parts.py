"""What a mechanism is made of: bodies where they are, connections between them, and the joint of each connection."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ..algebra import se3
from ..errors import SceneError
from ..model.records import Floats
from ..scene import (
    CompositeJoint,
    Curve,
    Fixed,
    Guide,
    JointKind,
    JointSpec,
    Limits,
    Pose,
    Prismatic,
    Revolute,
    Shape,
    Spherical,
    Switch,
    Vec3,
)

Kind = Literal["fixed", "point", "hinge", "slider", "piston", "generic"]


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
    constraints do.
    """

    name: str
    kind: Kind
    a: str | None
    b: str | None
    pose: Floats
    """World pose of the connection, shape (4, 4)."""
    axes: dict[str, Axis] = field(default_factory=dict)
    """Settings by direction: x, y, z (lengths) and rx, ry, rz (angles); `generic` needs `free` to be set."""
    cut: Literal["auto", "always", "never"] = "auto"


_AXES: dict[str, Vec3] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_OF_KIND: dict[str, tuple[str, ...]] = {
    "fixed": (),
    "point": ("rx", "ry", "rz"),
    "hinge": ("rz",),
    "slider": ("x",),
    "piston": ("x", "rx"),
}


def _free_axes(c: Connection) -> list[str]:
    names = ("x", "y", "z", "rx", "ry", "rz")
    if c.kind == "generic":
        return [n for n in names if n in c.axes and c.axes[n].free]
    return [n for n in names if n in _OF_KIND[c.kind]]


def joint_of(c: Connection, flipped: bool) -> JointSpec:
    """The joint of a connection, and what acts in its coordinates."""
    free = _free_axes(c)
    lengths, angles = [n for n in free if len(n) == 1], [n[1] for n in free if len(n) == 2]
    parts: list[JointKind] = [Prismatic(axis=_AXES[n]) for n in lengths]
    if len(angles) == 3:
        parts.append(Spherical())
    else:
        parts += [Revolute(axis=_AXES[n]) for n in angles]
    joint = JointSpec(
        type=Fixed() if not parts else parts[0] if len(parts) == 1 else CompositeJoint(joints=parts)
    )
    settings = [c.axes.get(n, Axis()) for n in lengths + [f"r{n}" for n in angles]]
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


def as_pose(E: Floats) -> Pose:
    return Pose(position=vec3(E[:3, 3]), rotation=[float(x) for x in se3.quaternion(E[:3, :3])])


def vec3(v: Floats) -> Vec3:
    return (float(v[0]), float(v[1]), float(v[2]))
