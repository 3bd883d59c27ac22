"""Parts that lie about are pulled together until all connections hold: the nearest arrangement that is found.

Every part may move, those that are anchored excepted. Levenberg and Marquardt's method goes from where the parts are;
where that ends in a corner, from other arrangements of a tree of the connections. What is found is then moved along the
arrangements that hold as near as it can be to where the parts were. If there is none, the connections that are left
open are named: they are in each other's way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from ..bodies.inertia import body_mass
from ..model.records import Floats
from .gaps import Gaps, gaps_of
from .parts import Body, Connection
from .scatter import Scatter
from .spread import Spread

HOLDS = 1e-11
"""Sizes of the scene by which a connection may be open."""
OPEN = 1e-6
"""Sizes of the scene, or angles, from which a connection that is open is named."""
_MOST = 150
"""Steps of one search."""
_STUCK = 12
"""Steps without a tenth of progress after which a search is given up."""
_AHEAD = 0.1
"""Part of a step over which its curvature is seen."""
_SURE = 12
"""Searches that end in the same best arrangement before it is taken for the best that there is."""
_NEARER = 60
"""Steps towards where the parts were, at most."""


@dataclass(frozen=True)
class Fight:
    """A connection that does not hold in the best arrangement."""

    name: str
    distance: float
    """By how much [m]."""
    angle: float
    """[rad]"""


@dataclass(frozen=True)
class Assembled:
    """Where the parts belong."""

    poses: dict[str, Floats]
    """World pose of each part's shape, shape (4, 4)."""
    fights: list[Fight]
    """Connections that are in each other's way, the worst first; none where all hold."""
    searches: int
    """How many arrangements were begun from."""


def pull_together(
    bodies: Sequence[Body], connections: Sequence[Connection], *, effort: int = 3000, seed: int = 0
) -> Assembled:
    """Where the parts are when all connections hold. Gives up after about so many steps; the same parts give the same
    arrangement each time."""
    number: dict[str | None, int] = {body.name: i for i, body in enumerate(bodies)}
    number[None] = len(bodies)
    T = np.stack([*(body.pose for body in bodies), np.eye(4)])
    still = np.array([*(body.anchored for body in bodies), True])
    size = _size(bodies, connections, number)
    gaps = gaps_of(connections, number, T, size)
    weights = np.array([_reach(body) for body in bodies] + [1.0])
    search = _Search(gaps, Scatter(gaps.parts, still, size), T, weights)
    found = search.go(effort, np.random.default_rng(seed), still)
    poses = {body.name: found[i] for i, body in enumerate(bodies)}
    return Assembled(poses, [gap for gap in _open(gaps, found) if _counts(gap, size)], search.count)


def gaps_between(bodies: Sequence[Body], connections: Sequence[Connection]) -> tuple[list[Fight], float]:
    """How far connections are open where the parts are now, the worst first; and the size of the scene [m]."""
    number: dict[str | None, int] = {body.name: i for i, body in enumerate(bodies)}
    number[None] = len(bodies)
    T = np.stack([*(body.pose for body in bodies), np.eye(4)])
    size = _size(bodies, connections, number)
    return _open(gaps_of(connections, number, T, size), T), size


def _size(bodies: Sequence[Body], connections: Sequence[Connection], number: dict[str | None, int]) -> float:
    """Of the parts and of how far connections are from their middles, not of how far apart they lie [m]."""
    reach = [_reach(body) for body in bodies]
    for c in connections:
        for end, pose in ((c.a, c.pose), (c.b, c.pose if c.pose_b is None else c.pose_b)):
            if end is not None:
                reach.append(float(np.linalg.norm(pose[:3, 3] - bodies[number[end]].pose[:3, 3])))
    return max(reach, default=1.0) or 1.0


def _reach(body: Body) -> float:
    """Radius of gyration [m]."""
    mass = body_mass(body.shape, body.density, body.mass, f"body '{body.name}'")
    return float(np.sqrt(mass.moments.max() / mass.mass))


class _Search:
    def __init__(self, gaps: Gaps, scatter: Scatter, T: Floats, weights: Floats) -> None:
        self.gaps, self.scatter, self.begin = gaps, scatter, T
        self.turning = weights / gaps.size
        """What a radian of a part weighs against a size of the scene, shape (np + 1,)."""
        self.count = self.steps = 0

    def go(self, effort: int, rng: np.random.Generator, still: NDArray[np.bool_]) -> Floats:
        best, least = self.descend(self.begin)
        spread = Spread(self.gaps, still)
        ends = [least]
        while least > HOLDS and self.steps < effort and _alike(ends) < _SURE:
            tried, error = self.descend(spread.arrange(self.begin, rng))
            ends.append(error)
            if error < least:
                best, least = tried, error
        return self.nearer(best) if least <= HOLDS else best

    def descend(self, T: Floats) -> tuple[Floats, float]:
        """Poses with the least gaps that can be reached from there, and the largest gap.

        Steps bend with the valley that they follow (Transtrum and Sethna's geodesic acceleration).
        """
        self.count += 1
        damping, grow, mark, since = 1e-2, 2.0, float("inf"), 0
        e, J = self.gaps.errors(T)
        cost = float(np.sum(e * e))
        H, g = self.scatter.normal(e, J)
        for _ in range(_MOST):
            if float(np.abs(e).max(initial=0.0)) <= 0.01 * HOLDS or damping > 1e8:
                break
            self.steps += 1
            step = self._bent(T, e, J, H, g, damping)
            moved = self.scatter.moved(T, -step)
            e_new, J_new = self.gaps.errors(moved)
            new = float(np.sum(e_new * e_new))
            foreseen = float(2.0 * step @ g - step @ H @ step)
            if not new < cost:
                damping, grow = damping * grow, 2.0 * grow
                continue
            gain = (cost - new) / max(foreseen, 1e-300)
            damping, grow = max(damping * max(0.1, 1.0 - (2.0 * min(gain, 1.0) - 1.0) ** 3), 1e-14), 2.0
            T, e, J, cost = moved, e_new, J_new, new
            H, g = self.scatter.normal(e, J)
            since = 0 if cost < 0.8 * mark else since + 1
            mark = cost if since == 0 else mark
            if since > _STUCK:
                break
        return T, float(np.abs(e).max(initial=0.0))

    def _bent(self, T: Floats, e: Floats, J: Floats, H: Floats, g: Floats, damping: float) -> Floats:
        """A step, and half of how it should turn."""
        solve = _factored(H, damping)
        step = solve(g)
        ahead = self.gaps.errors(self.scatter.moved(T, -_AHEAD * step), slopes=False)[0]
        bend = (2.0 / _AHEAD) * ((ahead - e) / _AHEAD + self.scatter.along(J, step))
        turn = solve(self.scatter.back(J, bend))
        short = 2.0 * float(np.linalg.norm(turn)) < 0.75 * float(np.linalg.norm(step))
        return step + 0.5 * turn if short else step

    def nearer(self, T: Floats) -> Floats:
        """As near to where the parts were as the connections let them be, along the way."""
        away = self.scatter.away(T, self.begin, self.turning)
        length = 1.0
        for _ in range(_NEARER):
            _, J = self.gaps.errors(T)
            step = self.scatter.within(J, away, self.turning)
            if float(np.linalg.norm(step)) < 1e-7 * max(float(np.linalg.norm(away)), 1.0):
                break
            while length > 1e-3:
                tried, error = self.close(self.scatter.moved(T, step * length))
                farther = self.scatter.away(tried, self.begin, self.turning)
                if error <= HOLDS and float(farther @ farther) < float(away @ away):
                    break
                length *= 0.5
            if length <= 1e-3:
                break
            done = float(away @ away) - float(farther @ farther) < 1e-10 * float(away @ away)
            T, away, length = tried, farther, min(1.0, 2.0 * length)
            if done:
                break
        return T

    def close(self, T: Floats) -> tuple[Floats, float]:
        """Newton's way onto the connections, as short as it can be."""
        error = np.inf
        for left in range(8, -1, -1):
            e, J = self.gaps.errors(T)
            error = float(np.abs(e).max(initial=0.0))
            if error <= 0.01 * HOLDS or error > 10.0 or not left:
                break
            H, g = self.scatter.normal(e, J)
            T = self.scatter.moved(T, -_factored(H, 1e-13)(g))
        return T, error


def _alike(ends: Sequence[float]) -> int:
    """How many searches ended as well as the best one did."""
    return sum(end < 1.01 * min(ends) for end in ends)


def _factored(H: Floats, damping: float) -> Callable[[Floats], Floats]:
    """Solves with a damped matrix."""
    if not len(H):
        return lambda g: g
    A = H + (damping * max(float(np.trace(H)) / len(H), 1e-30)) * np.eye(len(H))
    try:
        factor = scipy.linalg.cho_factor(A, check_finite=False)
    except np.linalg.LinAlgError:
        return lambda g: np.asarray(np.linalg.lstsq(A, g, rcond=None)[0])
    return lambda g: np.asarray(scipy.linalg.cho_solve(factor, g, check_finite=False))


def _open(gaps: Gaps, T: Floats) -> list[Fight]:
    """By how much each connection is open, the worst first."""
    e = gaps.errors(T, slopes=False)[0]
    length = gaps.size * np.hypot(np.linalg.norm(e[:, :3], axis=1), np.linalg.norm(e[:, 6:9], axis=1))
    angle = np.hypot(np.linalg.norm(e[:, 3:6], axis=1), np.linalg.norm(e[:, 9:], axis=1))
    worst = np.maximum(length / gaps.size, angle)
    return [Fight(gaps.names[i], float(length[i]), float(angle[i])) for i in np.argsort(-worst).tolist()]


def _counts(gap: Fight, size: float) -> bool:
    return max(gap.distance / size, gap.angle) > OPEN
