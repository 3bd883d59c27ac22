"""Clean Curves: as few keys as keep what they show within a bound at every frame.

All values of a rotation, location or scale are keyed at the same frames, because the bound is on what they are
together: an angle, or a length. Between two keys a channel is the cubic through their values and slopes, which is what
Blender draws with handles a third of the way along the slopes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Errors = Callable[[Floats, Floats], Floats]
"""From rows as interpolated and rows as recorded, the distance of each."""


def kept_frames(
    rows: Floats, taken: NDArray[np.int64], tolerance: float, errors: Errors
) -> NDArray[np.int64]:
    """Numbers of the rows to key, of those that may be taken: the first, the last, and as many as the bound needs.

    rows: values at all frames, shape (nf, n). Where not all may be taken, the bound holds as far as those allow.
    """
    tangents = slopes(rows)
    kept, pending = {0, len(taken) - 1}, [(0, len(taken) - 1)]
    while pending:
        i, j = pending.pop()
        a, b = int(taken[i]), int(taken[j])
        if j - i < 2:
            continue
        inside = np.arange(a + 1, b)
        off = errors(between(rows, tangents, a, b, inside), rows[inside])
        worst = int(np.argmax(off))
        if off[worst] > tolerance:
            split = int(np.clip(np.searchsorted(taken, inside[worst]), i + 1, j - 1))
            kept.add(split)
            pending += [(i, split), (split, j)]
    return taken[sorted(kept)]


def slopes(rows: Floats) -> Floats:
    """Change a row of each value, shape (nf, n)."""
    return np.gradient(rows, axis=0) if len(rows) > 1 else np.zeros_like(rows)


def between(rows: Floats, tangents: Floats, a: int, b: int, at: NDArray[np.int64]) -> Floats:
    """Hermite's cubic from row a to row b."""
    span = b - a
    s = ((at - a) / span)[:, None]
    return np.asarray(
        (1.0 + 2.0 * s) * (1.0 - s) ** 2 * rows[a]
        + s * (1.0 - s) ** 2 * span * tangents[a]
        + s * s * (3.0 - 2.0 * s) * rows[b]
        + s * s * (s - 1.0) * span * tangents[b]
    )


def lengths(a: Floats, b: Floats) -> Floats:
    """Distances between rows, shape (n,)."""
    return np.asarray(np.linalg.norm(a - b, axis=1))


def angles(mode: str) -> Errors:
    """Angles [rad] between rows of the channel that a rotation mode of Blender uses."""

    def errors(a: Floats, b: Floats) -> Floats:
        p, q = rotations(mode, a), rotations(mode, b)
        across = np.linalg.norm(p - q * np.sign(np.sum(p * q, axis=1, keepdims=True)), axis=1)
        return np.asarray(4.0 * np.arcsin(np.clip(0.5 * across, 0.0, 1.0)))

    return errors


def rotations(mode: str, rows: Floats) -> Floats:
    """Unit quaternions w, x, y, z of rows of a rotation channel, shape (n, 4)."""
    if mode == "QUATERNION":
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))
    if mode == "AXIS_ANGLE":
        half, axis = 0.5 * rows[:, :1], rows[:, 1:] / np.linalg.norm(rows[:, 1:], axis=1, keepdims=True)
        return np.hstack([np.cos(half), np.sin(half) * axis])
    found = np.tile([1.0, 0.0, 0.0, 0.0], (len(rows), 1))
    for axis in mode:  # the first one turns first, about fixed axes
        k = "XYZ".index(axis)
        turn = np.zeros((len(rows), 4))
        turn[:, 0], turn[:, k + 1] = np.cos(0.5 * rows[:, k]), np.sin(0.5 * rows[:, k])
        found = _product(turn, found)
    return found


def _product(p: Floats, q: Floats) -> Floats:
    w = p[:, 0] * q[:, 0] - np.sum(p[:, 1:] * q[:, 1:], axis=1)
    xyz = p[:, :1] * q[:, 1:] + q[:, :1] * p[:, 1:] + np.cross(p[:, 1:], q[:, 1:])
    return np.column_stack([w, xyz])
