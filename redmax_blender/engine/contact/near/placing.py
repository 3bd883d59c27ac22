"""Where the pieces are, how they move, and the boxes that they stay in over a step."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...algebra import se3
from ...model.curves import evaluate
from ...model.records import Floats
from ...model.state import State
from ...tree.kinematics import Kinematics
from ..shapes.surfaces import Surfaces
from .between import with_middles
from .carry import carry


@dataclass(frozen=True)
class Placed:
    """The pieces of a model at the start of a step."""

    E: Floats
    """Poses in the world, shape (np, 12)."""
    v: Floats
    """Velocity of the middle [m/s], shape (np, 3)."""
    w: Floats
    """Angular velocity in the world [rad/s], shape (np, 3)."""
    a: Floats
    """Acceleration of the middle at constant joint velocities [m/s²], shape (np, 3)."""
    low: Floats
    """Low corner of the box that each stays in [m], shape (np, 3)."""
    high: Floats
    reach: Floats
    """Radius of a ball around each [m], shape (np,)."""
    slack: Floats
    """Distance [m] at which each is looked at whatever its velocity, shape (np,)."""
    collider: Floats
    """Poses of the colliders now, and at the end of the step, shape (ncol, 24)."""


def place_pieces(
    surfaces: Surfaces, gravity: Floats, state: State, kin: Kinematics, h: float, V: Floats | None = None
) -> Placed:
    """Of all pieces; V are the twists of the links where they are not those of `kin`, shape (nl, 6)."""
    n = len(surfaces)
    collider, twist = collider_poses(surfaces, state.t, h)
    fall = fallen(gravity, h)
    out = Placed(
        E=np.empty((n, 12)),
        v=np.empty((n, 3)),
        w=np.empty((n, 3)),
        a=np.empty((n, 3)),
        low=np.empty((n, 3)),
        high=np.empty((n, 3)),
        reach=np.empty(n),
        slack=np.empty(n),
        collider=collider,
    )
    carry(
        surfaces.link, surfaces.collider, surfaces.vertex, surfaces.E, surfaces.half, surfaces.rounding,
        kin.E_wj, kin.V if V is None else V, kin.A, collider, twist, with_middles(surfaces, state.x),
        with_middles(surfaces, state.v), h, fall,
        out.E, out.v, out.w, out.a, out.low, out.high, out.reach, out.slack,
    )  # fmt: skip
    return out


def fallen(gravity: Floats, h: float) -> float:
    """How far what is let go may come within a step, and a little more [m]."""
    return 2.0 * math.sqrt(float(gravity[0] ** 2 + gravity[1] ** 2 + gravity[2] ** 2)) * h * h


def collider_poses(surfaces: Surfaces, t: float, h: float) -> tuple[Floats, Floats]:
    """Poses of the colliders now and at the end of the step (ncol, 24), and their mean twist between them: angular
    velocity and velocity of their origins in the world, shape (ncol, 6)."""
    poses, twist = surfaces.at_rest
    moving = np.flatnonzero(surfaces.moving >= 0) if len(surfaces.motion) else ()
    if len(moving):
        poses, twist = poses.copy(), twist.copy()
        now, then = evaluate(surfaces.motion, t)[:, 0], evaluate(surfaces.motion, t + h)[:, 0]
        for c in moving:
            k = int(surfaces.moving[c])
            R0, R1 = se3.exp_so3(now[k + 3 : k + 6]), se3.exp_so3(then[k + 3 : k + 6])
            poses[c] = np.concatenate([R0.ravel(), now[k : k + 3], R1.ravel(), then[k : k + 3]])
            twist[c, :3] = se3.log_so3(R1 @ R0.T) / h
            twist[c, 3:] = (then[k : k + 3] - now[k : k + 3]) / h
    return poses, twist
