"""Flat bars and the pins through them: what the links of linkages are cut from. No Blender here."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

import numpy as np
from numpy.typing import NDArray

from ...bridge.mechanism.primitives import Surface, revolve

Floats = NDArray[np.float64]

ROUND = 24
"""Corners of a full turn of an outline."""


def plate(ends: Sequence[complex], radii: Sequence[float], thick: float, y: float = 0.0) -> Surface:
    """A plate with the outline of a belt around discs, in the plane of x and z; its middle is at y [m].

    ends: the middles of the discs, x + z i [m]. radii: theirs [m].
    """
    turn = np.exp(2j * pi * np.arange(ROUND) / ROUND)
    outline = _around(np.concatenate([end + radius * turn for end, radius in zip(ends, radii, strict=True)]))
    n = len(outline)
    sides = [np.stack([outline.real, np.full(n, y + side * thick), outline.imag], 1) for side in (-0.5, 0.5)]
    here = np.arange(n)
    there = np.roll(here, -1)
    walls = np.stack([here, here + n, there + n, there], axis=1).tolist()
    faces = [here.tolist(), (here[::-1] + n).tolist(), *walls]
    return Surface(np.concatenate(sides), faces, np.zeros(len(faces), bool))


def pin(at: complex, radius: float, low: float, high: float) -> Surface:
    """A round pin across the plane, from y = low to y = high [m]."""
    lengthwise = revolve([radius, radius], [low, high], ROUND)
    to_y = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
    return lengthwise.moved(to_y, np.array([at.real, 0.0, at.imag]))


def _around(points: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """The corners of the convex outline of points, counter-clockwise (Andrew's chains)."""
    ordered = sorted({(round(p.real, 12), round(p.imag, 12)) for p in points})
    chains = []
    for way in (ordered, ordered[::-1]):
        chain: list[tuple[float, float]] = []
        for p in way:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], p) <= 0.0:
                chain.pop()
            chain.append(p)
        chains += chain[:-1]
    return np.array([complex(*p) for p in chains])


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
