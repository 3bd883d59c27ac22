"""Rotations in double precision, by NumPy alone: `mathutils` is single, and SciPy takes a second to load."""

from __future__ import annotations

from math import atan2, cos, sin

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
