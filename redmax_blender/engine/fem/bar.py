"""A rectangular block of tetrahedra: what theory has formulas for, and what benchmarks compare."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from ..model.records import Floats, Ints


def bar(counts: tuple[int, int, int], sides: tuple[float, float, float]) -> tuple[Floats, Ints]:
    """Vertices and tetrahedra of a box from the origin to `sides` [m], in `counts` bricks of six along each axis."""
    _, ny, nz = counts
    grid = np.stack(np.meshgrid(*[np.arange(n + 1) for n in counts], indexing="ij"), axis=-1).reshape(-1, 3)
    brick = np.stack(np.meshgrid(*[np.arange(n) for n in counts], indexing="ij"), axis=-1).reshape(-1, 3)
    tets = []
    # Each order of the axes is a way from one corner of a brick to the opposite one: the four corners of a tetrahedron.
    for order in permutations(range(3)):
        path = [brick]
        for axis in order:
            path.append(path[-1] + np.eye(3, dtype=np.int64)[axis])
        tets.append(np.stack([(p[:, 0] * (ny + 1) + p[:, 1]) * (nz + 1) + p[:, 2] for p in path], axis=1))
    corner: Ints = np.stack(tets, axis=1).reshape(-1, 4)
    return grid * (np.asarray(sides) / np.asarray(counts)), corner
