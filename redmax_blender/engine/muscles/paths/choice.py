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

from ..records import Side, Surface, Wrap, WrapSurface
from . import touch
from .apex import edge_heights, on_ellipsoid


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
_STEPS, _LONGER = 400, 1.02
"""Of the search along a line past a ring: how many, and how much longer each is than the one before."""
_ALMOST = 1e-4
"""How far an end may be inside an ellipsoid, as a fraction (OpenSim's), and how close to one line with its centre."""


def _sign(x: float) -> int:
    return 1 if x >= 0.0 else -1


def choose(surface: WrapSurface, wrap: Wrap, a: Any, b: Any) -> Choice:
    """For the piece from a to b, both in the surface's frame."""
    size = np.asarray(surface.size, float)
    if surface.kind == Surface.CYLINDER:
        choice = _cylinder(size, surface.quadrant, wrap.side, a, b)
        return _within(size[0], surface.length, surface.quadrant, choice, a, b)
    if surface.kind == Surface.SPHERE:
        return _sphere(size, surface.quadrant, a, b)
    if surface.kind == Surface.TORUS:
        return _torus(size, surface.quadrant, a, b)
    return _convex(surface.kind, size, surface.quadrant, wrap.method, a, b)


def _choice(outcome: Outcome, arcs: Any) -> Choice:
    return _MISSES if arcs is None else Choice(outcome, arcs)


def _within(r: float, length: float, quadrant: Any, choice: Choice, a: Any, b: Any) -> Choice:
    """A cylinder that ends does not hold a path whose tangent points are both beyond."""
    if choice.arcs is None or math.isinf(length):
        return choice
    p, t = choice.arcs[0, :3], choice.arcs[0, 3:6]
    sense = 1 if p[0] * t[1] - p[1] * t[0] > 0.0 else -1
    first, last = edge_heights(r, a, b, sense, quadrant is not None and _far(r, quadrant, sense, a, b))
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
    left_a, right_a, left_b, right_b = _edges(r, a, b)

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
    gap = _openings(r, a, b)
    return 1 if gap[0] > gap[1] else -1


def _far(r: float, quadrant: tuple[int, int], sense: int, a: Any, b: Any) -> bool:
    """Whether the way round is the longer of the two."""
    gap = _openings(r, a, b)
    if not any(_sign(p[quadrant[0]]) == quadrant[1] for p in _edges(r, a, b)):
        return True
    return (gap[0] > gap[1]) == (sense == 1)


def _openings(r: float, a: Any, b: Any) -> tuple[float, float]:
    """Angles between the tangent points of the way counter-clockwise and of the way clockwise, up to π."""
    left_a, right_a, left_b, right_b = _edges(r, a, b)
    return (
        math.acos(max(-1.0, min(1.0, float(left_a[:2] @ right_b[:2]) / r**2))),
        math.acos(max(-1.0, min(1.0, float(right_a[:2] @ left_b[:2]) / r**2))),
    )


def _edges(r: float, a: Any, b: Any) -> list[Any]:
    """Tangent points across the axis: from a on the left (counter-clockwise) and on the right, and the same from b."""
    out = []
    for p in (a, b):
        angle, opening = math.atan2(p[1], p[0]), math.acos(r / math.hypot(p[0], p[1]))
        for g in (angle + opening, angle - opening):
            out.append(np.array([r * math.cos(g), r * math.sin(g), p[2]]))
    return out


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


def _convex(kind: Surface, size: Any, quadrant: Any, method: str, a: Any, b: Any) -> Choice:
    if kind == Surface.ELLIPSOID:
        if min(float((a / size) @ (a / size)), float((b / size) @ (b / size))) < 1.0 - _ALMOST:
            return _INSIDE
        if abs(float(a @ b) / float(np.linalg.norm(a) * np.linalg.norm(b)) - 1.0) < _ALMOST:
            return _MISSES
    elif max(touch.inside(kind, size, a), touch.inside(kind, size, b)) > 0.0:
        return _INSIDE
    if not touch.crosses(kind, size, a, b):
        return _MISSES
    arcs = None
    if quadrant is not None:
        top = _top(kind, size, quadrant, method, a, b)
        if top is not None:
            arcs = touch.over_convex(kind, size, a, b, top - 0.5 * (a + b))
    if arcs is None:
        arcs = touch.over_convex(kind, size, a, b)
    return _choice(Outcome.PIERCES, arcs)


def _top(kind: Surface, size: Any, quadrant: tuple[int, int], method: str, a: Any, b: Any) -> Any:
    """Place on the right half over which the path is led; None where the shortest way is over that half."""
    axis, sign = quadrant
    if kind == Surface.ELLIPSOID:
        top, whole = on_ellipsoid(size, a, b, method)
    else:
        top, whole = touch.outside(kind, size, 0.5 * (a + b)), 0.0
    if _sign(top[axis]) == sign:
        return None
    top[axis] *= -(1.0 - whole)  # where the whole line decides, just over the rim of the half
    return touch.outside(kind, size, top)


def _torus(size: Any, quadrant: Any, a: Any, b: Any) -> Choice:
    """From one side of the ring to the other a path goes through the hole. Otherwise the tube near the line is a
    cylinder whose inner half holds the path."""
    if max(touch.inside(Surface.TORUS, size, a), touch.inside(Surface.TORUS, size, b)) > 0.0:
        return _INSIDE
    if quadrant is None and a[2] * b[2] < 0.0:
        arcs = touch.shortest(Surface.TORUS, size, a, b)
        if arcs is not None or touch.through_hole(size, a, b):
            return _choice(Outcome.PIERCES, arcs)
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
    """Point of the ring beside which a path from a to b is led; None where that is on the wrong half.

    Of each end it is the first place along the line where |x|² - 4 R ρ is least, ρ being the distance from the axis
    and R the ring's radius; of the two, the one nearer to the ring.
    """
    places = [_first_least(ring, a, b), _first_least(ring, b, a)]
    if quadrant is not None:
        places = [x for x in places if _sign(x[quadrant[0]]) == quadrant[1]]
    if not places:
        return None
    x = min(places, key=lambda x: math.hypot(math.hypot(x[0], x[1]) - ring, x[2]))
    rho = math.hypot(x[0], x[1])
    return None if rho == 0.0 else np.array([x[0], x[1], 0.0]) * (ring / rho)


def _first_least(ring: float, a: Any, b: Any) -> Any:
    """Going from a along the line to b, or away from it where that is downhill."""
    e = (b - a) / np.linalg.norm(b - a)

    def slope(u: float) -> float:
        x = a + u * e
        rho = max(math.hypot(x[0], x[1]), 1e-300)
        return float(x @ e) - 2.0 * ring * float(x[:2] @ e[:2]) / rho

    step = math.copysign(0.02 * ring, -slope(0.0))
    low = 0.0
    for _ in range(_STEPS):
        if slope(low + step) * step >= 0.0:
            break
        low += step
        step *= _LONGER
    high = low + step
    for _ in range(60):
        middle = 0.5 * (low + high)
        if slope(middle) * step < 0.0:
            low = middle
        else:
            high = middle
    return a + low * e
