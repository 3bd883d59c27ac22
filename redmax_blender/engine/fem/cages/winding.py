"""Inside or outside of a triangle mesh that may have holes, overlaps and flipped faces: the generalised winding number.

The number is the solid angle that the surface fills as seen from a point, over 4π (Jacobson et al. 2013): 1 inside a
closed mesh, 2 where two overlap, and in between near a hole, where one half draws the missing surface. Far groups of
triangles count as one dipole (Barill et al. 2018), so that a point costs the logarithm of the mesh.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import breadth_first_order, connected_components

from ...jit.decorators import inline, njit
from ...model.records import Floats, Ints

_LEAF = 4
"""Triangles a leaf, about."""
_FAR = 1.5
"""A group is far when it is this many of its radii away. The number is then good to 0.1, away from a hole's edge."""


@dataclass(frozen=True)
class WindingTree:
    """A balanced binary tree over triangles sorted along a space-filling curve; node n has the children 2n and 2n+1."""

    levels: int
    triangle: Floats
    """Corners of the sorted triangles [m], shape (nt, 9)."""
    node: Floats
    """Centre [m] (3), squared distance [m²] from where on it is far, sum of area vectors [m²] (3); shape (2n, 7)."""


def winding_tree(vertices: Floats, triangles: Ints) -> WindingTree:
    """For triangles (nt, 3) on vertices (nv, 3) [m]; flipped faces are turned like their neighbours first."""
    corners = vertices[turned_alike(triangles)]
    centre = corners.mean(axis=1)
    order = np.argsort(_morton(centre), kind="stable")
    corners, centre = corners[order], centre[order]
    nt = len(corners)
    levels = max(0, int(math.log2(max(1, nt / _LEAF))))
    area = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.linalg.norm(area, axis=1) + 1e-300
    node = np.zeros((2 ** (levels + 1), 7))
    for level in range(levels + 1):
        begin = np.arange(2**level) * nt // 2**level
        of = np.repeat(np.arange(2**level), np.diff(np.append(begin, nt)))
        middle = np.add.reduceat(size[:, None] * centre, begin) / np.add.reduceat(size, begin)[:, None]
        reach = np.linalg.norm(corners - middle[of][:, None], axis=2).max(axis=1)
        far = (_FAR * np.maximum.reduceat(reach, begin)) ** 2
        node[2**level : 2 ** (level + 1)] = np.column_stack([middle, far, np.add.reduceat(area, begin)])
    return WindingTree(levels, np.ascontiguousarray(corners.reshape(nt, 9)), node)


def winding_numbers(tree: WindingTree, points: Floats) -> Floats:
    """At points (n, 3) [m], shape (n,)."""
    out: Floats = np.empty(len(points))
    _winding(tree.levels, tree.triangle, tree.node, np.ascontiguousarray(points), out)
    return out


def inside(tree: WindingTree, points: Floats) -> NDArray[np.bool_]:
    """Which points (n, 3) are inside, whichever way the surface is turned."""
    within: NDArray[np.bool_] = np.abs(winding_numbers(tree, points)) > 0.5
    return within


@inline
def _solid_angle(triangle: Floats, t: int, x: float, y: float, z: float) -> float:
    """Of triangle t seen from a point (Van Oosterom and Strackee 1983)."""
    a0, a1, a2 = triangle[t, 0] - x, triangle[t, 1] - y, triangle[t, 2] - z
    b0, b1, b2 = triangle[t, 3] - x, triangle[t, 4] - y, triangle[t, 5] - z
    c0, c1, c2 = triangle[t, 6] - x, triangle[t, 7] - y, triangle[t, 8] - z
    a = math.sqrt(a0 * a0 + a1 * a1 + a2 * a2)
    b = math.sqrt(b0 * b0 + b1 * b1 + b2 * b2)
    c = math.sqrt(c0 * c0 + c1 * c1 + c2 * c2)
    det = a0 * (b1 * c2 - b2 * c1) + a1 * (b2 * c0 - b0 * c2) + a2 * (b0 * c1 - b1 * c0)
    ab, bc, ca = a0 * b0 + a1 * b1 + a2 * b2, b0 * c0 + b1 * c1 + b2 * c2, c0 * a0 + c1 * a1 + c2 * a2
    return 2.0 * math.atan2(det, a * b * c + ab * c + bc * a + ca * b)


@njit
def _winding(levels: int, triangle: Floats, node: Floats, points: Floats, out: Floats) -> None:
    nt = len(triangle)
    leaves = 1 << levels
    stack = np.empty(levels + 2, np.int64)
    for i in range(len(points)):
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        total = 0.0
        stack[0] = 1
        height = 1
        while height > 0:
            height -= 1
            n = stack[height]
            dx, dy, dz = node[n, 0] - x, node[n, 1] - y, node[n, 2] - z
            d2 = dx * dx + dy * dy + dz * dz
            if d2 > node[n, 3]:
                total += (node[n, 4] * dx + node[n, 5] * dy + node[n, 6] * dz) / (d2 * math.sqrt(d2))
            elif n >= leaves:
                leaf = n - leaves
                for t in range(leaf * nt // leaves, (leaf + 1) * nt // leaves):
                    total += _solid_angle(triangle, t, x, y, z)
            else:
                stack[height] = 2 * n
                stack[height + 1] = 2 * n + 1
                height += 2
        out[i] = total / (4.0 * math.pi)


def _morton(points: Floats) -> NDArray[np.uint64]:
    """Position of each point along a space-filling curve."""
    low = points.min(axis=0)
    extent = float((points.max(axis=0) - low).max()) or 1.0
    q = np.minimum((points - low) * (1023.0 / extent), 1023.0).astype(np.uint64)
    for shift, mask in ((16, 0x030000FF), (8, 0x0300F00F), (4, 0x030C30C3), (2, 0x09249249)):
        q = (q | (q << np.uint64(shift))) & np.uint64(mask)
    code: NDArray[np.uint64] = q[:, 0] | (q[:, 1] << np.uint64(1)) | (q[:, 2] << np.uint64(2))
    return code


def turned_alike(triangles: Ints) -> Ints:
    """The triangles, those flipped that run against their neighbours; untouched where all agree already.

    Neighbours share an edge that no third triangle has. Within a connected part most triangles keep their turn.
    """
    nt = len(triangles)
    begin, end = triangles.reshape(-1), triangles[:, [1, 2, 0]].reshape(-1)
    owner = np.repeat(np.arange(nt), 3)
    low, high = np.minimum(begin, end), np.maximum(begin, end)
    key = low * (int(triangles.max(initial=0)) + 1) + high
    order = np.argsort(key, kind="stable")
    key, owner, forward = key[order], owner[order], (begin < end)[order]
    starts = np.flatnonzero(np.append(True, key[1:] != key[:-1]))
    pairs = starts[np.diff(np.append(starts, len(key))) == 2]
    a, b, same_way = owner[pairs], owner[pairs + 1], forward[pairs] == forward[pairs + 1]
    if not same_way.any():
        return triangles
    links = coo_matrix((np.ones(len(a)), (a, b)), shape=(nt, nt))
    parts, part = connected_components(links, directed=False)
    # One walk over all parts, from a root that knows one triangle of each; 2 marks neighbours that differ.
    _, known = np.unique(part, return_index=True)
    weight = np.concatenate([np.where(same_way, 2.0, 1.0), np.ones(parts)])
    rows, columns = np.concatenate([a, np.full(parts, nt)]), np.concatenate([b, known])
    graph = coo_matrix((weight, (rows, columns)), shape=(nt + 1, nt + 1)).tocsr()
    graph = graph.maximum(graph.T).tocsr()
    walk, before = breadth_first_order(graph, nt, directed=False)
    differs = np.asarray(graph[before[walk[1:]], walk[1:]]).reshape(-1) > 1.5
    flipped = np.zeros(nt + 1, bool)
    for t, unlike in zip(walk[1:].tolist(), differs.tolist()):
        flipped[t] = flipped[before[t]] ^ unlike
    flipped = flipped[:nt]
    flipped ^= (2 * np.bincount(part, weights=flipped) > np.bincount(part))[part]
    alike = triangles.copy()
    alike[flipped] = alike[flipped][:, [0, 2, 1]]
    return alike
