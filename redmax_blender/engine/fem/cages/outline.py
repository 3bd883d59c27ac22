"""What is seen of a cage: its edges, and the triangles of its border."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from ...model.records import Ints


def edges(corner: Ints) -> Ints:
    """Pairs of vertices that share a tetrahedron, each once, shape (ne, 2)."""
    pairs = np.concatenate([corner[:, [i, j]] for i, j in combinations(range(4), 2)])
    unique: Ints = np.unique(np.sort(pairs, axis=1), axis=0)
    return unique


def border(corner: Ints) -> Ints:
    """Faces that only one tetrahedron has, counter-clockwise seen from outside, shape (nf, 3)."""
    faces = np.concatenate([corner[:, f] for f in ([1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1])])
    _, first, uses = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    single: Ints = faces[first[uses == 1]]
    return single
