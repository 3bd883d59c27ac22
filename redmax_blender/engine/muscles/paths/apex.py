"""The place on a surface that OpenSim takes a path over, which says on which half it is; and where on a cylinder's
edges its first guess touches, which says whether that is beyond the cylinder's ends.

Only decisions are made of these: what the path is then, is exact.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_FAN = 0.7073
"""Cosine between the line and the nearest axis of the ellipsoid, below which the whole line is asked."""
_AXIAL = 0.9
"""The same, above which only the plane across that axis is asked; between, both are mixed."""
_FADE = 0.3
"""Part of the chord at its ends where the plane's answer counts less."""
_SAMPLES = 300


def _nearest(axes: Any, p: Any) -> Any:
    """Points of an ellipsoid, or of an ellipse of two axes, nearest to points p (n, d)."""
    p = np.atleast_2d(p)
    a2 = axes**2
    # x = a² p / (t + a²) with Σ (a p / (t + a²))² = 1: the largest root t, by bisection.
    size = np.linalg.norm(axes * p, axis=1)
    low = np.full(len(p), -a2.min())
    high = np.maximum(size - a2.min(), low + 1e-12 * a2.min())
    for _ in range(100):
        t = 0.5 * (low + high)
        gap = t[:, None] + a2
        outside = ((axes * p / np.where(gap == 0.0, 1e-300, gap)) ** 2).sum(axis=1) > 1.0
        low, high = np.where(outside, t, low), np.where(outside, high, t)
    x = a2 * p / (high[:, None] + a2)
    # On a plane of symmetry deep inside, the root is at its end and the rest of the way goes along the shortest axis.
    k = int(np.argmin(axes))
    rest = np.maximum(1.0 - ((x / axes) ** 2).sum(axis=1), 0.0)
    short = rest > 1e-12
    x[short, k] += np.where(p[short, k] < 0.0, -1.0, 1.0) * axes[k] * np.sqrt(rest[short])
    return x


def on_ellipsoid(axes: Any, a: Any, b: Any, method: str) -> tuple[Any, float]:
    """Place on an ellipsoid over which the line from a to b, which pierces it, is led; and how much of that the whole
    line decided, 0 to 1."""
    scale = 3.0 / float(axes.sum())
    axes, a, b = axes * scale, a * scale, b * scale
    d = a - b
    f, g = d / axes, b / axes
    half, square = float(f @ g), float(f @ f)
    root = math.sqrt(max(0.0, half * half - square * (float(g @ g) - 1.0)))
    first, last = b + d * (-half + root) / square, b + d * (-half - root) / square
    chord = last - first
    middle = first + 0.5 * chord
    cosines = np.abs(d) / np.linalg.norm(d)
    k = int(np.argmax(cosines))
    weight = float(cosines[k])
    share = min(max((weight - _FAN) / (_AXIAL - _FAN), 0.0), 1.0)
    if method == "midpoint":
        return _nearest(axes, middle)[0] / scale, 1.0 - share
    t = -first[k] / chord[k]
    if method == "hybrid" and weight > _FAN:
        inner = max(0.0, min(1.0, t / _FADE, (1.0 - t) / _FADE))
        weight = _FAN + inner * (weight - _FAN)
    across = first + t * chord
    place = across.copy()
    others = [i for i in range(3) if i != k]
    place[others] = _nearest(axes[others], across[others])[0]
    if method == "axial":
        return place / scale, 1.0 - share
    if weight >= _AXIAL:
        return place / scale, 0.0
    at = first + (np.arange(1, _SAMPLES - 1) / _SAMPLES)[:, None] * chord
    blades = _nearest(axes, at) - at
    fan = (blades / np.linalg.norm(blades, axis=1)[:, None]).sum(axis=0)
    top = _nearest(axes, middle + fan / np.linalg.norm(fan))[0]
    if weight <= _FAN:
        return top / scale, 1.0
    share = (weight - _FAN) / (_AXIAL - _FAN)
    return _nearest(axes, share * place + (1.0 - share) * top)[0] / scale, 1.0 - share


def edge_heights(r: float, a: Any, b: Any, sense: int, far: bool) -> tuple[float, float]:
    """Heights z on a cylinder where the plane through a, b and the apex of the way round meets the edges of contact."""
    da, db = math.hypot(a[0], a[1]), math.hypot(b[0], b[1])
    angle_a = math.atan2(a[1], a[0]) + sense * math.acos(r / da)
    angle_b = math.atan2(b[1], b[0]) - sense * math.acos(r / db)
    touch_a = np.array([r * math.cos(angle_a), r * math.sin(angle_a), a[2]])
    touch_b = np.array([r * math.cos(angle_b), r * math.sin(angle_b), b[2]])
    near = a + da / (da + db) * (b - a)
    axis = np.array([0.0, 0.0, near[2]])
    across = np.cross(np.cross(a - axis, b - axis), [0.0, 0.0, 1.0])
    size = float(np.linalg.norm(across))
    if size < 1e-300:
        return float(a[2]), float(b[2])
    across *= r / size
    one, two = axis + across, axis - across
    closer = one if np.linalg.norm(near - one) < np.linalg.norm(near - two) else two
    apex = (two if closer is one else one) if far else closer
    n = np.cross(a - apex, b - apex)
    span = abs(a[2] - b[2])
    heights = []
    for point, touch, other in ((a, touch_a, b), (b, touch_b, a)):
        z = float(point[2])
        if abs(n[2]) > 1e-14 * np.linalg.norm(n):
            slid = float(touch[2] + n @ (a - touch) / n[2])
            if abs(slid - other[2]) < span:
                z = slid
        heights.append(z)
    return heights[0], heights[1]
