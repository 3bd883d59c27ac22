"""Which surfaces a path slides over in a pose, between which of its points, and in which order.

Several surfaces on one muscle are settled in turn, each between the points and the tangent points of the others, as
OpenSim does it and for as long as it does; then all arcs between two path points are solved together (`chain.py`), so
that the result is exact.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..records import MusclePath
from . import chain
from .choice import Outcome, choose
from .geodesic import follow

_ROUNDS = 8
_SETTLED = 5e-4
"""Change of length between two rounds [m] with which the surfaces are settled: OpenSim's, so that where a path goes
from one way to another in turn, it ends with the same."""
_GOOD = 1e-10


@dataclass
class Leg:
    """The way between two neighbouring points of a path."""

    first: int
    last: int
    wraps: list[int] = field(default_factory=list)
    """Which of the path's wraps each arc belongs to, in order."""
    arcs: Any = None
    """Rows of seven, in the surfaces' frames."""
    frames: Any = None
    """Rows of `chain.WIDTH`, in the world."""
    J: Any = None


@dataclass
class Route:
    legs: list[Leg]

    @property
    def wrapped(self) -> tuple[int, ...]:
        seen: list[int] = []
        for leg in self.legs:
            seen += [w for w in leg.wraps if w not in seen]
        return tuple(seen)


@dataclass
class _Stop:
    """A corner of the path: one of its points, or one of the two tangent points on a surface."""

    position: Any
    point: int = -1
    wrap: int = -1
    arcs: Any = None


def _arc_ends(arcs: Any, kind: int, size: Any, pose: Any) -> tuple[Any, Any, float]:
    from_start = np.empty((1, 8))
    follow(int(kind), size, arcs[-1, :3], arcs[-1, 3:6], arcs[-1, 6:7], from_start)
    R = pose[:9].reshape(3, 3)
    inner = float(arcs[:, 6].sum())
    for k in range(len(arcs) - 1):
        rows = np.empty((1, 8))
        follow(int(kind), size, arcs[k, :3], arcs[k, 3:6], arcs[k, 6:7], rows)
        inner += float(np.linalg.norm(arcs[k + 1, :3] - rows[0, :3]))
    return R @ arcs[0, :3] + pose[9:12], R @ from_start[0, :3] + pose[9:12], inner


def _local(pose: Any, x: Any) -> Any:
    return pose[:9].reshape(3, 3).T @ (x - pose[9:12])


def find(path: MusclePath, active: list[int], X: Any, poses: Any) -> Route:
    """Route through the points `active` at X (np, 3), with the surfaces at poses (ns, 12), all in the world."""
    stops = [_Stop(X[i], point=i) for i in active]
    order = list(range(len(path.wraps)))
    rounds = 1 if len(order) < 2 else _ROUNDS
    last, known = np.inf, dict[int, tuple[Any, Any]]()
    for turn in range(rounds):
        outcomes = [_settle(path, stops, w, active, poses) for w in order]
        total = _length(path, stops, poses, known)
        if abs(total - last) < _SETTLED:
            break
        last = total
        if turn == 0 and len(order) > 1 and outcomes[0] is Outcome.MISSES and outcomes[1] is Outcome.INSIDE:
            order[0], order[1] = order[1], order[0]
            stops[:] = [stop for stop in stops if stop.wrap != 0]
    legs: list[Leg] = []
    for stop in stops:
        if stop.point >= 0:
            if legs:
                legs[-1].last = stop.point
            legs.append(Leg(stop.point, -1))
        elif stop.arcs is not None:
            leg = legs[-1]
            leg.wraps += [stop.wrap] * len(stop.arcs)
            leg.arcs = stop.arcs if leg.arcs is None else np.vstack([leg.arcs, stop.arcs])
    legs.pop()
    for leg in legs:
        solve_leg(path, leg, X, poses)
    return Route(legs)


def _settle(path: MusclePath, stops: list[_Stop], w: int, active: list[int], poses: Any) -> Outcome | None:
    """Put one wrap into the row of stops, or take it out."""
    stops[:] = [stop for stop in stops if stop.wrap != w]
    wrap = path.wraps[w]
    surface = path.surfaces[wrap.surface]
    if not surface.active:
        return None
    end = len(path.points) - 1 if wrap.last < 0 else wrap.last
    inside = [i for i in active if wrap.first <= i <= end]
    if not inside:
        return None
    points = [stop.point for stop in stops]
    begin, stop_at = points.index(inside[0]), points.index(inside[-1])
    pose, size = poses[wrap.surface], np.asarray(surface.size, float)
    best: tuple[float, int, Any] | None = None
    outcome = None
    for k in range(begin, stop_at):
        if stops[k].wrap >= 0 and stops[k].wrap == stops[k + 1].wrap:
            continue
        a, b = _local(pose, stops[k].position), _local(pose, stops[k + 1].position)
        choice = choose(surface, wrap, a, b)
        outcome = choice.outcome
        if choice.arcs is None:
            continue
        if outcome is Outcome.PIERCES:
            best = (0.0, k, choice.arcs)
            break
        p, q, inner = _arc_ends(choice.arcs, surface.kind, size, pose)
        detour = float(
            np.linalg.norm(p - stops[k].position) + inner + np.linalg.norm(stops[k + 1].position - q)
            - np.linalg.norm(stops[k + 1].position - stops[k].position)
        )  # fmt: skip
        if best is None or detour < best[0]:
            best = (detour, k, choice.arcs)
    if best is not None:
        _, k, arcs = best
        p, q, _ = _arc_ends(arcs, surface.kind, size, pose)
        stops[k + 1 : k + 1] = [_Stop(p, wrap=w, arcs=arcs), _Stop(q, wrap=w)]
    return outcome


def _length(path: MusclePath, stops: list[_Stop], poses: Any, known: dict[int, tuple[Any, Any]]) -> float:
    """Length by which OpenSim judges whether surfaces are settled: arcs as they are, but straight pieces between the
    tangent points that a surface had when it was first part of the path, which are in `known`."""
    total = 0.0
    for one, two in zip(stops, stops[1:], strict=False):
        if one.wrap >= 0 and one.wrap == two.wrap:
            surface = path.surfaces[path.wraps[one.wrap].surface]
            size = np.asarray(surface.size, float)
            total += _arc_ends(one.arcs, surface.kind, size, poses[path.wraps[one.wrap].surface])[2]
            known.setdefault(one.wrap, (one.position, two.position))
    at = None
    for stop in stops:
        first = stop.arcs is not None
        x = stop.position if stop.wrap < 0 else known[stop.wrap][0 if first else 1]
        if at is not None and (stop.wrap < 0 or first):
            total += float(np.linalg.norm(x - at))
        at = x
    return total


def _chain_arrays(path: MusclePath, leg: Leg, poses: Any) -> tuple[Any, Any, Any]:
    surfaces = [path.wraps[w].surface for w in leg.wraps]
    kinds = np.array([int(path.surfaces[s].kind) for s in surfaces])
    sizes = np.array([path.surfaces[s].size for s in surfaces], float)
    return kinds, sizes, np.ascontiguousarray(poses[surfaces])


def solve_leg(path: MusclePath, leg: Leg, X: Any, poses: Any, keep: bool = False) -> float:
    """Solve the arcs of a leg together, letting go those that do not touch unless `keep`; returns the residual."""
    while leg.wraps:
        m = len(leg.wraps)
        kinds, sizes, where = _chain_arrays(path, leg, poses)
        arcs = np.array(leg.arcs, float)
        frames, J = np.empty((m, chain.WIDTH)), np.empty((4 * m, 4 * m))
        worst = chain.solve(X[leg.first], X[leg.last], kinds, sizes, where, arcs, frames, J)
        if keep or (worst < _GOOD and (arcs[:, 6] >= 0.0).all()):
            leg.arcs, leg.frames, leg.J = arcs, frames, J
            return float(worst)
        if worst < _GOOD:
            drop = int(np.argmin(arcs[:, 6]))
            kept = arcs
        else:  # the shortest guess is the likeliest to be none
            drop = int(np.argmin(leg.arcs[:, 6]))
            kept = leg.arcs
        leg.wraps.pop(drop)
        leg.arcs = np.delete(kept, drop, axis=0)
    leg.arcs = None
    return 0.0
