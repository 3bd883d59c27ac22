"""A bone's start pose as coordinates of its joint.

Joint kinds follow the engine: the joint turns its frame by Q(q). A rotation that the kind cannot make is split,
R = R_rest_of_it · Q(q): the remainder becomes part of the joint's frame, so that the start pose is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, cos, hypot, sin

import numpy as np
from numpy.typing import NDArray

from ...engine.scene import spec
from .rotations import quaternion, rotation_vector, turn

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Coordinates:
    """What the engine needs to start a joint in a given pose."""

    type: spec.JointKind
    q: list[float]
    """Coordinates of the start pose [rad, m]."""
    remainder: Floats
    """The part of the start rotation that the joint cannot make, to the left of Q, shape (3, 3)."""
    slide: Floats
    """Translation that the joint makes in the start pose, in the joint's frame at q = 0 [m], shape (3,)."""
    axes: Floats
    """Axes of the joint's frame in the bone's frame, as columns, shape (3, 3)."""

    @property
    def off_axis(self) -> float:
        """Angle of the remainder [rad]."""
        return float(np.linalg.norm(rotation_vector(self.remainder)))


def joint_coordinates(
    kind: str, axis: Floats, second_axis: Floats, rotation: Floats, shift: Floats
) -> Coordinates:
    """Coordinates of a joint of this kind at a local rotation (3, 3) and shift [m], both from the rest position.

    `axis` and `second_axis` are unit vectors in the bone's frame. The shift is in the frame at rest; joints that do
    not slide leave it to the frame.
    """
    still, aligned = np.zeros(3), np.eye(3)
    if kind == "FIXED":
        return Coordinates(spec.Fixed(), [], rotation, still, aligned)
    if kind == "REVOLUTE":
        angle = twist_angle(rotation, axis)
        remainder = rotation @ turn(axis, -angle)
        return Coordinates(spec.Revolute(axis=_vec3(axis)), [angle], remainder, still, aligned)
    if kind == "UNIVERSAL":
        axes = np.column_stack([axis, second_axis, np.cross(axis, second_axis)])
        c, a, b = zxy_angles(axes.T @ rotation @ axes)
        return Coordinates(spec.Universal(), [a, b], turn(np.array([0.0, 0.0, 1.0]), c), still, axes)
    if kind == "SPHERICAL":
        vector = rotation_vector(rotation)
        return Coordinates(spec.Spherical(), [float(x) for x in vector], np.eye(3), still, aligned)
    if kind == "PRISMATIC":
        length = float(axis @ rotation.T @ shift)
        return Coordinates(spec.Prismatic(axis=_vec3(axis)), [length], rotation, length * axis, aligned)
    if kind == "FREE":  # starts in its own frame: nothing to split, and far from the 2π shell
        return Coordinates(spec.Free(), [0.0] * 6, rotation, still, aligned)
    raise ValueError(f"unknown joint kind '{kind}'")


def twist_angle(rotation: Floats, axis: Floats) -> float:
    """Angle [rad] of the rotation about `axis` that comes nearest to the given one."""
    w, x, y, z = quaternion(rotation)
    along = float(np.dot((x, y, z), axis))
    if hypot(along, w) < 1e-12:  # half a turn about a perpendicular axis: every twist is as near
        return 0.0
    angle = 2.0 * atan2(along, w)
    return atan2(sin(angle), cos(angle))


def zxy_angles(rotation: Floats) -> tuple[float, float, float]:
    """Angles c, a, b [rad] of rotation = Rz(c) · Rx(a) · Ry(b)."""
    a = atan2(rotation[2, 1], hypot(rotation[2, 0], rotation[2, 2]))
    if hypot(rotation[2, 0], rotation[2, 2]) < 1e-9:  # the first and last axis coincide: no remainder needed
        return 0.0, a, atan2(rotation[0, 2], rotation[0, 0])
    return (
        atan2(-rotation[0, 1], rotation[1, 1]),
        a,
        atan2(-rotation[2, 0], rotation[2, 2]),
    )


def _vec3(vector: Floats) -> spec.Vec3:
    x, y, z = (float(v) for v in vector)
    return (x, y, z)
