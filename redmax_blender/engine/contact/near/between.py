"""Points of flesh between its vertices: the middles of the edges of its outside, where edges and small things press in.

A middle counts as a vertex with a number beyond those of the flesh. On a flat place it says what its ends say, and is
left out; where something stands out between the ends, it touches by itself.
"""

from __future__ import annotations

import numpy as np

from ...model.records import Floats, Ints
from ..shapes.surfaces import Surfaces

_FLAT = 1.0 - 1e-9
"""Cosine of the angle between normals that are the same."""


def with_middles(surfaces: Surfaces, points: Floats) -> Floats:
    """Places or velocities of vertices of flesh (nv, 3), with those of the middles after them."""
    ends = surfaces.middle
    return (
        points if not len(ends) else np.concatenate([points, 0.5 * (points[ends[:, 0]] + points[ends[:, 1]])])
    )


def standing_out(surfaces: Surfaces, pairs: Ints, X: Floats, which: Ints) -> tuple[Floats, Ints]:
    """Rows of contacts as `find_points` gives them, without those of middles whose ends touch the same flat place.

    There the row of a middle is the mean of those of its ends. Gaps would not tell: where an edge holds up a middle,
    its own is zero, like those of its ends.
    """
    ends = surfaces.middle
    if not len(ends) or not len(X):
        return X, which
    n, nv = len(surfaces), len(surfaces.tet) - len(ends)
    code = pairs[which[:, 0]]
    vertex, other = surfaces.vertex[code // n], code % n
    between = np.flatnonzero(vertex >= nv)
    if not len(between):
        return X, which
    row = {
        (v, o): c for c, (v, o) in enumerate(zip(vertex.tolist(), other.tolist(), strict=True)) if 0 <= v < nv
    }
    keep = np.ones(len(X), bool)
    for c in between.tolist():
        at = [row.get((v, int(other[c]))) for v in ends[vertex[c] - nv].tolist()]
        keep[c] = any(e is None or X[e, 6:9] @ X[c, 6:9] < _FLAT for e in at)
    return X[keep], which[keep]
