"""First guesses: where a path might run over a surface, good enough for Newton's method to take over.

Over a convex surface: in a plane through both ends, the hull of them and the section. Through a torus: a string of
points, pulled tight outside the tube.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...jit.decorators import njit
from .surfaces import depth, nearest
from .vectors import axpy, blend, norm, scaled

_RAYS = 48
_BISECTIONS = 45
_FAR = 1e4
"""How many radii away a ray gives up: there the section is open."""


@njit
def section(kind: int, size: Any, start: Any, end: Any, towards: Any, outline: Any) -> int:
    """Boundary of a convex surface on one side of the line from start to end that pierces it: rows of `outline`
    from the start's side to the end's; returns their number, 0 where the section is open."""
    S = (size[0], size[1], size[2])
    A, B, w = (start[0], start[1], start[2]), (end[0], end[1], end[2]), (towards[0], towards[1], towards[2])
    chord = axpy(-1.0, A, B)
    low, high = 0.0, 1.0
    for _ in range(80):  # the deepest point of the line
        x, y = low + (high - low) / 3.0, high - (high - low) / 3.0
        if depth(kind, S, axpy(x, chord, A)) < depth(kind, S, axpy(y, chord, A)):
            low = x
        else:
            high = y
    centre = axpy(0.5 * (low + high), chord, A)
    if depth(kind, S, centre) <= 0.0:
        return 0
    back = scaled(-1.0 / norm(chord), chord)
    for i in range(_RAYS):
        angle = math.pi * i / (_RAYS - 1)
        ray = blend(math.cos(angle), back, math.sin(angle), w)
        inside, outside = 0.0, S[0]
        while depth(kind, S, axpy(outside, ray, centre)) > 0.0:
            inside = outside
            outside *= 2.0
            if outside > _FAR * S[0]:
                return 0
        for _ in range(_BISECTIONS):
            middle = 0.5 * (inside + outside)
            if depth(kind, S, axpy(middle, ray, centre)) > 0.0:
                inside = middle
            else:
                outside = middle
        p = axpy(inside, ray, centre)
        outline[i, 0], outline[i, 1], outline[i, 2] = p[0], p[1], p[2]
    return _RAYS


@njit
def pull_tight(kind: int, size: Any, string: Any, sweeps: int, over: float) -> None:
    """Gauss-Seidel with over-relaxation on the sum of squared lengths of a string of points, each kept outside."""
    S = (size[0], size[1], size[2])
    n = len(string)
    for sweep in range(sweeps):
        for k in range(1, n - 1):
            i = k if sweep % 2 == 0 else n - 1 - k
            x = (string[i, 0], string[i, 1], string[i, 2])
            before = (string[i - 1, 0], string[i - 1, 1], string[i - 1, 2])
            after = (string[i + 1, 0], string[i + 1, 1], string[i + 1, 2])
            y = blend(1.0 - over, x, over, blend(0.5, before, 0.5, after))
            if depth(kind, S, y) > 0.0:
                y = nearest(kind, S, y)
            string[i, 0], string[i, 1], string[i, 2] = y[0], y[1], y[2]


@njit
def deepest(kind: int, size: Any, start: Any, end: Any, samples: int) -> Any:
    """How deep the straight line from start to end goes into a surface at most [m], negative where it misses it."""
    S = (size[0], size[1], size[2])
    A, B = (start[0], start[1], start[2]), (end[0], end[1], end[2])
    chord = axpy(-1.0, A, B)
    best, at = -math.inf, 0.0
    for i in range(samples + 1):
        d = depth(kind, S, axpy(i / samples, chord, A))
        if d > best:
            best, at = d, i / samples
    low, high = max(0.0, at - 1.0 / samples), min(1.0, at + 1.0 / samples)
    for _ in range(70):
        x, y = low + (high - low) / 3.0, high - (high - low) / 3.0
        if depth(kind, S, axpy(x, chord, A)) < depth(kind, S, axpy(y, chord, A)):
            low = x
        else:
            high = y
    return max(best, depth(kind, S, axpy(0.5 * (low + high), chord, A)))


def hull(start: Any, end: Any, outline: Any, towards: Any) -> Any:
    """Corners of the tight path from start over an outline to end, in the plane of the outline: rows of points, the
    first and the last on the surface; None where it touches in less than one point."""
    chord = end - start
    x_axis = chord / np.linalg.norm(chord)
    points = np.vstack([start[None], outline, end[None]])
    x, y = (points - start) @ x_axis, (points - start) @ towards
    order = sorted(range(len(points)), key=lambda i: (x[i], y[i]))
    # The path may begin behind the start where the surface bulges past it: walk the hull counter to the chord's side.
    upper: list[int] = []
    for i in order:
        while len(upper) > 1:
            a, b = upper[-2], upper[-1]
            if (x[b] - x[a]) * (y[i] - y[a]) - (y[b] - y[a]) * (x[i] - x[a]) < 0.0:
                break
            upper.pop()
        upper.append(i)
    first, last = 0, len(points) - 1
    if first not in upper or last not in upper:
        return _around(points, x, y)
    inner = upper[upper.index(first) + 1 : upper.index(last)]
    return points[inner] if inner else None


def _around(points: Any, x: Any, y: Any) -> Any:
    """The same where an end lies over or under the outline: the tangents from each end by angle."""
    first = _tangent_from(points, x, y, 0, 1.0)
    last = _tangent_from(points, x, y, len(points) - 1, -1.0)
    if first is None or last is None or first > last:
        return None
    return points[first : last + 1]


def _tangent_from(points: Any, x: Any, y: Any, end: int, sign: float) -> int | None:
    n = len(points)
    best: int | None = None
    for i in range(1, n - 1):
        if best is None:
            best = i
            continue
        cross = (x[best] - x[end]) * (y[i] - y[end]) - (y[best] - y[end]) * (x[i] - x[end])
        if sign * cross > 0.0:
            best = i
    return best


def arc_of(points: Any, before: Any) -> Any:
    """(point, direction, length) of a polyline on a surface that is reached from `before`."""
    t = points[0] - before
    if len(points) > 1 and np.linalg.norm(points[1] - points[0]) > 0.0:
        size = np.linalg.norm(t)
        t = points[1] - points[0] if size < 1e-12 else t / size
    length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum()) if len(points) > 1 else 0.0
    return np.concatenate([points[0], t / np.linalg.norm(t), [length]])


@njit
def push_out(kind: int, size: Any, p: Any, out: Any) -> None:
    """Point of the surface near p."""
    q = nearest(kind, (size[0], size[1], size[2]), (p[0], p[1], p[2]))
    out[0], out[1], out[2] = q[0], q[1], q[2]
