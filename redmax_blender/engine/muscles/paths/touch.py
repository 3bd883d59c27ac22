"""One surface between two points: the arcs of the shortest path, in the surface's frame.

An arc is a row of seven numbers: point where it begins, direction, length [m]. Cylinder and sphere have closed forms;
the others are guessed (`sections.py`) and solved (`chain.py`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..records import Surface
from . import chain, sections
from .geodesic import bending, follow

Arcs = Any
_HERE = np.concatenate([np.eye(3).ravel(), np.zeros(3)])[None]
_DIRECTIONS = 6
"""Planes through both ends, or places in a torus's hole, that are tried."""
_STRING, _LONGEST_STRING = 49, 385
_GOOD = 1e-11
"""Residual with which a solution counts."""


def crosses(kind: int, size: Any, a: Any, b: Any) -> bool:
    """Whether the straight line from a to b goes into the surface."""
    if kind == Surface.CYLINDER:
        return _enters(a[:2] / size[0], b[:2] / size[0])
    if kind == Surface.SPHERE:
        return _enters(a / size[0], b / size[0])
    if kind == Surface.ELLIPSOID:
        return _enters(a / size, b / size)
    return bool(sections.deepest(kind, size, a, b, 64) > 0.0)


def _enters(a: Any, b: Any) -> bool:
    d = b - a
    dd = float(d @ d)
    t = 0.5 if dd == 0.0 else min(1.0, max(0.0, -float(a @ d) / dd))
    x = a + t * d
    return float(x @ x) < 1.0


def length(a: Any, b: Any, arcs: Arcs, frames: Any) -> float:
    """Of a path over solved arcs whose frames are in the same axes as a and b."""
    total, at = 0.0, a
    for arc, frame in zip(arcs, frames, strict=True):
        total += float(np.linalg.norm(frame[0:3] - at)) + float(arc[6])
        at = frame[12:15]
    return total + float(np.linalg.norm(b - at))


def polish(kind: int, size: Any, a: Any, b: Any, arcs: Arcs) -> tuple[Arcs, float] | None:
    """Solve from a guess: the arcs and the whole length, or None where there is none with positive arcs."""
    m = len(arcs)
    arcs = np.array(arcs, float)
    frames, J = np.empty((m, chain.WIDTH)), np.empty((4 * m, 4 * m))
    worst = chain.solve(
        a, b, np.full(m, int(kind)), np.tile(size, (m, 1)), np.repeat(_HERE, m, axis=0), arcs, frames, J
    )
    if not worst < _GOOD or (arcs[:, 6] < 0.0).any():
        return None
    return arcs, length(a, b, arcs, frames)


def over_cylinder(size: Any, a: Any, b: Any, sense: int) -> Arcs | None:
    """Counter-clockwise (1) or clockwise (-1) seen along +z against the axis; None where the path does not touch."""
    r = size[0]
    da, db = math.hypot(a[0], a[1]), math.hypot(b[0], b[1])
    if da < r or db < r:
        return None
    turn = (sense * (math.atan2(b[1], b[0]) - math.atan2(a[1], a[0]))) % (2.0 * math.pi)
    wrap = turn - math.acos(r / da) - math.acos(r / db)
    if wrap <= 0.0:
        return None
    angle = math.atan2(a[1], a[0]) + sense * math.acos(r / da)
    first, last = math.sqrt(da * da - r * r), math.sqrt(db * db - r * r)
    flat = first + r * wrap + last
    slope = (b[2] - a[2]) / flat
    c, s = math.cos(angle), math.sin(angle)
    stretch = math.hypot(1.0, slope)
    return np.array(
        [[r * c, r * s, a[2] + slope * first, -sense * s / stretch, sense * c / stretch, slope / stretch,
          r * wrap * stretch]]
    )  # fmt: skip


def over_sphere(size: Any, a: Any, b: Any, long: bool = False) -> Arcs | None:
    """In the plane of a, b and the centre, the short or the long way."""
    r = size[0]
    da, db = float(np.linalg.norm(a)), float(np.linalg.norm(b))
    if da < r or db < r:
        return None
    m = np.cross(a, b)
    if np.linalg.norm(m) < 1e-12 * da * db:  # any plane will do
        m = np.cross(a, np.eye(3)[np.argmin(np.abs(a))])
    m /= np.linalg.norm(m)
    x = a / da
    y = np.cross(m, x)
    turn = math.atan2(float(b @ y), float(b @ x)) % (2.0 * math.pi)
    if long:
        y, turn = -y, 2.0 * math.pi - turn
    first = math.acos(r / da)
    wrap = turn - first - math.acos(r / db)
    if wrap <= 0.0:
        return None
    c, s = math.cos(first), math.sin(first)
    return np.concatenate([r * (c * x + s * y), c * y - s * x, [r * wrap]])[None]


def over_convex(kind: int, size: Any, a: Any, b: Any, towards: Any = None) -> Arcs | None:
    """Over an ellipsoid or a capsule that the straight line pierces: the shortest way, or the one that a guess in the
    plane towards a direction leads to."""
    chord = (b - a) / np.linalg.norm(b - a)
    x = np.cross(chord, np.eye(3)[np.argmin(np.abs(chord))])
    x /= np.linalg.norm(x)
    y = np.cross(chord, x)
    if towards is not None:
        w = towards - (towards @ chord) * chord
        ways = [w / np.linalg.norm(w)]
    else:
        angles = 2.0 * np.pi * np.arange(_DIRECTIONS) / _DIRECTIONS
        ways = [math.cos(g) * x + math.sin(g) * y for g in angles]
    best: tuple[Arcs, float] | None = None
    for w in ways:
        outline = np.empty((48, 3))
        if not sections.section(kind, size, a, b, w, outline):
            continue
        corners = sections.hull(a, b, outline, w)
        if corners is None:
            continue
        found = polish(kind, size, a, b, sections.arc_of(corners, a)[None])
        if found is not None and (best is None or found[1] < best[1]):
            best = found
    return None if best is None else best[0]


def through_torus(size: Any, a: Any, b: Any, towards: Any = None) -> Arcs | None:
    """The shortest way through the hole; None where it is straight, or there is none."""
    ring, tube = size[0], size[1]
    angles = 2.0 * np.pi * np.arange(_DIRECTIONS) / _DIRECTIONS
    vias = [0.7 * (ring - tube) * np.array([math.cos(g), math.sin(g), 0.0]) for g in angles]
    if towards is not None:
        vias = [0.7 * (ring - tube) * towards / np.linalg.norm(towards)]
    best: tuple[Arcs, float] | None = None
    count = string_points(tube, a, b)
    for via in vias:
        first = np.linalg.norm(via - a) / (np.linalg.norm(via - a) + np.linalg.norm(b - via))
        s, knots = np.linspace(0.0, 1.0, count), np.array([0.0, first, 1.0])
        string = np.array([np.interp(s, knots, [a[k], via[k], b[k]]) for k in range(3)]).T.copy()
        sections.pull_tight(Surface.TORUS, size, string, 60, 1.0)
        sections.pull_tight(Surface.TORUS, size, string, 120, 1.8)
        sections.pull_tight(Surface.TORUS, size, string, 40, 1.0)
        arcs = _runs(size, string)
        if not arcs:
            continue
        found = polish(Surface.TORUS, size, a, b, np.array(arcs))
        if found is None and len(arcs) > 1:
            found = polish(Surface.TORUS, size, a, b, _joined(arcs)[None])
        found = _lifted(size, a, b, found)
        if found is not None and (best is None or found[1] < best[1]):
            best = found
    return None if best is None else best[0]


def string_points(tube: float, a: Any, b: Any) -> int:
    """So many that a string cannot slip through the tube between two of them."""
    wanted = int(3.0 * float(np.linalg.norm(b - a)) / tube)
    return min(max(_STRING, wanted), _LONGEST_STRING)


def _runs(size: Any, string: Any) -> list[Any]:
    """Arcs of the runs of a string that are on the tube."""
    rho = np.hypot(string[:, 0], string[:, 1])
    on = np.hypot(rho - size[0], string[:, 2]) < size[1] * (1.0 + 1e-7)
    arcs, i = [], 1
    while i < len(string) - 1:
        if on[i]:
            j = i
            while j + 1 < len(string) - 1 and on[j + 1]:
                j += 1
            arcs.append(sections.arc_of(string[i : j + 1], string[i - 1]))
            i = j
        i += 1
    return arcs


def _joined(arcs: list[Any]) -> Any:
    reach = np.linalg.norm(arcs[-1][:3] - arcs[0][:3]) + arcs[-1][6]
    return np.concatenate([arcs[0][:6], [reach]])


def _lifted(size: Any, a: Any, b: Any, found: tuple[Arcs, float] | None) -> tuple[Arcs, float] | None:
    """Where a geodesic would have to be held down on the hollow side of the tube, the path bridges the gap."""
    if found is None or len(found[0]) != 1:
        return found
    arc = found[0][0]
    s = np.linspace(0.0, arc[6], 33)
    rows = np.empty((33, 8))
    follow(Surface.TORUS, size, arc[:3], arc[3:6], s, rows)
    hollow = [i for i in range(33) if bending(Surface.TORUS, size, rows[i, :3], rows[i, 3:6]) > 0.0]
    if not hollow or hollow[0] == 0 or hollow[-1] == 32:
        return found
    first = np.concatenate([arc[:6], [0.5 * s[hollow[0]]]])
    last = min(32, (hollow[-1] + 33) // 2)
    second = np.concatenate([rows[last, :6], [s[32] - s[last]]])
    return polish(Surface.TORUS, size, a, b, np.array([first, second])) or found


def shortest(kind: int, size: Any, a: Any, b: Any) -> Arcs | None:
    """Arcs of the shortest path from a to b outside a surface, and through the hole of a torus; None: straight."""
    size = np.asarray(size, float)
    if kind == Surface.TORUS:
        if not crosses(kind, size, a, b) and through_hole(size, a, b):
            return None
        return through_torus(size, a, b)
    if not crosses(kind, size, a, b):
        return None
    if kind == Surface.SPHERE:
        return over_sphere(size, a, b)
    if kind == Surface.CYLINDER:
        ways = [
            arcs for arcs in (over_cylinder(size, a, b, 1), over_cylinder(size, a, b, -1)) if arcs is not None
        ]
        found = [way for way in (polish(kind, size, a, b, arcs) for arcs in ways) if way is not None]
        return min(found, key=lambda way: way[1])[0] if found else None
    return over_convex(kind, size, a, b)


def through_hole(size: Any, a: Any, b: Any) -> bool:
    if a[2] * b[2] > 0.0:
        return True  # nothing says that it has to go through
    t = a[2] / (a[2] - b[2]) if a[2] != b[2] else 0.5
    x = a + t * (b - a)
    return bool(math.hypot(x[0], x[1]) < size[0])


def middle(kind: int, size: Any, arcs: Arcs) -> Any:
    """Point halfway along the arcs."""
    rows = np.empty((1, 8))
    arc = arcs[len(arcs) // 2]
    half = 0.5 * arc[6] if len(arcs) % 2 else 0.0
    follow(int(kind), size, arc[:3], arc[3:6], np.array([half]), rows)
    return rows[0, :3].copy()


def inside(kind: int, size: Any, p: Any) -> float:
    """How deep a point is in a surface [m], negative outside."""
    return float(sections.deepest(int(kind), size, p, p, 1))


def outside(kind: int, size: Any, p: Any) -> Any:
    """A point of the surface near p."""
    out = np.empty(3)
    sections.push_out(int(kind), size, p, out)
    return out
