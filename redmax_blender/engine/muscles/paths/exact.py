"""The exact path in a pose: length, points at fractions of it, and their Jacobians (thesis, Eq. 5.8-5.37 and 5.38).

A point at the fraction α of the length is where the material at that fraction is when the muscle stretches evenly. Its
velocity follows from those of the frames by implicit differentiation: what the arcs do when an end or a surface moves
is one linear solve with the Jacobian that Newton's method ended with.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...algebra.se3 import exp, pose_matrix, pose_row
from ..records import WORLD, MusclePath, PathShape
from . import chain, geodesic
from .route import Leg, Route, find, solve_leg

_STEP = 1e-4
"""Of the differences for the time derivative, in radians of the fastest frame: fourth order, so good to 1e-9 even where
the straight pieces are short."""


class _Parameters:
    """Columns of a derivative: six for the twist of each frame, one for each coordinate that moves points."""

    def __init__(self, path: MusclePath, poses: Any) -> None:
        self.poses = poses
        self.frames = len(poses)
        self.coordinates = path.coordinates
        self.size = 6 * self.frames + len(self.coordinates)

    def motion(self, frame: int, x: Any) -> Any:
        """Velocity of the point at x in the world that is fixed to a frame, (3, size)."""
        D = np.zeros((3, self.size))
        if frame != WORLD:
            R = self.poses[frame, :9].reshape(3, 3)
            r = x - self.poses[frame, 9:12]
            for k in range(3):
                D[:, 6 * frame + k] = np.cross(R[:, k], r)
            D[:, 6 * frame + 3 : 6 * frame + 6] = R
        return D

    def turning(self, frame: int) -> Any:
        """Angular velocity of a frame in the world, (3, size)."""
        W = np.zeros((3, self.size))
        if frame != WORLD:
            W[:, 6 * frame : 6 * frame + 3] = self.poses[frame, :9].reshape(3, 3)
        return W


def point_positions(path: MusclePath, poses: Any, q: Any) -> tuple[Any, list[int]]:
    """All points in the world (np, 3), and the indices of those that are active."""
    X = np.zeros((len(path.points), 3))
    active = []
    for i, point in enumerate(path.points):
        local = np.array(point.location)
        if point.movers is not None:
            local = np.array([m.curve(q[m.coordinate] if m.coordinate >= 0 else 0.0) for m in point.movers])
        X[i] = (
            local
            if point.frame == WORLD
            else poses[point.frame, :9].reshape(3, 3) @ local + poses[point.frame, 9:12]
        )
        if point.active is None or point.active[1] - 1e-5 <= q[point.active[0]] <= point.active[2] + 1e-5:
            active.append(i)
    return X, active


def surface_poses(path: MusclePath, poses: Any) -> Any:
    """Of the path's surfaces in the world, (ns, 12)."""
    out = np.zeros((len(path.surfaces), 12))
    for i, surface in enumerate(path.surfaces):
        local = np.concatenate([surface.rotation, surface.origin])
        out[i] = (
            local
            if surface.frame == WORLD
            else pose_row(pose_matrix(poses[surface.frame]) @ pose_matrix(local))
        )
    return out


def _point_motion(path: MusclePath, i: int, X: Any, par: _Parameters, q: Any) -> Any:
    point = path.points[i]
    D = par.motion(point.frame, X[i])
    if point.movers is not None:
        R = np.eye(3) if point.frame == WORLD else par.poses[point.frame, :9].reshape(3, 3)
        for k, mover in enumerate(point.movers):
            if mover.coordinate >= 0:
                column = 6 * par.frames + par.coordinates.index(mover.coordinate)
                D[:, column] += R[:, k] * mover.curve(q[mover.coordinate], 1)
    return D


class _Piece:
    """A straight or curved piece with its beginning, length and their derivatives."""

    def __init__(self, length: float, change: Any) -> None:
        self.length, self.change = length, change


class _Straight(_Piece):
    def __init__(self, a: Any, Da: Any, b: Any, Db: Any) -> None:
        d = b - a
        size = float(np.linalg.norm(d))
        self.e = d / size if size > 0.0 else np.zeros(3)
        self.a, self.Da, self.Db = a, Da, Db
        super().__init__(size, self.e @ (Db - Da))

    def at(self, u: float, du: Any) -> tuple[Any, Any]:
        across = (self.Db - self.Da) / self.length
        across = across - np.outer(self.e, self.e @ across)
        return self.a + u * self.e, self.Da + np.outer(self.e, du) + u * across


class _Arc(_Piece):
    def __init__(
        self, kind: int, size: Any, pose: Any, arc: Any, frame: int, du: Any, par: _Parameters
    ) -> None:
        self.kind, self.size, self.pose, self.arc = kind, size, pose, arc
        self.frame, self.x, self.par = frame, du, par
        super().__init__(float(arc[6]), du[3])

    def at(self, u: float, du: Any) -> tuple[Any, Any]:
        row = np.empty((1, 8))
        geodesic.follow(self.kind, self.size, self.arc[:3], self.arc[3:6], np.array([u]), row)
        R = self.pose[:9].reshape(3, 3)
        n = np.empty(3)
        geodesic.upright(self.kind, self.size, row[0, :3], n)
        q, v = R @ row[0, :3] + self.pose[9:12], R @ row[0, 3:6]
        b = R @ np.cross(n, row[0, 3:6])
        aside = row[0, 6] * self.x[1] + row[0, 7] * self.x[2]
        return q, self.par.motion(self.frame, q) + np.outer(v, self.x[0] + du) + np.outer(b, aside)


def _arc_motion(
    path: MusclePath, leg: Leg, X: Any, par: _Parameters, ends: tuple[Any, Any]
) -> tuple[Any, list[Any]]:
    """(ξ, β, φ, ℓ) of each arc by the parameters, (m, 4, size), and the motion of the surfaces' material at both ends
    of each arc."""
    m = len(leg.wraps)
    F = np.zeros((4 * m, par.size))
    frames = [path.surfaces[path.wraps[w].surface].frame for w in leg.wraps]
    material = [
        (par.motion(frames[i], leg.frames[i, 0:3]), par.motion(frames[i], leg.frames[i, 12:15]))
        for i in range(m)
    ]
    for i in range(m):
        f = leg.frames[i]
        W = par.turning(frames[i])
        before, Dbefore = (
            (X[leg.first], ends[0]) if i == 0 else (leg.frames[i - 1, 12:15], material[i - 1][1])
        )
        after, Dafter = (X[leg.last], ends[1]) if i == m - 1 else (leg.frames[i + 1, 0:3], material[i + 1][0])
        for row, x0, D0, x1, D1, axes in (
            (0, before, Dbefore, f[0:3], material[i][0], (f[6:9], f[9:12])),
            (2, f[12:15], material[i][1], after, Dafter, (f[18:21], f[21:24])),
        ):
            d = x1 - x0
            size = max(float(np.linalg.norm(d)), 1e-300)
            e = d / size
            for k, axis in enumerate(axes):
                across = (axis - (axis @ e) * e) / size
                F[4 * i + row + k] = across @ (D1 - D0) + np.cross(axis, e) @ W
    return -np.linalg.solve(leg.J, F).reshape(m, 4, par.size), material


def _pieces(
    path: MusclePath, route: Route, X: Any, where: Any, par: _Parameters, q: Any
) -> tuple[list[Any], Any]:
    """Pieces along the path, and dL: the length changes only by what the straight pieces' ends are fixed to."""
    pieces: list[Any] = []
    gradient = np.zeros(par.size)
    for leg in route.legs:
        ends = (_point_motion(path, leg.first, X, par, q), _point_motion(path, leg.last, X, par, q))
        at, D, D_fixed = X[leg.first], ends[0], ends[0]
        if leg.wraps:
            moves, material = _arc_motion(path, leg, X, par, ends)
        for i, w in enumerate(leg.wraps):
            f, x = leg.frames[i], moves[i]
            begin = material[i][0] + np.outer(f[3:6], x[0]) + np.outer(f[6:9], x[1])
            pieces.append(_Straight(at, D, f[0:3], begin))
            gradient += pieces[-1].e @ (material[i][0] - D_fixed)
            surface = path.surfaces[path.wraps[w].surface]
            pieces.append(
                _Arc(int(surface.kind), np.asarray(surface.size, float), where[path.wraps[w].surface],
                     leg.arcs[i], surface.frame, x, par)
            )  # fmt: skip
            aside = f[chain.FIELD] * x[1] + f[chain.FIELD + 1] * x[2]
            at, D_fixed = f[12:15], material[i][1]
            D = D_fixed + np.outer(f[15:18], x[0] + x[3]) + np.outer(f[18:21], aside)
        pieces.append(_Straight(at, D, X[leg.last], ends[1]))
        gradient += pieces[-1].e @ (ends[1] - D_fixed)
    return pieces, gradient


def shape(path: MusclePath, route: Route, poses: Any, alphas: Any, q: Any) -> PathShape:
    """Length, points and Jacobians along a solved route."""
    X, _ = point_positions(path, poses, q)
    par = _Parameters(path, poses)
    pieces, gradient = _pieces(path, route, X, surface_poses(path, poses), par, q)
    total = sum(piece.length for piece in pieces)
    starts = np.concatenate([[0.0], np.cumsum([piece.length for piece in pieces])])
    changes = np.concatenate([np.zeros((1, par.size)), np.cumsum([piece.change for piece in pieces], axis=0)])
    points, J = np.zeros((len(alphas), 3)), np.zeros((len(alphas), 3, par.size))
    for k, alpha in enumerate(alphas):
        s = alpha * total
        i = min(int(np.searchsorted(starts, s, side="right")) - 1, len(pieces) - 1)
        while i > 0 and pieces[i].length == 0.0:
            i -= 1
        points[k], J[k] = pieces[i].at(s - starts[i], alpha * gradient - changes[i])
    n = 6 * par.frames
    corners = [X[route.legs[0].first]]
    for leg in route.legs:
        for i in range(len(leg.wraps)):
            corners += [leg.frames[i, 0:3], leg.frames[i, 12:15]]
        corners.append(X[leg.last])
    return PathShape(
        length=float(total),
        gradient=gradient[:n].reshape(par.frames, 6),
        points=points,
        jacobian=J[:, :, :n].reshape(len(alphas), 3, par.frames, 6),
        coordinate_gradient=gradient[n:],
        coordinate_jacobian=J[:, :, n:],
        wrapped=route.wrapped,
        corners=np.array(corners),
    )


def _moved(poses: Any, twists: Any, h: float) -> Any:
    return np.array(
        [pose_row(pose_matrix(E) @ exp(h * np.asarray(V))) for E, V in zip(poses, twists, strict=True)]
    )


def _again(path: MusclePath, route: Route, poses: Any, q: Any) -> Route:
    """The same surfaces in another pose nearby, whether they still touch or not."""
    X, _ = point_positions(path, poses, q)
    where = surface_poses(path, poses)
    legs = [Leg(leg.first, leg.last, list(leg.wraps), leg.arcs) for leg in route.legs]
    for leg in legs:
        if leg.wraps:
            solve_leg(path, leg, X, where, keep=True)
    return Route(legs)


def evaluate(
    path: MusclePath,
    poses: Any,
    alphas: Any = (),
    q: Any = (),
    twists: Any = None,
    qdot: Any = None,
) -> PathShape:
    """The exact path with frames at poses (nf, 12): see `PathShape`.

    `q` are coordinates that moving and conditional points refer to. With `twists` (nf, 6), and `qdot` where points
    move, the time derivative of the Jacobians is computed as well, with the surfaces that the path touches now.
    """
    poses = np.asarray(poses, float).reshape(-1, 12)
    X, active = point_positions(path, poses, q)
    route = find(path, active, X, surface_poses(path, poses))
    result = shape(path, route, poses, alphas, q)
    if twists is not None:
        twists = np.asarray(twists, float)
        q, rates = np.asarray(q, float), np.zeros(len(q)) if qdot is None else np.asarray(qdot, float)
        speed = max(float(np.abs(twists[:, :3]).max(initial=0.0)), 1e-12)
        speed = max(speed, float(np.abs(twists[:, 3:]).max(initial=0.0)) / max(result.length, 1e-9), 1e-9)
        speed = max(speed, float(np.abs(rates).max(initial=0.0)))
        h = _STEP / speed
        rate = np.zeros_like(result.jacobian)
        moving = np.zeros_like(result.coordinate_jacobian)
        for k, weight in ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0)):
            there = _moved(poses, twists, k * h)
            q_there = q + k * h * rates
            near = shape(path, _again(path, route, there, q_there), there, alphas, q_there)
            rate += weight / (12.0 * h) * near.jacobian
            moving += weight / (12.0 * h) * near.coordinate_jacobian
        result.jacobian_rate, result.coordinate_jacobian_rate = rate, moving
    return result
