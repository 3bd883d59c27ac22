"""Volume integrals of a closed triangle mesh, and the checks that it is one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def mesh_moments(
    vertices: Sequence[Sequence[float]], triangles: Sequence[Sequence[int]], place: str
) -> tuple[float, Floats, Floats]:
    """Volume [m³], centroid [m] (3,), and ∫ d dᵀ dV about the centroid [m⁵] (3, 3) of a closed mesh.

    The integrals are sums over tetrahedra between a fixed point and each triangle (the divergence theorem),
    so that shells inside each other and non-convex meshes are right as long as the surface is closed and
    turned outwards.
    """
    if not triangles:
        raise SceneError(f"{place}.triangles", "the mesh has no triangles", "Give a closed mesh.")
    X = np.asarray(vertices, np.float64).reshape(-1, 3)
    T = np.asarray(triangles, np.int64).reshape(-1, 3)
    _check_indices(T, len(X), place)
    _check_closed(T, place)
    # About the middle of the mesh, so that a mesh far from its origin loses no digits.
    middle = 0.5 * (X.min(axis=0) + X.max(axis=0))
    a, b, c = (X[T[:, k]] - middle for k in range(3))
    six = np.einsum("ij,ij->i", a, np.cross(b, c))
    volume = float(six.sum()) / 6.0
    box = float(np.prod(X.max(axis=0) - X.min(axis=0)))
    if abs(volume) <= 1e-12 * box or volume == 0.0:
        raise SceneError(f"{place}.triangles", "the mesh encloses no volume", "Give it a thickness.")
    if volume < 0.0:
        raise SceneError(
            f"{place}.triangles",
            "the triangles are turned inside out",
            "Order the corners counter-clockwise seen from outside "
            "(in Blender: Mesh > Normals > Recalculate Outside).",
        )
    s = a + b + c
    centroid = np.einsum("i,ij->j", six, s) / (24.0 * volume)
    # ∫ x xᵀ over a tetrahedron (0, a, b, c) = det/120 (a aᵀ + b bᵀ + c cᵀ + s sᵀ)
    second = sum(np.einsum("i,ij,ik->jk", six, d, d) for d in (a, b, c, s)) / 120.0
    second = second - volume * np.outer(centroid, centroid)
    return volume, centroid + middle, second


def _check_indices(T: Ints, count: int, place: str) -> None:
    bad = np.argwhere((T < 0) | (count <= T))
    if len(bad):
        i, k = (int(x) for x in bad[0])
        raise SceneError(
            f"{place}.triangles[{i}][{k}]",
            f"there is no vertex {int(T[i, k])}; the mesh has {count} vertices, counted from 0",
            "Correct the index.",
        )


def _check_closed(T: Ints, place: str) -> None:
    """Every edge must be walked as often in one direction as in the other."""
    edges = np.concatenate([T[:, [0, 1]], T[:, [1, 2]], T[:, [2, 0]]])
    edges = edges[edges[:, 0] != edges[:, 1]]
    direction = np.where(edges[:, 0] < edges[:, 1], 1, -1)
    unique, index, uses = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True, return_counts=True)
    balance = np.bincount(index.reshape(-1), weights=direction, minlength=len(unique))
    bad = np.flatnonzero(balance)
    if len(bad) == 0:
        return
    i, j = (int(v) for v in unique[bad[0]])
    if np.any(uses[bad] % 2 == 1):
        raise SceneError(
            f"{place}.triangles",
            f"the mesh is not closed: {len(bad)} edges lack a neighbour, one of them from vertex {i} to {j}",
            "Close the holes, and merge vertices that lie on top of each other.",
        )
    raise SceneError(
        f"{place}.triangles",
        f"the triangles on both sides of the edge from vertex {i} to {j} are turned differently",
        "Order the corners of all triangles counter-clockwise seen from outside.",
    )
