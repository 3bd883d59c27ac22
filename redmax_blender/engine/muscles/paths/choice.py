"""Whether a straight piece of a path slides over a surface, and which way round.

Without a side the path slides where the straight line would go into the surface, the shortest way. With a *quadrant*
(OpenSim's word for a half: x, -x, y, ...) it takes the way whose tangent points are on that half, and may have to go
round the surface although the line misses it. These are OpenSim's rules for exact paths: the same way round, but the
shortest curve.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from ..records import Side, Surface, WrapSurface
from . import touch


class Outcome(Enum):
    INSIDE = "an end is inside the surface"
    MISSES = "the line passes it"
    SLIDES = "it has to go round, and another piece may do so with less detour"
    PIERCES = "the line would go into it"


@dataclass(frozen=True)
class Choice:
    outcome: Outcome
    arcs: Any = None
    """In the surface's frame, rows of seven; None unless it slides."""


_INSIDE, _MISSES = Choice(Outcome.INSIDE), Choice(Outcome.MISSES)
_ALMOST = 1e-4
"""How far an end may be inside an ellipsoid, as a fraction (OpenSim's), and how close to one line with its centre."""


def _sign(x: float) -> int:
    return 1 if x >= 0.0 else -1


def choose(surface: WrapSurface, side: Side, a: Any, b: Any) -> Choice:
    """For the piece from a to b, both in the surface's frame."""
    size = np.asarray(surface.size, float)
    if surface.kind == Surface.CYLINDER:
        return _within(surface.length, _cylinder(size, surface.quadrant, side, a, b))
    if surface.kind == Surface.SPHERE:
        return _sphere(size, surface.quadrant, a, b)
    if surface.kind == Surface.TORUS:
        return _torus(size, surface.quadrant, a, b)
    return _convex(surface.kind, size, surface.quadrant, a, b)


def _choice(outcome: Outcome, arcs: Any) -> Choice:
    return _MISSES if arcs is None else Choice(outcome, arcs)


def _within(length: float, choice: Choice) -> Choice:
    """A cylinder that ends does not hold a path whose tangent points are both beyond."""
    if choice.arcs is None or math.isinf(length):
        return choice
    first = choice.arcs[0, 2]
    last = first + choice.arcs[-1, 5] * choice.arcs[-1, 6]
    return _MISSES if abs(first) > 0.5 * length and abs(last) > 0.5 * length else choice


def _nearest_to_axis(a: Any, b: Any) -> tuple[float, Any]:
    d = b - a
    flat = float(d[:2] @ d[:2])
    t = -float(a[:2] @ d[:2]) / flat if flat > 0.0 else 0.5
    return t, a + t * d


def _cylinder(size: Any, quadrant: Any, side: Side, a: Any, b: Any) -> Choice:
    r = size[0]
    if math.hypot(a[0], a[1]) < r or math.hypot(b[0], b[1]) < r:
        return _INSIDE
    if side != Side.SHORTEST:
        return _choice(Outcome.PIERCES, touch.over_cylinder(size, a, b, int(side)))
    t, near = _nearest_to_axis(a, b)
    pierces = math.hypot(near[0], near[1]) < r and 0.0 < t < 1.0
    if quadrant is None:
        return _choice(Outcome.PIERCES, touch.shortest(Surface.CYLINDER, size, a, b)) if pierces else _MISSES
    outcome = Outcome.SLIDES
    axis, sign = quadrant
    if _sign(a[axis]) == sign or _sign(b[axis]) == sign:
        if pierces:
            outcome = Outcome.PIERCES
        elif _sign(a[axis]) == _sign(b[axis]) or _sign(near[axis]) == sign:
            return _MISSES
    return _choice(outcome, touch.over_cylinder(size, a, b, _sense(r, axis, sign, a, b)))


def _sense(r: float, axis: int, sign: int, a: Any, b: Any) -> int:
    """Way round whose tangent points are on the half: those of the beginning decide, then those of the end."""
    angle_a, angle_b = math.atan2(a[1], a[0]), math.atan2(b[1], b[0])
    open_a, open_b = math.acos(r / math.hypot(a[0], a[1])), math.acos(r / math.hypot(b[0], b[1]))

    def point(angle: float, z: float) -> Any:
        return np.array([r * math.cos(angle), r * math.sin(angle), z])

    left_a, right_a = point(angle_a + open_a, a[2]), point(angle_a - open_a, a[2])
    left_b, right_b = point(angle_b + open_b, b[2]), point(angle_b - open_b, b[2])

    def on(p: Any) -> bool:
        return _sign(p[axis]) == sign

    if on(left_a) != on(right_a):
        return 1 if on(left_a) else -1
    if on(left_a):
        return -1 if on(left_b) else 1
    if on(left_b):
        return -1
    if on(right_b):
        return 1
    return 1 if float(left_a[:2] @ right_b[:2]) < float(right_a[:2] @ left_b[:2]) else -1


def _sphere(size: Any, quadrant: Any, a: Any, b: Any) -> Choice:
    r = size[0]
    if np.linalg.norm(a) < r or np.linalg.norm(b) < r:
        return _INSIDE
    if not touch.crosses(Surface.SPHERE, size, a, b):
        return _MISSES
    long = False
    if quadrant is not None and not (_sign(a[quadrant[0]]) == _sign(b[quadrant[0]]) == quadrant[1]):
        long = _long_way(r, quadrant, a, b)
    return _choice(Outcome.PIERCES, touch.over_sphere(size, a, b, long))


def _long_way(r: float, quadrant: Any, a: Any, b: Any) -> bool:
    """Whether the tangent points that lie towards the half are those of the long way."""
    short = touch.over_sphere(np.array([r, 0.0, 0.0]), a, b)
    if short is None:
        return False
    d = float(np.linalg.norm(a))
    first = short[0, :3]
    foot = a * (r / d) ** 2
    other = 2.0 * foot - first  # the other tangent point from a in the plane
    n, t = first / r, short[0, 3:6]
    angle = short[0, 6] / r
    last = r * (math.cos(angle) * n + math.sin(angle) * t)
    other_last = 2.0 * b * (r / float(np.linalg.norm(b))) ** 2 - last
    inwards = -(a + b)
    begin = first if first @ inwards > other @ inwards else other
    end = last if last @ inwards > other_last @ inwards else other_last
    detour = (begin - a) + (end - b)
    long = begin is other
    if detour[quadrant[0]] * quadrant[1] < 0.0:
        long = not long
    return long


def _convex(kind: Surface, size: Any, quadrant: Any, a: Any, b: Any) -> Choice:
    if kind == Surface.ELLIPSOID:
        if min(float((a / size) @ (a / size)), float((b / size) @ (b / size))) < 1.0 - _ALMOST:
            return _INSIDE
        if abs(float(a @ b) / float(np.linalg.norm(a) * np.linalg.norm(b)) - 1.0) < _ALMOST:
            return _MISSES
    elif max(touch.inside(kind, size, a), touch.inside(kind, size, b)) > 0.0:
        return _INSIDE
    if not touch.crosses(kind, size, a, b):
        return _MISSES
    arcs = touch.over_convex(kind, size, a, b)
    if quadrant is not None and (arcs is None or not _on_half(kind, size, quadrant, arcs)):
        flipped = _other_half(kind, size, quadrant, a, b)
        arcs = arcs if flipped is None else flipped
    return _choice(Outcome.PIERCES, arcs)


def _on_half(kind: Surface, size: Any, quadrant: Any, arcs: Any) -> bool:
    return bool(_sign(touch.middle(kind, size, arcs)[quadrant[0]]) == quadrant[1])


def _other_half(kind: Surface, size: Any, quadrant: Any, a: Any, b: Any) -> Any:
    middle = 0.5 * (a + b)
    top = touch.outside(kind, size, middle)
    top[quadrant[0]] = abs(top[quadrant[0]]) * quadrant[1]
    found = []
    across = np.zeros(3)
    across[quadrant[0]] = quadrant[1]
    for towards in (top - middle, across):
        arcs = touch.over_convex(kind, size, a, b, towards)
        if arcs is not None and _on_half(kind, size, quadrant, arcs):
            found.append(arcs)
    return min(found, key=lambda arcs: float(arcs[:, 6].sum())) if found else None


def _torus(size: Any, quadrant: Any, a: Any, b: Any) -> Choice:
    """From one side of the ring to the other a path goes through the hole. Otherwise the tube near the line is a
    cylinder whose inner half holds the path."""
    if max(touch.inside(Surface.TORUS, size, a), touch.inside(Surface.TORUS, size, b)) > 0.0:
        return _INSIDE
    if quadrant is None and a[2] * b[2] < 0.0:
        return _choice(Outcome.PIERCES, touch.shortest(Surface.TORUS, size, a, b))
    ring = _ring_point(size[0], quadrant, a, b)
    if ring is None:
        return _MISSES
    x = -ring / np.linalg.norm(ring)
    axes = np.array([x, [0.0, 0.0, -1.0], np.cross(x, [0.0, 0.0, -1.0])])
    tube = np.array([size[1], 0.0, 0.0])
    choice = _cylinder(tube, (0, 1), Side.SHORTEST, axes @ (a - ring), axes @ (b - ring))
    if choice.arcs is None:
        return choice
    guess = choice.arcs.copy()
    guess[:, :3] = guess[:, :3] @ axes + ring
    guess[:, 3:6] = guess[:, 3:6] @ axes
    arcs = touch.through_torus(size, a, b, ring)
    if arcs is None:
        solved = touch.polish(Surface.TORUS, size, a, b, guess)
        arcs = None if solved is None else solved[0]
    return _choice(choice.outcome, arcs)


def _ring_point(ring: float, quadrant: Any, a: Any, b: Any) -> Any:
    """Point of the ring nearest to the line from a to b."""
    t = np.linspace(-0.5, 1.5, 401)
    for _ in range(6):
        x = a + t[:, None] * (b - a)
        rho = np.hypot(x[:, 0], x[:, 1])
        distance = np.hypot(rho - ring, x[:, 2])
        if quadrant is not None:
            distance = np.where(np.sign(x[:, quadrant[0]]) == quadrant[1], distance, np.inf)
        k = int(np.argmin(distance))
        if not math.isfinite(distance[k]) or rho[k] == 0.0:
            return None
        step = t[1] - t[0]
        t = np.linspace(t[k] - step, t[k] + step, 41)
    return np.array([x[k, 0], x[k, 1], 0.0]) * (ring / rho[k])
