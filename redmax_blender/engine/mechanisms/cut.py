"""Connections that close loops: as constraints, or as joints of a half of one of their bodies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..algebra import se3
from ..bodies.inertia import WATER
from ..errors import SceneError
from ..model.records import Floats
from ..scene import (
    BodySpec,
    ConstraintSpec,
    JointSpec,
    LoopHinge,
    LoopPiston,
    LoopPoint,
    LoopSlider,
    LoopWeld,
    Point,
)
from .parts import ONE_WAY, Body, Connection, as_pose, vec3
from .place import ends_of


def loop_of(
    c: Connection,
    bodies: Sequence[Body],
    index: dict[str | None, int],
    frames: dict[int, Floats],
    planar: bool,
) -> ConstraintSpec:
    """The constraint that closes a loop at a connection; planar: where the others of the loop keep it in a plane."""
    a, b = _point(c, c.a, bodies, index), _point(c, c.b, bodies, index)
    above = np.eye(4) if c.a is None else frames[index[c.a]]
    R = above[:3, :3].T @ c.pose[:3, :3]
    if c.kind == "fixed":
        return LoopWeld(a=a, b=b, name=c.name)
    if c.kind == "point":
        return LoopPoint(a=a, b=b, name=c.name)
    if c.kind == "hinge" and planar:
        return LoopPoint(a=a, b=b, perpendicular_to=vec3(R[:, 2]), name=c.name)
    if c.kind == "hinge":
        return LoopHinge(a=a, b=b, axis=vec3(R[:, 2]), name=c.name)
    if c.kind == "slider":
        return LoopSlider(a=a, b=b, axis=vec3(R[:, 0]), name=c.name)
    return LoopPiston(a=a, b=b, axis=vec3(R[:, 0]), name=c.name)


def body_to_split(
    c: Connection, bodies: Sequence[Body], index: dict[str | None, int]
) -> tuple[int, int, bool]:
    """Which body to cut in two, which one carries the new half (-1 for the world), and whether that is from b to a."""
    a, b = index[c.a], index[c.b]
    if b >= 0 and not bodies[b].anchored:
        return b, a, False
    if a >= 0 and not bodies[a].anchored and c.kind not in ONE_WAY:
        return a, b, True
    raise SceneError(
        f"connection '{c.name}'",
        "neither of its ends can move",
        "Remove it, or let one of the two bodies move freely.",
    )


def half_of(
    c: Connection, body: Body, carrier: str | None, flipped: bool, joint: JointSpec
) -> tuple[BodySpec, LoopWeld]:
    """The half of a body that hangs on a connection, without its mass yet, and the weld to the other half."""
    own = ends_of(c, flipped)[1]
    half = BodySpec(
        name=f"{body.name} at {c.name}",
        shape=body.shape,
        parent=carrier,
        joint=joint,
        pose=as_pose(se3.inverse(own) @ body.pose),
    )
    place = as_pose(se3.inverse(body.pose) @ own).position
    weld = LoopWeld(Point(place, half.name), Point(place, body.name), name=f"{body.name}, at {c.name}")
    return half, weld


def share_mass(whole: BodySpec, parts: Sequence[BodySpec]) -> None:
    """Give the parts of a body equal shares of its mass and drag."""
    share = 1.0 / (1 + len(parts))
    if whole.mass is not None:
        whole.mass *= share
    else:
        whole.density = share * (WATER if whole.density is None else whole.density)
    whole.damping *= share
    for part in parts:
        part.mass, part.density, part.damping = whole.mass, whole.density, whole.damping


def _point(c: Connection, name: str | None, bodies: Sequence[Body], index: dict[str | None, int]) -> Point:
    here = c.pose if name == c.a or c.pose_b is None else c.pose_b
    if name is None:
        return Point(position=vec3(here[:3, 3]))
    place = se3.inverse(bodies[index[name]].pose) @ here
    return Point(position=vec3(place[:3, 3]), body=name)
