"""Rotations in double precision, by NumPy alone: `mathutils` is single, and SciPy takes a second to load.

Near gimbal lock the Euler angles that `mathutils` finds are off by up to 3e-4 rad; those found here are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, cos, hypot, pi, sin

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def nearest_rotation(matrix: Floats) -> Floats:
    """The rotation nearest to a matrix with positive determinant, orthonormal to rounding, shape (3, 3)."""
    U, _, Vt = np.linalg.svd(matrix)
    return U @ Vt


def quaternion(rotation: Floats) -> Floats:
    """Unit quaternion w, x, y, z of a rotation matrix, with w ≥ 0, shape (4,)."""
    R = rotation
    # Each row below is 4 · q_i · q; the one with the largest q_i loses no digits (Shepperd's method).
    rows = np.array([
        [1 + R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
        [R[2, 1] - R[1, 2], 1 + R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
        [R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], 1 - R[0, 0] + R[1, 1] - R[2, 2], R[1, 2] + R[2, 1]],
        [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], 1 - R[0, 0] - R[1, 1] + R[2, 2]],
    ])  # fmt: skip
    q = rows[np.argmax(np.diag(rows))]
    return q * (np.copysign(1.0, q[0]) / np.linalg.norm(q))


def quaternions(rotations: Floats) -> Floats:
    """Unit quaternions of many rotation matrices, shape (n, 3, 3), with w ≥ 0, shape (n, 4); as `quaternion`."""
    R = rotations
    t = np.einsum("nii->n", R)
    rows = np.empty((len(R), 4, 4))
    rows[:, 0, 0] = 1.0 + t
    for i, (j, k) in enumerate(((1, 2), (2, 0), (0, 1))):
        rows[:, i + 1, i + 1] = 1.0 + 2.0 * R[:, i, i] - t
        rows[:, 0, i + 1] = rows[:, i + 1, 0] = R[:, k, j] - R[:, j, k]
        rows[:, j + 1, k + 1] = rows[:, k + 1, j + 1] = R[:, j, k] + R[:, k, j]
    best = np.argmax(np.einsum("nii->ni", rows), axis=1)
    q = rows[np.arange(len(R)), best]
    return np.asarray(q * (np.copysign(1.0, q[:, 0]) / np.linalg.norm(q, axis=1))[:, None])


def rotation_vectors(rotations: Floats) -> Floats:
    """Axis times angle [rad] of many rotation matrices, none longer than π, shape (n, 3)."""
    q = quaternions(rotations)
    sine = np.linalg.norm(q[:, 1:], axis=1)
    scale = np.where(sine > 0.0, 2.0 * np.arctan2(sine, q[:, 0]) / np.maximum(sine, 1e-300), 2.0)
    return np.asarray(q[:, 1:] * scale[:, None])


def rotation_vector(rotation: Floats) -> Floats:
    """Axis times angle [rad] of a rotation matrix, no longer than π, shape (3,)."""
    w, *xyz = quaternion(rotation)
    sine = float(np.linalg.norm(xyz))
    scale = 2.0 * atan2(sine, w) / sine if sine > 0.0 else 2.0
    return scale * np.array(xyz)


def turn(axis: Floats, angle: float) -> Floats:
    """Rotation by an angle [rad] about a unit vector, shape (3, 3) (Rodrigues)."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + sin(angle) * K + (1.0 - cos(angle)) * (K @ K)


def euler_near(q: Sequence[float], order: str, near: Sequence[float]) -> list[float]:
    """Blender's Euler angles x, y, z [rad] of a quaternion w, x, y, z: of all equal ones, those nearest to `near`.

    By half sums and half differences of the first and last angle (Bernardes and Viollet 2022), which stay accurate
    near gimbal lock. In Blender's order "XYZ" the rotation about x comes first, about fixed axes.
    """
    i, j, k = ("XYZ".index(axis) for axis in order)
    even = 1.0 if (j - i) % 3 == 1 else -1.0
    w, xyz = q[0], q[1:]
    a, b = w - xyz[j], xyz[i] + even * xyz[k]
    c, d = w + xyz[j], even * xyz[k] - xyz[i]
    half_sum, half_difference = atan2(b, a), atan2(d, c)
    middle = 2.0 * atan2(hypot(c, d), hypot(a, b)) - 0.5 * pi
    first, last = half_sum - half_difference, even * (half_sum + half_difference)
    candidates = []
    for angles in ((first, middle, last), (first + pi, pi - middle, last + pi)):
        values = [0.0, 0.0, 0.0]
        for axis, angle in zip((i, j, k), angles):
            values[axis] = angle + 2.0 * pi * round((near[axis] - angle) / (2.0 * pi))
        candidates.append(values)
    return min(candidates, key=lambda values: sum(abs(v - n) for v, n in zip(values, near)))


def axis_angle_near(q: Sequence[float], near: Sequence[float]) -> list[float]:
    """Angle [rad] and axis x, y, z of a quaternion, the axis on the side of that of `near` and the angle beside its."""
    old_angle, old_axis = near[0], np.array(near[1:], dtype=float)
    length = float(np.linalg.norm(old_axis))
    old_axis = old_axis / length if length > 1e-6 else np.array([0.0, 1.0, 0.0])
    vector = np.array(q[1:], dtype=float)
    sine = float(np.linalg.norm(vector))
    axis = vector / sine if sine > 1e-9 else old_axis  # no rotation at all has any axis: keep the old one
    angle = 2.0 * atan2(sine, q[0])
    if float(axis @ old_axis) < 0.0:
        axis, angle = -axis, -angle
    angle += 2.0 * pi * round((old_angle - angle) / (2.0 * pi))
    return [angle, *axis.tolist()]


def quaternion_near(q: Sequence[float], near: Sequence[float]) -> list[float]:
    """The quaternion itself or its negative, whichever is on the side of `near`."""
    flip = sum(a * b for a, b in zip(q, near)) < 0.0
    return [-x for x in q] if flip else list(q)


def rotation_near(mode: str, q: Sequence[float], near: Sequence[float]) -> list[float]:
    """A quaternion w, x, y, z as values of the channel that a rotation mode of Blender uses, near those of `near`."""
    if mode == "QUATERNION":
        return quaternion_near(q, near)
    if mode == "AXIS_ANGLE":
        return axis_angle_near(q, near)
    return euler_near(q, mode, near)
