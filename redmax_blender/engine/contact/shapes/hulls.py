"""Convex hulls of points: flat faces as whole polygons, and which corners share an edge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import SceneError
from ...model.records import Floats
from ..narrow.manifold import LARGEST_FACE

_SAME_FACE = 1.0 - 1e-8
"""Cosine between normals of triangles that are one flat face."""


@dataclass(frozen=True)
class Hull:
    points: Floats
    """Corners [m], shape (n, 3)."""
    faces: list[list[int]]
    """Corners of each face, counter-clockwise seen from outside."""
    normals: Floats
    """Outwards, shape (nf, 3)."""
    edges: list[list[int]]
    """The corners that share an edge with each."""


def convex_hull(points: Floats, place: str) -> Hull:
    """The hull of points (n, 3) [m], or a SceneError where it has no volume."""
    from scipy.spatial import ConvexHull, QhullError  # slow to import, and many scenes have no hull

    size = float(np.ptp(points, axis=0).max()) if len(points) else 0.0
    middle = points.mean(axis=0) if len(points) else np.zeros(3)
    flat = SceneError(
        place,
        "the convex hull has no volume: all points lie in one plane, on one line, or in one place",
        "Give at least four points that do not lie in a plane.",
    )
    if len(points) < 4 or size == 0.0:
        raise flat
    try:
        found = ConvexHull((points - middle) / size)
    except QhullError:
        raise flat from None
    if found.volume < 1e-9:
        raise flat
    number = np.full(len(points), -1)
    number[found.vertices] = np.arange(len(found.vertices))
    normals = found.equations[:, :3]
    face_of = np.full(len(found.simplices), -1)
    faces: list[list[int]] = []
    outward: list[Floats] = []
    for seed in range(len(found.simplices)):
        if face_of[seed] >= 0:
            continue
        face_of[seed] = len(faces)
        stack, members = [seed], [seed]
        while stack:
            for k in found.neighbors[stack.pop()]:
                if face_of[k] < 0 and normals[k] @ normals[seed] > _SAME_FACE:
                    face_of[k] = len(faces)
                    stack.append(int(k))
                    members.append(int(k))
        corners = np.unique(found.simplices[members])
        faces.append([int(number[c]) for c in _around(found.points[corners], normals[seed], corners)])
        outward.append(normals[seed])
    edges: list[set[int]] = [set() for _ in found.vertices]
    for face in faces:
        for a, b in zip(face, [*face[1:], face[0]], strict=True):
            edges[a].add(b)
            edges[b].add(a)
    thinned = [face if len(face) <= LARGEST_FACE else _thinned(face) for face in faces]
    return Hull(points[found.vertices], thinned, np.array(outward), [sorted(e) for e in edges])


def _around(points: Floats, normal: Floats, corners: Floats) -> Floats:
    """Corners in the order of their angle about the normal."""
    d = points - points.mean(axis=0)
    x = d[0] / np.linalg.norm(d[0])
    y = np.cross(normal, x)
    return np.asarray(corners[np.argsort(np.arctan2(d @ y, d @ x), kind="stable")])


def _thinned(face: list[int]) -> list[int]:
    """Every so many corners: a face that is almost round needs no more for its contact points."""
    return [face[round(k * len(face) / LARGEST_FACE)] for k in range(LARGEST_FACE)]
