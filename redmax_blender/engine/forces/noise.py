"""Perlin's gradient noise, summed over octaves, as Blender's turbulence has it.

Which direction the noise climbs in at a corner of a cell follows from an order of the numbers from 0 to 255.
"""

from __future__ import annotations

import math

import numpy as np

from ..jit.decorators import inline, subroutine
from ..model.records import Ints

OCTAVES = 3


def own_order() -> Ints:
    """The order where a scene gives none: shuffled, always in the same way."""
    order, x = np.arange(256), 1
    for i in range(255, 0, -1):
        x = (1664525 * x + 1013904223) % 2**32
        j = (x >> 8) % (i + 1)
        order[i], order[j] = order[j], order[i]
    return order.astype(np.int64)


@inline
def _smooth(t: float) -> float:
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0)


@subroutine
def _slope(cell: int, x: float, y: float, z: float) -> float:
    """The product with one of twelve directions to the edges of a cube, four of them twice."""
    h = cell & 15
    u = x if h < 8 else y
    v = y if h < 4 else (x if h == 12 or h == 14 else z)
    return (u if h & 1 == 0 else -u) + (v if h & 2 == 0 else -v)


@subroutine
def perlin(order: Ints, field: int, x: float, y: float, z: float) -> float:
    """Gradient noise between -1 and 1, with the order of a field, row `field` of `order` (n, 256)."""
    i, j, k = math.floor(x), math.floor(y), math.floor(z)
    x, y, z = x - i, y - j, z - k
    a, b, c = int(i) & 255, int(j) & 255, int(k) & 255
    u, v, w = _smooth(x), _smooth(y), _smooth(z)
    total = 0.0
    for side in range(8):
        da, db, dc = side & 1, (side >> 1) & 1, side >> 2
        cell = order[field, (a + da) & 255]
        cell = order[field, (cell + b + db) & 255]
        cell = order[field, (cell + c + dc) & 255]
        share = (u if da else 1.0 - u) * (v if db else 1.0 - v) * (w if dc else 1.0 - w)
        total += share * _slope(cell, x - da, y - db, z - dc)
    return total


@subroutine
def turbulence(order: Ints, field: int, x: float, y: float, z: float) -> float:
    """Octaves of half the size and half the height each, between -1 and 1."""
    total, height, scale, whole = 0.0, 1.0, 1.0, 0.0
    for _ in range(OCTAVES):
        total += height * perlin(order, field, scale * x, scale * y, scale * z)
        whole += height
        height, scale = 0.5 * height, 2.0 * scale
    return total / whole


@subroutine
def random_part(seed: int, tick: int, point: int) -> float:
    """A number in -1 to 1, most often small, which follows from the three: the law of Blender's noise of strength."""
    x = (seed * 7919 + tick * 104729 + point * 1299709 + 1013904223) & 0xFFFFFFFF
    for _ in range(2):
        x = ((x >> 16) ^ x) * 73244475 & 0xFFFFFFFF
    x = (x >> 16) ^ x
    whole = (x & 0x7FFF) % 128
    part = 1.0 + ((x >> 15) & 0xFFFF) / 65536.0
    return (1.0 if whole > 64 else -1.0) * whole / part / 128.0
