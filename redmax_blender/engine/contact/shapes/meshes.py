"""Triangle meshes of colliders: their edges, and a tree over their triangles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...model.records import Floats
from .bvh import build
from .kinds import BORDER, CREASE, FLUSH, RIDGE, Solid
from .pieces import Piece
from .surfaces import Meshes

_FLAT = 1e-4
"""Sine below which an edge between two triangles is flat."""


def pack_meshes(pieces: Sequence[Piece]) -> Meshes:
    """All meshes among the pieces."""
    which = [i for i, p in enumerate(pieces) if p.kind == Solid.MESH]
    first, node_first = [0], [0]
    corner, normal, beside, edge, order, nodes = [], [], [], [], [], []
    closed: list[int] = []
    for i in which:
        X = pieces[i].triangles.reshape(-1, 3, 3)
        n = np.cross(X[:, 1] - X[:, 0], X[:, 2] - X[:, 0])
        n /= np.linalg.norm(n, axis=1)[:, None]
        other, along, whole = _edges(X, n)
        found, boxes = build(X.min(axis=1), X.max(axis=1))
        order.append(found + first[-1])
        nodes.append(boxes)
        corner.append(X.reshape(-1, 9))
        normal.append(n)
        beside.append(other.reshape(-1, 9))
        edge.append(along)
        closed.append(int(whole))
        first.append(first[-1] + len(X))
        node_first.append(node_first[-1] + len(boxes))

    def joined(parts: list[Floats], width: int) -> Floats:
        return np.ascontiguousarray(np.concatenate([*parts, np.zeros((0, width))]))

    return Meshes(
        of_piece=np.array([which.index(i) if i in which else -1 for i in range(len(pieces))], np.int64),
        first=np.array(first, np.int64),
        corner=joined(corner, 9),
        normal=joined(normal, 3),
        beside=joined(beside, 9),
        edge=joined(edge, 3).astype(np.int64),
        closed=np.array(closed, np.int64),
        order=np.concatenate([*order, np.zeros(0, np.int64)]).astype(np.int64),
        node_first=np.array(node_first, np.int64),
        nodes=joined(nodes, 6),
    )


def _edges(X: Floats, n: Floats) -> tuple[Floats, Floats, bool]:
    """Normals beyond the edges (nt, 3, 3), what each edge is (nt, 3), and whether the mesh is closed.

    Corners in the same place are one, whatever their numbers: exported meshes are often split along edges.
    """
    nt = len(X)
    size = float(np.ptp(X.reshape(-1, 3), axis=0).max())
    _, point = np.unique(np.round(X.reshape(-1, 3) / (1e-9 * size)), axis=0, return_inverse=True)
    corner = point.reshape(nt, 3)
    a, b = corner, np.roll(corner, -1, axis=1)
    key = np.minimum(a, b) * (corner.max() + 1) + np.maximum(a, b)
    beside, edge = np.zeros((nt, 3, 3)), np.full((nt, 3), float(BORDER))
    flat = key.reshape(-1)
    by_key = np.argsort(flat, kind="stable")
    runs = np.flatnonzero(np.diff(flat[by_key], prepend=-1))
    lengths = np.diff(np.append(runs, len(flat)))
    closed = bool((lengths == 2).all())
    for start in runs[lengths == 2]:
        e, f = by_key[start], by_key[start + 1]
        t, u = e // 3, f // 3
        same_way = a.reshape(-1)[e] != a.reshape(-1)[f]
        closed = closed and bool(same_way)
        facing = n[u] if same_way else -n[u]
        beside[t, e % 3], beside[u, f % 3] = facing, (n[t] if same_way else -n[t])
        far = X[u, (f % 3 + 2) % 3] - X[t, e % 3]
        height = float(n[t] @ far)
        slope = height / float(np.linalg.norm(far))
        kind = RIDGE if slope < -_FLAT else (CREASE if slope > _FLAT else FLUSH)
        edge[t, e % 3] = edge[u, f % 3] = kind
    return beside, edge, closed
