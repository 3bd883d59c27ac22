"""Meshes that flesh is made from, built by formula: closed, open, overlapping, flipped."""

from __future__ import annotations

import numpy as np

Array = np.ndarray
Mesh = tuple[Array, Array]


def sphere(
    levels: int = 4, radius: float = 1.0, centre: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> Mesh:
    """A subdivided octahedron, its vertices on the sphere; 4^(levels+1) + 2 of them."""
    points = [np.array(p, float) for p in np.concatenate([np.eye(3), -np.eye(3)])]
    triangles = [(0, 1, 2), (1, 3, 2), (3, 4, 2), (4, 0, 2), (1, 0, 5), (3, 1, 5), (4, 3, 5), (0, 4, 5)]
    for _ in range(levels):
        middles: dict[tuple[int, int], int] = {}

        def middle(i: int, j: int, middles: dict[tuple[int, int], int] = middles) -> int:
            key = (min(i, j), max(i, j))
            if key not in middles:
                m = points[i] + points[j]
                points.append(m / np.linalg.norm(m))
                middles[key] = len(points) - 1
            return middles[key]

        finer = []
        for a, b, c in triangles:
            ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
            finer += [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        triangles = finer
    return np.array(points) * radius + np.array(centre), np.array(triangles)


def star(levels: int = 5, arms: int = 5) -> Mesh:
    """A flat, rounded star: a sphere pulled out along its arms."""
    x, triangles = sphere(levels)
    angle = np.arctan2(x[:, 1], x[:, 0])
    flat = np.hypot(x[:, 0], x[:, 1])
    reach = 0.35 + 0.65 * np.cos(0.5 * arms * angle) ** 8 * flat**4
    return x * np.stack([reach, reach, 0.18 + 0 * reach], axis=1), triangles


def bowl() -> Mesh:
    """A sphere with its top cut off: open."""
    x, triangles = sphere(4)
    return x, triangles[x[triangles].mean(axis=1)[:, 2] < 0.75]


def two_spheres() -> Mesh:
    """Two that overlap, each with its own surface inside the other."""
    a, s = sphere(3, 0.7, (-0.4, 0.0, 0.0))
    b, t = sphere(3, 0.7, (0.4, 0.0, 0.0))
    return np.concatenate([a, b]), np.concatenate([s, t + len(a)])


def half_flipped() -> Mesh:
    """A sphere with every third triangle turned inside out."""
    x, triangles = sphere(3)
    triangles = triangles.copy()
    triangles[::3] = triangles[::3][:, [0, 2, 1]]
    return x, triangles


def finned() -> Mesh:
    """A sphere with a sheet through its middle: edges with three and four faces, and a border."""
    x, triangles = sphere(3)
    around = np.flatnonzero(np.abs(x[:, 2]) < 1e-12)
    around = around[np.argsort(np.arctan2(x[around, 1], x[around, 0]))]
    n = len(x)
    fin = [(int(a), int(b), n) for a, b in zip(around, np.roll(around, -1))]
    return np.concatenate([x, np.zeros((1, 3))]), np.concatenate([triangles, np.array(fin)])


CLOSED = {"sphere": sphere, "star": star}
BROKEN = {"open": bowl, "overlapping": two_spheres, "flipped": half_flipped, "non-manifold": finned}


def volume(mesh: Mesh) -> float:
    """Of a closed mesh."""
    x, t = mesh
    return float(np.einsum("ij,ij->", x[t[:, 0]], np.cross(x[t[:, 1]], x[t[:, 2]]))) / 6.0
