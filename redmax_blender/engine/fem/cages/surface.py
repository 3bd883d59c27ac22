"""A triangle mesh as an artist gives it: checks, volume, and points spread over it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError
from ...jit.decorators import njit
from ...model.records import Floats, Ints
from ..tets import check_points


def checked_surface(vertices: ArrayLike, triangles: ArrayLike, place: str) -> tuple[Floats, Ints]:
    """Vertices (nv, 3) [m] and triangles (nt, 3) as arrays, or an InputError that names what is wrong."""
    points: Floats = np.ascontiguousarray(np.asarray(vertices, np.float64).reshape(-1, 3))
    faces: Ints = np.ascontiguousarray(np.asarray(triangles, np.int64).reshape(-1, 3))
    if len(points) == 0 or len(faces) == 0:
        what = "vertices" if len(points) == 0 else "faces"
        raise InputError(place, f"the mesh has no {what}", "Give a mesh with a surface.")
    check_points(points, f"{place}.vertices")
    bad = np.argwhere((faces < 0) | (faces >= len(points)))
    if len(bad):
        t, k = (int(i) for i in bad[0])
        raise InputError(
            f"{place}.triangles[{t}][{k}]",
            f"there is no vertex {int(faces[t, k])}; there are {len(points)}, counted from 0",
            "Correct the index.",
        )
    return points, faces


def area(points: Floats, faces: Ints) -> float:
    """[m²]"""
    a, b, c = (points[faces[:, k]] for k in range(3))
    return 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())


@njit
def _count_samples(points: Floats, faces: Ints, spacing: float, parts: Ints) -> int:
    """How finely each triangle must be divided so that no edge of a part is longer than the spacing."""
    total = 0
    for t in range(len(faces)):
        longest = 0.0
        for k in range(3):
            a, b = faces[t, k], faces[t, (k + 1) % 3]
            d = 0.0
            for c in range(3):
                d += (points[a, c] - points[b, c]) ** 2
            longest = max(longest, d)
        n = int(np.ceil(np.sqrt(longest) / spacing))
        parts[t] = n
        if n > 1:
            total += (n + 1) * (n + 2) // 2
    return total


@njit
def _fill_samples(points: Floats, faces: Ints, parts: Ints, at: int, out: Floats) -> None:
    for t in range(len(faces)):
        n = parts[t]
        if n <= 1:
            continue
        a, b, c = faces[t, 0], faces[t, 1], faces[t, 2]
        for i in range(n + 1):
            for j in range(n + 1 - i):
                u, v = i / n, j / n
                for k in range(3):
                    out[at, k] = (
                        points[a, k] + u * (points[b, k] - points[a, k]) + v * (points[c, k] - points[a, k])
                    )
                at += 1


def surface_samples(points: Floats, faces: Ints, spacing: float) -> Floats:
    """All vertices, and points on triangles that are wider than `spacing` [m]; shape (n, 3)."""
    parts = np.empty(len(faces), np.int64)
    extra = int(_count_samples(points, faces, spacing, parts))
    out = np.empty((len(points) + extra, 3))
    out[: len(points)] = points
    _fill_samples(points, faces, parts, len(points), out)
    return out
