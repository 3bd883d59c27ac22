"""What a fall is judged by: how deep things are in one another, joints beyond their ranges, rest in the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..algebra.se3 import exp_so3
from ..compile.poses import pose_numbers
from ..contact.find import touching
from ..fem.cages.outline import border
from ..model.curves import evaluate, pack
from ..scene import ColliderSpec, Cuboid
from ..tree.kinematics import forward_kinematics

if TYPE_CHECKING:
    from ..model.records import Model
    from ..model.state import State
    from ..run.result import Result

Floats = NDArray[np.float64]

DEEPEST = 0.01
"""Largest depth of penetration, as a part of the figure's height."""
BEYOND = 0.5
"""Largest angle beyond a joint's range [°]."""
LAST = 0.5
"""For so long it is watched in the end [s]."""
CREEP = 0.005
"""Furthest that a body or a vertex may go in that time, as a part of the figure's height."""


@dataclass(frozen=True)
class Depth:
    """How deep one thing is in another, and when."""

    depth: float = 0.0
    """[m]"""
    what: str = ""
    where: str = ""
    t: float = 0.0
    """[s]"""

    def __str__(self) -> str:
        return f"'{self.what}' is {1000.0 * self.depth:.3g} mm in '{self.where}' at t = {self.t:.3g} s"


@dataclass(frozen=True)
class Fallen:
    """A fall in numbers."""

    depth: Depth
    """Of bodies and vertices of flesh, in anything."""
    pressed: Depth
    """Of the flesh between its vertices, in boxes: how far an edge goes into it."""
    beyond: float
    """Of the joints that turned furthest beyond their ranges [°]."""
    joint: str
    at: float
    """When it did [s]."""
    finite: bool
    speed: float
    """Of the fastest joint in the end [rad/s]."""
    stirring: float
    """Of the fastest vertex of flesh in the end [m/s]."""
    crept: float
    """Furthest that a body or a vertex of flesh went in the last half second [m]."""
    gained: float
    """Most energy above that of the start [J]."""
    rest: float | None = None
    """From when on nothing moves at all [s]; null where something does in the end."""

    def faults(self, height: float, gain: float, settled: bool = True) -> list[str]:
        """What is not physical in it; height: of the figure [m]. gain: energy that it may get from what moves [J]."""
        found = []
        if not self.finite:
            found.append("a coordinate is not a number")
        if self.beyond > BEYOND:
            found.append(f"'{self.joint}' turns {self.beyond:.2g}° beyond its range at t = {self.at:.3g} s")
        found += [str(depth) for depth in (self.depth, self.pressed) if depth.depth > DEEPEST * height]
        if self.gained > gain:
            found.append(f"its energy grows by {self.gained:.4g} J")
        if settled and self.speed > 0.0:  # asleep, it does not move at all
            found.append(f"a joint still turns at {self.speed:.2g} rad/s in the end")
        if settled and self.stirring > 0.0:
            found.append(f"its flesh still moves at {self.stirring:.2g} m/s in the end")
        if settled and self.crept > CREEP * height:
            found.append(f"something still goes {1000.0 * self.crept:.3g} mm in the last {LAST} s")
        return found


def measure(model: Model, result: Result, colliders: Sequence[ColliderSpec] = ()) -> Fallen:
    """A run in numbers. colliders: those of the scene, for what goes into flesh between its vertices."""
    finite = all(bool(np.isfinite(a).all()) for a in (result.q, result.qdot, result.x, result.v))
    limits = model.constraints.limits
    beyond = np.degrees(limits.side * (limits.bound - result.q[:, limits.dof]))
    frame, limit = np.unravel_index(int(np.argmax(beyond)), beyond.shape) if beyond.size else (0, 0)
    depth, pressed = Depth(), Depth()
    for k in range(len(result) if finite else 0):
        state = result.state(k)
        depth = max(depth, deepest(model, state), key=lambda d: d.depth)
        pressed = max(pressed, flesh_depth(model, state, colliders), key=lambda d: d.depth)
    total = result.energy.sum(axis=1)
    return Fallen(
        depth=depth,
        pressed=pressed,
        beyond=float(beyond.max(initial=0.0)),
        joint=model.joint_of(int(limits.dof[limit])) if beyond.size else "",
        at=float(result.t[frame]),
        finite=finite,
        speed=float(np.abs(result.qdot[-1]).max(initial=0.0)),
        stirring=float(np.linalg.norm(result.v[-1], axis=1).max(initial=0.0)),
        crept=_crept(result),
        gained=float(total.max() - total[0]),
        rest=at_rest_from(result),
    )


def at_rest_from(result: Result) -> float | None:
    """The first time after which every frame is at rest [s]."""
    moves = np.any(result.qdot != 0.0, axis=1) | np.any(result.v != 0.0, axis=(1, 2))
    last = int(np.flatnonzero(moves).max(initial=-1))
    return float(result.t[last + 1]) if last + 1 < len(result) else None


def _crept(result: Result) -> float:
    """Furthest along an axis that anything went in the last half second [m]."""
    last = result.t > result.t[-1] - LAST
    places = np.concatenate([result.body_pose[last][:, :, 9:], result.x[last]], axis=1)
    return float(np.ptp(places, axis=0).max(initial=0.0))


def deepest(model: Model, state: State) -> Depth:
    """The deepest penetration in a state, zero where nothing overlaps."""
    surfaces = model.contact
    if surfaces is None:
        return Depth()
    a, b, gap = touching(surfaces, state, forward_kinematics(model, state))
    if not len(gap) or gap.min() >= 0.0:
        return Depth()
    k = int(np.argmin(gap))
    names = surfaces.names
    return Depth(-float(gap[k]), names[surfaces.owner[a[k]]], names[surfaces.owner[b[k]]], state.t)


def flesh_depth(model: Model, state: State, colliders: Sequence[ColliderSpec]) -> Depth:
    """How far boxes go into flesh between its vertices: by points on the edges and in the middle of its triangles."""
    flesh = model.flesh
    if flesh is None:
        return Depth()
    corner = state.x[border(flesh.tets.corner)]
    points = np.concatenate(
        [corner.mean(axis=1), *(0.5 * (corner[:, i] + corner[:, i - 1]) for i in range(3))]
    )
    worst = Depth()
    for c, collider in enumerate(colliders):
        if isinstance(collider.shape, Cuboid):
            R, p = _pose(collider, f"colliders[{c}]", state.t)
            local = (points - p) @ R
            depth = (0.5 * np.array(collider.shape.sides) - np.abs(local)).min(axis=1)
            worst = max(
                worst, Depth(float(depth.max()), flesh.names[0], collider.name, state.t), key=_by_depth
            )
    return worst


def _by_depth(depth: Depth) -> float:
    return depth.depth


def _pose(collider: ColliderSpec, place: str, t: float) -> tuple[Floats, Floats]:
    """Rotation and origin [m] of a collider at a time."""
    if not collider.motion:
        E = np.array(pose_numbers(collider.pose, f"{place}.pose"))
        return E[:9].reshape(3, 3), E[9:]
    curves = pack([(i, curve, f"{place}.motion[{i}]") for i, curve in enumerate(collider.motion)])
    values = evaluate(curves, t)[:, 0]
    return exp_so3(values[3:]), values[:3]
