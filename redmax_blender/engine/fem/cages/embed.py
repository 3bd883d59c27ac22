"""A surface that follows a cage: every vertex at constant barycentric weights in one tetrahedron."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...algebra.spatial import Tuple
from ...errors import InputError
from ...jit.decorators import inline, njit, subroutine
from ...model.records import Floats, Ints

_INSIDE = -1e-9
"""Least barycentric weight of a point that counts as inside."""


@dataclass(frozen=True)
class Embedding:
    """ns surface vertices in a cage."""

    corner: Ints
    """Cage vertices that each one follows, shape (ns, 4)."""
    weight: Floats
    """Their weights, which add up to 1, shape (ns, 4); some negative for a vertex outside the cage."""
    tet: Ints
    """The tetrahedron that holds each one, or the nearest, shape (ns,)."""
    distance: Floats
    """How far outside the cage each one is at rest [m], 0 inside, shape (ns,)."""

    @property
    def outside(self) -> Ints:
        """The vertices that the cage does not contain."""
        found: Ints = np.flatnonzero(self.distance > 0.0)
        return found

    def deform(self, x: Floats) -> Floats:
        """Surface positions [m], shape (ns, 3), for cage positions x (nv, 3)."""
        out: Floats = np.empty((len(self.tet), 3))
        _deform(self.corner, self.weight, x, out)
        return out


def embed(X: Floats, corner: Ints, points: Floats) -> Embedding:
    """Points (ns, 3) in the tetrahedra `corner` (nt, 4) on X (nv, 3) [m].

    A point outside goes with the nearest tetrahedron, extrapolated.
    """
    low, cell, shape, first, entry = _bins(X, corner)
    ns = len(points)
    tet, weight, distance = np.empty(ns, np.int64), np.empty((ns, 4)), np.empty(ns)
    boxes = np.concatenate([X[corner].min(axis=1), X[corner].max(axis=1)], axis=1)
    points = np.ascontiguousarray(points)
    _locate(X, corner, low, cell, shape, first, entry, boxes, points, tet, weight, distance)
    return Embedding(np.ascontiguousarray(corner[tet]), weight, tet, distance)


def check_covered(embedding: Embedding, tolerance: float, place: str) -> None:
    """Raise an InputError when a vertex is farther outside its cage than `tolerance` [m]."""
    worst = int(np.argmax(embedding.distance))
    if embedding.distance[worst] > tolerance:
        beyond = int(np.count_nonzero(embedding.distance > tolerance))
        raise InputError(
            f"{place}.vertices[{worst}]",
            f"the cage does not contain its mesh: the vertex is {embedding.distance[worst]:.4g} m outside it, "
            f"and {beyond} vertices are more than {tolerance:.4g} m outside",
            "Make the cage again from this mesh.",
        )


def _bins(X: Floats, corner: Ints) -> tuple[Floats, float, Ints, Ints, Ints]:
    """A grid over the cage and, for each of its cells, the tetrahedra whose boxes reach into it."""
    low_t, high_t = X[corner].min(axis=1), X[corner].max(axis=1)
    low = low_t.min(axis=0)
    extent = high_t.max(axis=0) - low
    cell = max(float((high_t - low_t).mean()), float(extent.max()) / 256.0)
    shape = np.floor(extent / cell).astype(np.int64) + 1
    first = np.zeros(int(np.prod(shape)) + 1, np.int64)
    a = np.minimum(np.floor((low_t - low) / cell).astype(np.int64), shape - 1)
    b = np.minimum(np.floor((high_t - low) / cell).astype(np.int64), shape - 1)
    _fill_bins(a, b, shape, first, np.empty(0, np.int64))
    np.cumsum(first, out=first)
    entry = np.empty(int(first[-1]), np.int64)
    _fill_bins(a, b, shape, first, entry)
    return low, cell, shape, first, entry


@njit
def _fill_bins(a: Ints, b: Ints, shape: Ints, first: Ints, entry: Ints) -> None:
    """Count into first[n + 1]; or, given entries, write them and leave first[n] at the beginning of cell n."""
    writing = len(entry) > 0
    used = np.zeros(len(first), np.int64)
    for t in range(len(a)):
        for i in range(a[t, 0], b[t, 0] + 1):
            for j in range(a[t, 1], b[t, 1] + 1):
                for k in range(a[t, 2], b[t, 2] + 1):
                    n = (i * shape[1] + j) * shape[2] + k
                    if writing:
                        entry[first[n] + used[n]] = t
                        used[n] += 1
                    else:
                        first[n + 1] += 1


@subroutine
def _weights(X: Floats, corner: Ints, t: int, p: Tuple) -> Tuple:
    """Barycentric weights of p in tetrahedron t."""
    o, i, j, k = corner[t, 0], corner[t, 1], corner[t, 2], corner[t, 3]
    ox, oy, oz = X[o, 0], X[o, 1], X[o, 2]
    a0, a1, a2 = X[i, 0] - ox, X[i, 1] - oy, X[i, 2] - oz
    b0, b1, b2 = X[j, 0] - ox, X[j, 1] - oy, X[j, 2] - oz
    c0, c1, c2 = X[k, 0] - ox, X[k, 1] - oy, X[k, 2] - oz
    p0, p1, p2 = p[0] - ox, p[1] - oy, p[2] - oz
    bc0, bc1, bc2 = b1 * c2 - b2 * c1, b2 * c0 - b0 * c2, b0 * c1 - b1 * c0
    ca0, ca1, ca2 = c1 * a2 - c2 * a1, c2 * a0 - c0 * a2, c0 * a1 - c1 * a0
    ab0, ab1, ab2 = a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0
    s = 1.0 / (a0 * bc0 + a1 * bc1 + a2 * bc2)
    u = s * (p0 * bc0 + p1 * bc1 + p2 * bc2)
    v = s * (p0 * ca0 + p1 * ca1 + p2 * ca2)
    w = s * (p0 * ab0 + p1 * ab1 + p2 * ab2)
    return (1.0 - u - v - w, u, v, w)


@njit
def _locate(
    X: Floats,
    corner: Ints,
    low: Floats,
    cell: float,
    shape: Ints,
    first: Ints,
    entry: Ints,
    boxes: Floats,
    points: Floats,
    tet: Ints,
    weight: Floats,
    distance: Floats,
) -> None:
    for q in range(len(points)):
        p = (points[q, 0], points[q, 1], points[q, 2])
        best, best_least = -1, -math.inf
        i = int(math.floor((p[0] - low[0]) / cell))
        j = int(math.floor((p[1] - low[1]) / cell))
        k = int(math.floor((p[2] - low[2]) / cell))
        if 0 <= i < shape[0] and 0 <= j < shape[1] and 0 <= k < shape[2]:
            n = (i * shape[1] + j) * shape[2] + k
            for e in range(first[n], first[n + 1]):
                w = _weights(X, corner, entry[e], p)
                least = min(min(w[0], w[1]), min(w[2], w[3]))
                if least > best_least:
                    best, best_least = entry[e], least
        d2 = 0.0
        if best_least < _INSIDE:
            d2 = math.inf
            for t in range(len(corner)):
                if _box_distance2(boxes, t, p) < d2:
                    d = _tet_distance2(X, corner, t, p)
                    if d < d2:
                        best, d2 = t, d
        tet[q] = best
        distance[q] = math.sqrt(d2)
        w = _weights(X, corner, best, p)
        weight[q, 0], weight[q, 1], weight[q, 2], weight[q, 3] = w[0], w[1], w[2], w[3]


@inline
def _box_distance2(boxes: Floats, t: int, p: Tuple) -> float:
    total = 0.0
    for c in range(3):
        d = max(max(boxes[t, c] - p[c], p[c] - boxes[t, 3 + c]), 0.0)
        total += d * d
    return total


@subroutine
def _tet_distance2(X: Floats, corner: Ints, t: int, p: Tuple) -> float:
    """Squared distance of p from tetrahedron t."""
    w = _weights(X, corner, t, p)
    if min(min(w[0], w[1]), min(w[2], w[3])) >= 0.0:
        return 0.0
    best = math.inf
    for k in range(4):
        if w[k] < 0.0:  # beyond the face across from corner k
            i, j, l = corner[t, (k + 1) % 4], corner[t, (k + 2) % 4], corner[t, (k + 3) % 4]
            best = min(best, _triangle_distance2(X, i, j, l, p))
    return best


@subroutine
def _triangle_distance2(X: Floats, i: int, j: int, k: int, p: Tuple) -> float:
    """Squared distance of p from a triangle (Ericson, Real-Time Collision Detection, §5.1.5)."""
    x, y, z = X[i, 0], X[i, 1], X[i, 2]
    ab0, ab1, ab2 = X[j, 0] - x, X[j, 1] - y, X[j, 2] - z
    ac0, ac1, ac2 = X[k, 0] - x, X[k, 1] - y, X[k, 2] - z
    ap0, ap1, ap2 = p[0] - x, p[1] - y, p[2] - z
    d1, d2 = ab0 * ap0 + ab1 * ap1 + ab2 * ap2, ac0 * ap0 + ac1 * ap1 + ac2 * ap2
    bb = ab0 * ab0 + ab1 * ab1 + ab2 * ab2
    cc = ac0 * ac0 + ac1 * ac1 + ac2 * ac2
    bc = ab0 * ac0 + ab1 * ac1 + ab2 * ac2
    d3, d4, d5, d6 = d1 - bb, d2 - bc, d1 - bc, d2 - cc
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    if d1 <= 0.0 and d2 <= 0.0:
        v, w = 0.0, 0.0
    elif d3 >= 0.0 and d4 <= d3:
        v, w = 1.0, 0.0
    elif d6 >= 0.0 and d5 <= d6:
        v, w = 0.0, 1.0
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        v, w = d1 / (d1 - d3), 0.0
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        v, w = 0.0, d2 / (d2 - d6)
    elif va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        v = 1.0 - w
    else:
        n = 1.0 / (va + vb + vc)
        v, w = vb * n, vc * n
    dx, dy, dz = ap0 - v * ab0 - w * ac0, ap1 - v * ab1 - w * ac1, ap2 - v * ab2 - w * ac2
    return float(dx * dx + dy * dy + dz * dz)


@njit
def _deform(corner: Ints, weight: Floats, x: Floats, out: Floats) -> None:
    for i in range(len(corner)):
        for c in range(3):
            out[i, c] = (
                weight[i, 0] * x[corner[i, 0], c]
                + weight[i, 1] * x[corner[i, 1], c]
                + weight[i, 2] * x[corner[i, 2], c]
                + weight[i, 3] * x[corner[i, 3], c]
            )
