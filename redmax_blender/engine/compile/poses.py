"""Poses of a scene as rotation matrix and origin, or as the rows of twelve numbers that the kernels use."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from ..scene import Pose

Floats = NDArray[np.float64]

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


def pose_numbers(pose: Pose, place: str) -> tuple[float, ...]:
    """The rotation matrix row by row, then the origin [m]: twelve numbers."""
    w, x, y, z = _unit_quaternion(pose.rotation, f"{place}.rotation")
    px, py, pz = pose.position
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
        px, py, pz,
    )  # fmt: skip


def pose_parts(pose: Pose, place: str) -> tuple[Floats, Floats]:
    """Rotation matrix (3, 3) and origin [m] (3,)."""
    row = np.array(pose_numbers(pose, place))
    return row[:9].reshape(3, 3), row[9:]


def _unit_quaternion(rotation: list[float], place: str) -> tuple[float, float, float, float]:
    if len(rotation) == 3:
        x, y, z = rotation
        angle = math.hypot(x, y, z)
        # sin(θ/2)/θ, which is 1/2 - θ²/48 near zero
        s = math.sin(0.5 * angle) / angle if angle > 1e-4 else 0.5 - angle * angle / 48.0
        return math.cos(0.5 * angle), s * x, s * y, s * z
    if len(rotation) != 4:
        raise SceneError(
            place,
            f"a rotation has 4 numbers (quaternion w, x, y, z) or 3 (rotation vector), not {len(rotation)}",
            "Correct the list.",
        )
    w, x, y, z = rotation
    length = math.hypot(w, x, y, z)
    if abs(length - 1.0) > 1e-3:
        raise SceneError(
            place,
            f"the quaternion {list(rotation)} has length {length:.6g}",
            "Give a unit quaternion (w, x, y, z): divide all four numbers by its length.",
        )
    return w / length, x / length, y / length, z / length
