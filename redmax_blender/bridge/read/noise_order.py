"""The order of numbers that Blender's noise follows from, found out from Blender itself.

Blender's `cell_vector` gives each cell (x, y, z) the vector number P[P[P[z] + y] + x] of a list whose vectors all
differ, and its Perlin noise takes its directions from the same order P. By how much a row of cells along x is shifted
against the first one says how much P[P[0] + y] is above P[P[0]]. That leaves 256 orders, one for each P[0]; the noise
itself says which of them it is.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from mathutils import noise
from numpy.typing import NDArray

N = 256
PROBES = ((0.1, 0.2, 0.3), (3.4, 0.7, 9.1), (17.2, 100.6, 30.9), (0.4, 61.3, 7.8))


@cache
def noise_order() -> tuple[int, ...]:
    """P, 256 numbers; empty where this Blender makes its noise in another way."""
    row = {_vector(x, 0, 0): x for x in range(N)}
    if len(row) != N:
        return ()
    along_y = [row.get(_vector(0, y, 0)) for y in range(N)]
    if None in along_y:
        return ()
    steps = np.array(along_y, int)
    for s in range(N):  # with P[0] = s the steps are P[s + y] - P[s]
        order = np.empty(N, int)
        order[(s + np.arange(N)) % N] = (s - steps[-s % N] + steps) % N
        if all(abs(_perlin(order, *p) - _blenders(p)) < 1e-5 for p in PROBES):
            return tuple(int(v) for v in order)
    return ()


def _vector(x: int, y: int, z: int) -> tuple[float, ...]:
    return tuple(noise.cell_vector((x + 0.5, y + 0.5, z + 0.5)))


def _blenders(p: tuple[float, float, float]) -> float:
    return float(noise.noise(p, noise_basis="PERLIN_NEW"))


def _perlin(order: NDArray[np.int64], x: float, y: float, z: float) -> float:
    """Perlin's noise from an order, which the engine has compiled (`forces/noise.py`)."""
    corner = np.floor([x, y, z]).astype(int)
    at = np.array([x, y, z]) - corner
    fade = at**3 * (at * (at * 6.0 - 15.0) + 10.0)
    total = 0.0
    for side in np.ndindex(2, 2, 2):
        cell = 0
        for c in range(3):
            cell = int(order[(cell + corner[c] + side[c]) % N])
        share = np.prod(np.where(side, fade, 1.0 - fade))
        d, h = at - side, cell & 15
        u = d[0] if h < 8 else d[1]
        v = d[1] if h < 4 else (d[0] if h in (12, 14) else d[2])
        total += float(share) * float((u if h & 1 == 0 else -u) + (v if h & 2 == 0 else -v))
    return total
