"""One smooth path in one pose, in the terms of the exact one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ....algebra.se3 import exp, pose_matrix, pose_row
from ....model.records import Floats
from ...records import MusclePath, PathPoint, PathShape
from ..exact import point_positions
from .follow import follow
from .pack import Given, MassPoint, pack_paths, put_anew
from .packed import Followed, Motion, Paths

_STEP = 1e-3
"""Of the differences for the time derivative, in radians of the fastest frame; of fourth order."""


def evaluate(
    path: MusclePath,
    poses: Any,
    alphas: Any = (),
    q: Any = (),
    twists: Any = None,
    qdot: Any = None,
    rounding: float | None = None,
    segments: int | None = None,
) -> PathShape:
    """The smooth path with frames at poses (nf, 12): see `PathShape`, and `exact.evaluate` for the arguments.

    rounding [m]: how far above a surface the path begins to feel it. segments: of the string over surfaces.
    """
    poses = np.asarray(poses, float).reshape(-1, 12)
    q = np.asarray(q, float)
    masses = [MassPoint(1.0, float(alpha)) for alpha in alphas]
    fixed, X = _without_movers(path, poses, q)
    given = Given(fixed, masses, rounding, segments)
    size = 6 * len(poses) + len(path.coordinates)
    everything = np.arange(size)
    frames = np.concatenate([poses, _frames_of_movers(path, poses, X)])
    paths = pack_paths([given], frames, q, lambda _: everything)
    shape = _shape(path, fixed, paths, poses, frames, q)
    if twists is None:
        return shape
    twists = np.asarray(twists, float)
    rates = np.zeros(len(q)) if qdot is None else np.asarray(qdot, float)
    speed = max(
        float(np.abs(twists[:, :3]).max(initial=0.0)),
        float(np.abs(twists[:, 3:]).max(initial=0.0)) / max(shape.length, 1e-9),
        float(np.abs(rates).max(initial=0.0)),
        1e-9,
    )
    h = _STEP / speed
    rate, moving = np.zeros_like(shape.jacobian), np.zeros_like(shape.coordinate_jacobian)
    for k, weight in ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0)):
        there = np.array(
            [pose_row(pose_matrix(E) @ exp(k * h * V)) for E, V in zip(poses, twists, strict=True)]
        ).reshape(-1, 12)
        q_there = q + k * h * rates
        _, X = _without_movers(path, there, q_there)
        near = _shape(
            path, fixed, paths, there, np.concatenate([there, _frames_of_movers(path, there, X)]), q_there
        )
        rate += weight / (12.0 * h) * near.jacobian
        moving += weight / (12.0 * h) * near.coordinate_jacobian
    return replace(shape, jacobian_rate=rate, coordinate_jacobian_rate=moving)


def _without_movers(path: MusclePath, poses: Floats, q: Floats) -> tuple[MusclePath, Floats]:
    """The path with each moving point at the origin of a frame of its own; and all points in the world."""
    X, _ = point_positions(path, poses, q)
    points, number = [], len(poses)
    for point in path.points:
        if point.movers is None:
            points.append(point)
        else:
            points.append(PathPoint(number, (0.0, 0.0, 0.0), None, point.active))
            number += 1
    return replace(path, points=tuple(points)), X


def _frames_of_movers(path: MusclePath, poses: Floats, X: Floats) -> Floats:
    rows = [np.zeros((0, 12))]
    for i, point in enumerate(path.points):
        if point.movers is not None:
            R = np.eye(3).ravel() if point.frame < 0 else poses[point.frame, :9]
            rows.append(np.concatenate([R, X[i]])[None])
    return np.concatenate(rows)


def _motion(path: MusclePath, poses: Floats, frames: Floats, q: Floats) -> Motion:
    """Each frame moves with its own twist, and the points that move, with their coordinates as well."""
    nf, size = len(poses), 6 * len(poses) + len(path.coordinates)
    turn, shift = np.zeros((len(frames), 3, size)), np.zeros((len(frames), 3, size))
    for f in range(nf):
        R = poses[f, :9].reshape(3, 3)
        turn[f, :, 6 * f : 6 * f + 3] = R
        shift[f, :, 6 * f + 3 : 6 * f + 6] = R
    number = nf
    for point in path.points:
        if point.movers is None:
            continue
        R = np.eye(3)
        if point.frame >= 0:
            f = point.frame
            R = poses[f, :9].reshape(3, 3)
            turn[number] = turn[f]
            arm = frames[number, 9:] - poses[f, 9:]
            shift[number] = shift[f] + np.cross(turn[f], arm, axisa=0, axisb=0, axisc=0)
        for k, mover in enumerate(point.movers):
            if mover.coordinate >= 0:
                column = 6 * nf + path.coordinates.index(mover.coordinate)
                shift[number, :, column] += R[:, k] * mover.curve(q[mover.coordinate], 1)
        number += 1
    still = np.zeros((len(frames), 3))
    return Motion(frames, turn, shift, still, still, q if len(q) else np.zeros(1), np.zeros(size))


def room_for(paths: Paths, coordinates: int, across: bool = False) -> Followed:
    """Arrays for what `follow` finds."""
    n, m = len(paths.paths), len(paths.masses)
    most = int(paths.paths["columns"].max(initial=0)) if across else 0
    return Followed(
        np.zeros(n), np.zeros((n, coordinates)), np.zeros(n), np.zeros((m, 3)), np.zeros((m, 3, coordinates)),
        np.zeros((m, 3)), np.zeros((n if across else 0, most, most)), np.zeros(n, np.int64),
    )  # fmt: skip


def _shape(
    path: MusclePath, fixed: MusclePath, paths: Paths, poses: Floats, frames: Floats, q: Floats
) -> PathShape:
    nf, n = len(poses), 6 * len(poses)
    out = room_for(paths, n + len(path.coordinates))
    motion = _motion(path, poses, frames, q)
    follow(paths, motion, False, -1, out)
    if out.settled[0] < 0:
        put_anew(paths, 0, fixed, frames, q)
        follow(paths, motion, False, 0, out)
    m = len(out.points)
    return PathShape(
        length=float(out.length[0]),
        gradient=out.gradient[0, :n].reshape(nf, 6),
        points=out.points,
        jacobian=out.jacobian[:, :, :n].reshape(m, 3, nf, 6),
        coordinate_gradient=out.gradient[0, n:],
        coordinate_jacobian=out.jacobian[:, :, n:],
    )
