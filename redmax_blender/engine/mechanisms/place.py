"""Joints of connections at their places: from the part that carries, to the part that is carried."""

from __future__ import annotations

from ..algebra import se3
from ..model.records import Floats
from ..scene import JointSpec
from .coordinates import start_of
from .parts import ONE_WAY, Connection, as_pose, joint_of
from .splines import frame_at


def ends_of(c: Connection, flipped: bool) -> tuple[Floats, Floats]:
    """World poses of a connection on the part that carries and on the other one, where they are now."""
    a, b = c.pose, c.pose if c.pose_b is None else c.pose_b
    if c.kind in ONE_WAY and c.pose_b is None:
        assert c.spline is not None
        count = len(start_of(c, False)) - (3 if c.loose else 0)
        b = a @ frame_at(c.spline, start_of(c, False)[:count])
    return (b, a) if flipped else (a, b)


def placed_joint(c: Connection, flipped: bool, above: Floats) -> JointSpec:
    """The joint of a connection on a part whose joint frame is at `above` in the world."""
    joint = joint_of(c, flipped)
    joint.frame = as_pose(se3.inverse(above) @ ends_of(c, flipped)[0])
    joint.name = c.name
    start = start_of(c, flipped)
    if start.any():
        joint.q = start.tolist()
        joint.rest = None if c.pose_b is None else 0.0
    return joint
