"""The tube that shows a muscle: rings along its path, thick where the belly is, of constant volume. No Blender here."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RINGS, SIDES = 25, 12
ALPHAS = np.linspace(0.0, 1.0, RINGS)
TENDON = 0.3
"""Radius of the tendons, as a part of the belly's."""


def profile(start: float, end: float) -> Floats:
    """Radius at each ring, the largest being 1."""
    u = np.clip((ALPHAS - start) / max(end - start, 1e-6), 0.0, 1.0)
    return TENDON + (1.0 - TENDON) * np.sin(np.pi * u) ** 2


def faces() -> list[list[int]]:
    index = np.arange(RINGS * SIDES).reshape(RINGS, SIDES)
    after = np.roll(index, -1, axis=1)
    quads = np.stack([index[:-1], after[:-1], after[1:], index[1:]], axis=-1).reshape(-1, 4)
    return [index[0][::-1].tolist(), *quads.tolist(), index[-1].tolist()]


def _axes(points: Floats) -> tuple[Floats, Floats]:
    """Two directions across the path at each point, turned as little as possible along it."""
    t = np.gradient(points, axis=0)
    t /= np.maximum(np.linalg.norm(t, axis=1), 1e-12)[:, None]
    x = np.cross(t[0], np.eye(3)[int(np.argmin(np.abs(t[0])))])
    out = []
    for direction in t:
        x = x - (x @ direction) * direction
        x = x / max(float(np.linalg.norm(x)), 1e-12)
        out.append(x)
    across = np.array(out)
    return across, np.cross(t, across)


def _rings(points: Floats, axes: tuple[Floats, Floats], radius: Floats) -> Floats:
    angle = 2.0 * np.pi * np.arange(SIDES) / SIDES
    x, y = axes
    around = np.cos(angle)[None, :, None] * x[:, None, :] + np.sin(angle)[None, :, None] * y[:, None, :]
    return points[:, None, :] + radius[:, None, None] * around


_FACES = faces()
_TRIANGLES = np.array([[f[0], f[i], f[i + 1]] for f in _FACES for i in range(1, len(f) - 1)])


def volume(vertices: Floats) -> float:
    """Of the closed tube."""
    a, b, c = (vertices.reshape(-1, 3)[_TRIANGLES[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


def tube(points: Floats, wanted: float, start: float, end: float) -> Floats:
    """Vertices (RINGS * SIDES, 3) around points (RINGS, 3) that hold a volume."""
    axes = _axes(points)
    shape = profile(start, end)
    length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    radius = np.sqrt(wanted / max(np.pi * length * float((shape**2).mean()), 1e-30))
    vertices = _rings(points, axes, radius * shape)
    for _ in range(8):  # bends and corners change the volume a little
        have = volume(vertices)
        if not have > 0.0 or abs(have / wanted - 1.0) < 1e-9:
            break
        radius *= np.sqrt(wanted / have)
        vertices = _rings(points, axes, radius * shape)
    return vertices.reshape(-1, 3)
