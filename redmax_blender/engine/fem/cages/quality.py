"""How well-shaped tetrahedra are: small angles make a stiff, slow matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...model.records import Floats, Ints
from ..tets import signed_volumes


@dataclass(frozen=True)
class Quality:
    least_angle: float
    """Smallest dihedral angle [deg]."""
    greatest_angle: float
    """Largest dihedral angle [deg]."""
    least_shape: float
    """Worst shape, 1 for a regular tetrahedron and 0 for a flat one."""
    volume_ratio: float
    """Largest volume over smallest."""


def dihedral_angles(X: Floats, corner: Ints) -> Floats:
    """Between the faces of each tetrahedron [deg], shape (nt, 6)."""
    p = X[corner]
    normals = []
    for a, b, c in ((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1)):
        n = np.cross(p[:, b] - p[:, a], p[:, c] - p[:, a])
        normals.append(n / np.linalg.norm(n, axis=1, keepdims=True))
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    cosines = np.stack([-np.einsum("ij,ij->i", normals[i], normals[j]) for i, j in pairs], axis=1)
    angles: Floats = np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0)))
    return angles


def shapes(X: Floats, corner: Ints) -> Floats:
    """6√2 V / (root mean square edge)³ of each tetrahedron, shape (nt,); 1 for a regular one."""
    p = X[corner]
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    edge2 = np.mean([np.einsum("ij,ij->i", p[:, i] - p[:, j], p[:, i] - p[:, j]) for i, j in pairs], axis=0)
    shape: Floats = 6.0 * np.sqrt(2.0) * np.abs(signed_volumes(X, corner)) / edge2**1.5
    return shape


def quality(X: Floats, corner: Ints) -> Quality:
    """The worst of all tetrahedra."""
    angles, volume = dihedral_angles(X, corner), np.abs(signed_volumes(X, corner))
    return Quality(
        float(angles.min()),
        float(angles.max()),
        float(shapes(X, corner).min()),
        float(volume.max() / volume.min()),
    )
