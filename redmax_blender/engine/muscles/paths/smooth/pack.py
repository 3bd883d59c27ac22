"""`MusclePath` -> `Paths`: what each string may touch, how strongly, and where its search begins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ....model.records import Floats, Ints
from ...functions import rows_of
from ...records import MusclePath, PathPoint, Surface, Wrap, WrapSurface
from .. import exact
from .barrier import AT_SURFACE, STORED
from .packed import MASS, MOVER, PATH, POINT, SURFACE, Paths

ROUNDING = 0.03
"""Of a surface where none is given, as a fraction of its radius."""
_FEWEST, _MOST = 24, 120
"""Segments of a string."""
_PER_RADIUS = 4.0
"""Segments on a length of one radius: chords then leave 0.3 % of what they span, most of which `shift` makes up for."""


@dataclass(frozen=True)
class MassPoint:
    """A point of a muscle's mass at share · length + offset from the origin along the path."""

    mass: float
    """[kg]"""
    share: float
    offset: float = 0.0
    """[m]"""


@dataclass(frozen=True)
class Given:
    """A path and what its string is to be like."""

    path: MusclePath
    masses: Sequence[MassPoint] = ()
    rounding: float | None = None
    """[m]; a fraction of each surface's radius when null."""
    segments: int | None = None
    """Of each string over surfaces; from its length and radius when null."""

    @property
    def is_exact(self) -> bool:
        """Whether the exact path was asked for, which is no matter of strings: its points are left out."""
        return self.rounding == 0.0


def radius(surface: WrapSurface) -> float:
    """The radius that a path over a surface bends with, roughly [m]."""
    if surface.kind == Surface.ELLIPSOID:
        return float(min(surface.size))
    return float(surface.size[1] if surface.kind == Surface.TORUS else surface.size[0])


def pack_paths(
    given: Sequence[Given], poses: Floats, q: Floats, columns: Callable[[MusclePath], Ints]
) -> Paths:
    """Paths for kernels, with strings as they are at these poses of frames (nf, 12) and coordinates.

    `columns` says which coordinates move a path.
    """
    paths = np.zeros(len(given), PATH)
    points = np.zeros(sum(len(g.path.points) for g in given if not g.is_exact), POINT)
    surfaces: list[tuple[object, ...]] = []
    masses: list[tuple[object, ...]] = []
    moved: list[Ints] = []
    nodes: list[Floats] = []
    movers: list[tuple[object, ...]] = []
    knots: list[Floats] = []
    at = node = column = 0
    for record, g in zip(paths, given, strict=True):
        path = g.path
        record.point, record.points = at, len(path.points)
        record.mass, record.masses = len(masses), len(g.masses)
        cols = np.asarray(columns(path), np.int64)
        record.column, record.columns = column, len(cols)
        column += len(cols)
        if g.is_exact:
            record.points = 0
        moved.append(cols)
        masses += [(m.mass, m.share, m.offset) for m in g.masses]
        if g.is_exact:
            continue
        X, _ = exact.point_positions(path, poses, q)
        for i, point in enumerate(path.points):
            r = points[at + i]
            r.frame, r.x = point.frame, point.location
            r.coordinate, r.lower, r.upper = point.active or (-1, 0.0, 0.0)
            r.mover = len(movers)
            for k, mover in enumerate(point.movers or ()):
                if mover.coordinate < 0:
                    r.x[k] = mover.curve(0.0)
                    continue
                knots.append(rows_of(mover.curve))
                movers.append((k, mover.coordinate, sum(map(len, knots[:-1])), len(knots[-1])))
            r.movers = len(movers) - r.mover
            r.surface, r.segments, r.node = len(surfaces), 1, node
            wraps = [] if i + 1 == len(path.points) else _between(path, i, X, poses)
            r.surfaces = len(wraps)
            if wraps:
                string = _first_string(path, wraps, X[i : i + 2], poses, g.segments)
                n = len(string) - 1
                length = float(np.linalg.norm(np.diff(string, axis=0), axis=1).sum())
                surfaces += [_surface(path.surfaces[w.surface], g.rounding, n, length) for w in wraps]
                r.segments = n
                node += n + 1
                nodes.append(_own(path, wraps, string, poses))
        at += len(path.points)
    return Paths(
        paths.view(np.recarray),
        points.view(np.recarray),
        _records(surfaces, SURFACE),
        _records(masses, MASS),
        _records(movers, MOVER),
        np.concatenate([np.zeros((0, 5)), *knots]),
        np.concatenate([np.zeros(0, np.int64), *moved]),
        np.concatenate([np.zeros((0, 3)), *nodes]),
    )


def put_anew(paths: Paths, number: int, path: MusclePath, poses: Floats, q: Floats) -> None:
    """Put the strings of a path where the exact path is at these poses."""
    record = paths.paths[number]
    X, _ = exact.point_positions(path, poses, q)
    for i in range(len(path.points) - 1):
        point = paths.points[record.point + i]
        if point.surfaces:
            wraps = _between(path, i, X, poses)
            n = int(point.segments)
            string = X[i] + np.linspace(0.0, 1.0, n + 1)[:, None] * (X[i + 1] - X[i])
            if wraps:
                string = _first_string(path, wraps, X[i : i + 2], poses, n)
            paths.nodes[point.node : point.node + n + 1] = _own(
                path, wraps or _at_first(path, i), string, poses
            )


def _at_first(path: MusclePath, i: int) -> list[Wrap]:
    """What a path may slide over between points i and i + 1, by its definition alone."""
    last = len(path.points) - 1
    return [w for w in path.wraps if w.first <= i and i + 1 <= (w.last if w.last >= 0 else last)]


def _own(path: MusclePath, wraps: list[Wrap], string: Floats, poses: Floats) -> Floats:
    """A string in the frame of its first surface."""
    E = exact.surface_poses(path, poses)[wraps[0].surface]
    return np.asarray((string - E[9:]) @ E[:9].reshape(3, 3))


def _records(rows: list, dtype: np.dtype) -> np.recarray:  # type: ignore[type-arg]
    out = np.zeros(len(rows), dtype)
    for i, row in enumerate(rows):
        out[i] = tuple(row)
    return out.view(np.recarray)


def _between(path: MusclePath, i: int, X: Floats, poses: Floats) -> list[Wrap]:
    """What the path may slide over between points i and i + 1: of surfaces that neither of these is inside."""
    found = []
    where = exact.surface_poses(path, poses)
    for wrap in path.wraps:
        last = wrap.last if wrap.last >= 0 else len(path.points) - 1
        surface = path.surfaces[wrap.surface]
        if not surface.active or not (wrap.first <= i and i + 1 <= last):
            continue
        E = where[wrap.surface]
        ends = (X[i : i + 2] - E[9:]) @ E[:9].reshape(3, 3)
        if all(outside(surface, end) for end in ends):
            found.append(wrap)
    return found


def outside(surface: WrapSurface, x: Floats) -> bool:
    """Whether a point is outside a surface, in its frame."""
    s = surface.size
    if surface.kind == Surface.ELLIPSOID:
        return bool(np.sum((x / np.array(s)) ** 2) > 1.0)
    if surface.kind == Surface.TORUS:
        return bool(np.hypot(np.hypot(x[0], x[1]) - s[0], x[2]) > s[1])
    z = x[2]
    if surface.kind == Surface.CYLINDER:
        z = 0.0
    elif surface.kind == Surface.CAPSULE:
        z = x[2] - min(max(x[2], -s[1]), 0.0)
    return bool(x[0] ** 2 + x[1] ** 2 + z * z > s[0] ** 2)


def _surface(surface: WrapSurface, rounding: float | None, n: int, length: float) -> tuple[object, ...]:
    """A record: the barrier carries a string of this length at the surface itself, where its length is exact."""
    r = radius(surface)
    soft = ROUNDING * r if rounding is None else rounding
    strength = length * length / (r * AT_SURFACE)
    shift = length * length / (24.0 * n * n * r) - soft * STORED / AT_SURFACE
    pose = (*surface.rotation, *surface.origin)
    return int(surface.kind), surface.size, soft, strength, shift, surface.frame, pose


def _first_string(
    path: MusclePath, wraps: list[Wrap], ends: Floats, poses: Floats, segments: int | None
) -> Floats:
    """The exact path between two points, in equal steps: where the string's first search begins."""
    points = tuple(PathPoint(-1, (float(x[0]), float(x[1]), float(x[2]))) for x in ends)
    alone = MusclePath(path.name, points, path.surfaces, tuple(Wrap(w.surface, 0, 1, w.side) for w in wraps))
    n = segments
    if n is None:
        length = exact.evaluate(alone, poses).length
        smallest = min(radius(path.surfaces[w.surface]) for w in wraps)
        n = int(np.clip(np.ceil(_PER_RADIUS * length / smallest), _FEWEST, _MOST))
    found = exact.evaluate(alone, poses, np.linspace(0.0, 1.0, n + 1)).points
    found[0], found[-1] = ends
    return found
