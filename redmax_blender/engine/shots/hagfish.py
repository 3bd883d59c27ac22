"""A hagfish ties its body into a knot and slides the knot towards its head (paper, Fig. 3).

Its body is a chain of a hundred joints, by turns a hinge about z and a universal joint about x and y, with limits; x
runs along the body from head to tail. A tube around a spline through the joints is its skin, which collides with
itself. It is slimy: there is no friction.

The muscles pull every joint towards a motion: the bends of an overhand knot travel along the body from the tail to
the head, as a wave. The head is held, so that the tail threads itself through its own loop. In the end the muscles pull
the knot tighter than the body can be: from there on it is the contact of the body with itself that holds it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import pi, sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..scene import (
    BodySpec,
    Capsule,
    Curve,
    Fixed,
    Guide,
    JointSpec,
    Limits,
    Pose,
    Revolute,
    Sampled,
    SceneSpec,
    Switch,
    TimeSpec,
    Tube,
    Universal,
)
from .knot import CLEARANCE, REACH, determinant, knot

if TYPE_CHECKING:
    from ..run.result import Result

Floats = NDArray[np.float64]

DENSITY = 1000.0
"""That of the water around it [kg/m³]: it floats."""
SAMPLES = 12
"""Of the motion, a second."""


@dataclass(frozen=True)
class Hagfish:
    """Sizes [m], and how it moves."""

    joints: int = 100
    length: float = 0.54
    radius: float = 0.0075
    slides: float = 4.5
    """How long the knot takes from the tail to where it stays [s]."""
    tightens: float = 1.0
    """How long it is pulled tight after that [s]."""
    tight: float = 0.85
    """Distance between the strands that the muscles then pull for, in diameters."""
    stays: float = 0.5
    """Where the middle of the knot stays, from the head, as a part of the length."""
    stiffness: float = 0.5
    """Of the muscles about each axis of a joint [N·m/rad]; their damping is critical."""
    quickest: float = 0.002
    """Response of the muscles near the end of the tail, where that stiffness would move less than it should [s]."""
    bend: float = 0.95
    """Limit of each bend, either way [rad]."""
    twist: float = 0.25
    """Limit of each twist, either way [rad]."""

    def __post_init__(self) -> None:
        room = 2.0 * self.radius * REACH / self.length
        if not room < self.stays < 1.0 - room:
            raise InputError(
                "hagfish",
                f"a knot at {self.stays:.3g} of its length would hang over an end",
                f"Let it stay between {room:.2g} and {1.0 - room:.2g}, or make the body longer or thinner.",
            )

    def name(self, i: int) -> str:
        return "head" if i == 0 else f"body.{i:03d}"

    @property
    def pitch(self) -> float:
        """From joint to joint [m]."""
        return self.length / (self.joints + 1)

    @property
    def end(self) -> float:
        """When the motion ends [s]."""
        return self.slides + self.tightens

    def is_hinge(self, i: int) -> bool:
        """Whether joint i, from 1 on, is a hinge; a universal joint otherwise."""
        return i % 2 == 1

    @property
    def link_mass(self) -> float:
        """[kg]"""
        return DENSITY * pi * self.radius**2 * self.pitch

    def response(self, i: int) -> float:
        """How fast the muscles of joint i close a gap [s]: as stiff as all the others, they move what it carries."""
        count = self.joints + 1 - i
        moment = count * self.link_mass * (count * self.pitch) ** 2 / 3.0
        return max(sqrt(moment / self.stiffness), self.quickest)

    def shape(self, t: float) -> Floats:
        """Where the ends of the links shall be at a time, in the head's frame [m], shape (joints + 2, 3)."""
        scale, middle = self._knot_at(t)
        points, tangents = knot((np.arange(self.joints + 2) * self.pitch - middle) / scale)
        x = tangents[0]
        y = np.array([0.0, 1.0, 0.0]) - x[1] * x
        y /= np.linalg.norm(y)
        return np.asarray(scale * (points - points[0]) @ np.stack([x, y, np.cross(x, y)], axis=1))

    def _knot_at(self, t: float) -> tuple[float, float]:
        """Size of the knot's curve [m], and the place of its middle along the body [m]."""
        loose = 2.0 * self.radius
        slid, pulled = _eased(t / self.slides), _eased((t - self.slides) / self.tightens)
        tight = self.tight * loose / CLEARANCE
        begin = self.length + loose * REACH
        return loose + pulled * (tight - loose), begin + slid * (self.stays * self.length - begin)

    def motion(self) -> tuple[Floats, Floats]:
        """Times [s], shape (n,), and all joint coordinates then [rad], shape (n, 3 joints / 2)."""
        return _motion(self)


@cache
def _motion(fish: Hagfish) -> tuple[Floats, Floats]:
    times = np.linspace(0.0, fish.end, round(SAMPLES * fish.end) + 1)
    chain = _Chain(fish)
    q = np.zeros(chain.count)
    rows = []
    for t in times:
        q = chain.fitted(q, fish.shape(float(t)))
        rows.append(q)
    return times, np.array(rows)


def _eased(x: float) -> float:
    """From 0 at 0 to 1 at 1, at rest at both ends, and constant beyond."""
    x = min(max(x, 0.0), 1.0)
    return x * x * x * (10.0 - 15.0 * x + 6.0 * x * x)


class _Chain:
    """Hinges and universal joints one pitch apart, for fitting them to points."""

    def __init__(self, fish: Hagfish) -> None:
        self.fish = fish
        axes, joint = [], []
        for i in range(1, fish.joints + 1):
            for axis in (2,) if fish.is_hinge(i) else (0, 1):
                axes.append(axis)
                joint.append(i)
        self.axes, self.joint = axes, np.array(joint)
        self.count = len(axes)
        stiff = np.where(np.array(axes) == 0, 0.3, 0.01)
        self.weight = fish.pitch * stiff  # a twist does nothing by itself: leave it alone

    def points(self, q: Floats) -> tuple[Floats, Floats]:
        """Ends of the links [m], shape (joints + 2, 3), and the axis of each coordinate, shape (n, 3)."""
        R, p = np.eye(3), np.array([self.fish.pitch, 0.0, 0.0])
        ends, axes = [np.zeros(3), p], np.empty((self.count, 3))
        k = 0
        for i in range(1, self.fish.joints + 1):
            while k < self.count and self.joint[k] == i:
                axes[k] = R[:, self.axes[k]]
                R = R @ _about(self.axes[k], q[k])
                k += 1
            p = p + self.fish.pitch * R[:, 0]
            ends.append(p)
        return np.array(ends), axes

    def fitted(self, q: Floats, goal: Floats) -> Floats:
        """Coordinates at which the ends are nearest to the goal, from those that were before."""
        for _ in range(12):
            ends, axes = self.points(q)
            J = np.cross(axes[:, None, :], ends[None, :, :] - ends[self.joint][:, None, :])
            J *= (np.arange(len(ends))[None, :] > self.joint[:, None])[:, :, None]
            J = J.reshape(self.count, -1).T
            A = J.T @ J + np.diag(self.weight**2)
            step = np.linalg.solve(A, J.T @ (goal - ends).ravel() - self.weight**2 * q)
            q = q + step * min(1.0, 0.3 / float(np.abs(step).max() + 1e-300))
            if np.abs(step).max() < 1e-3:
                break
        return q


def _about(axis: int, angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    R = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def spec(fish: Hagfish | None = None, *, end: float | None = None, step: float = 1.0 / 240.0) -> SceneSpec:
    """The animal as a scene, straight and at rest, its head held in the origin."""
    fish = fish or Hagfish()
    times, q = fish.motion()
    bodies = [_body(fish, 0, JointSpec(type=Fixed()))]
    k = 0
    for i in range(1, fish.joints + 1):
        count = 1 if fish.is_hinge(i) else 2
        curves: list[Curve | None] = [Sampled(times.tolist(), q[:, c].tolist()) for c in range(k, k + count)]
        limit = [fish.bend] if count == 1 else [fish.twist, fish.bend]
        joint = JointSpec(
            type=Revolute() if count == 1 else Universal(),
            frame=Pose((fish.pitch, 0.0, 0.0)),
            motion=curves,
            modes=[Switch(0.0, "guided")],
            guide=Guide(response=fish.response(i)),
            limits=Limits(lower=[-x for x in limit], upper=list(limit)),
        )
        bodies.append(_body(fish, i, joint))
        k += count
    return SceneSpec(
        name="hagfish",
        gravity=(0.0, 0.0, 0.0),
        bodies=bodies,
        tubes=[skin(fish)],
        integrator="euler",
        time=TimeSpec(end=fish.end if end is None else end, step=step, record=10),
    )


def skin(fish: Hagfish) -> Tube:
    """What collides of it."""
    names = [fish.name(i) for i in range(fish.joints + 1)]
    return Tube(name="skin", bodies=names, radius=fish.radius, tip=(0.0, 0.0, 0.5 * fish.pitch))


def _body(fish: Hagfish, i: int, joint: JointSpec) -> BodySpec:
    """A piece of the tube; the first one ends in a ball."""
    return BodySpec(
        name=fish.name(i),
        parent=fish.name(i - 1) if i else None,
        shape=Capsule(fish.radius, fish.pitch),
        mass=fish.link_mass,
        pose=Pose((0.5 * fish.pitch, 0.0, 0.0), [0.0, 0.5 * pi, 0.0]),
        joint=joint,
    )


def centreline(result: Result, fish: Hagfish | None = None) -> Floats:
    """Ends of all links over the frames of a recording [m], shape (nf, joints + 2, 3)."""
    fish = fish or Hagfish()
    order = [result.bodies.index(fish.name(i)) for i in range(fish.joints + 1)]
    pose = result.joint_pose[:, order]
    tip = pose[:, -1:, 9:] + fish.pitch * pose[:, -1:, [0, 3, 6]]
    return np.concatenate([pose[:, :, 9:], tip], axis=1)


def closest(points: Floats, fish: Hagfish) -> float:
    """Least distance between parts of the body that are not neighbours, in diameters; points of shape (n, 3)."""
    fine = np.concatenate([points[:-1] + k / 3.0 * np.diff(points, axis=0) for k in range(3)], axis=1)
    fine = fine.reshape(-1, 3)
    along = np.arange(len(fine)) * fish.pitch / 3.0
    apart = np.abs(along[:, None] - along[None, :]) > pi * 2.0 * fish.radius
    distance = np.linalg.norm(fine[:, None] - fine[None, :], axis=2)
    return float(distance[apart].min()) / (2.0 * fish.radius)


def check(result: Result, fish: Hagfish | None = None, *, through: float = 0.02) -> None:
    """Raise AssertionError when a run of the animal is not physical; as `check_lines`."""
    fish = fish or Hagfish()
    check_lines(result, centreline(result, fish), fish, through=through)


def check_lines(result: Result, lines: Floats, fish: Hagfish, *, through: float = 0.02) -> None:
    """Raise AssertionError when coordinates and centrelines of shape (nf, joints + 2, 3) are not physical.

    through: how far the body may go into itself, in diameters. Wrong are, besides, joints beyond their limits, a body
    that comes out without a knot, or one that is not tied by threading the tail, but by going through itself.
    """
    if not np.isfinite(result.q).all():
        raise AssertionError("hagfish: a coordinate is not a number")
    bends = np.abs(result.q).max()
    if bends > fish.bend + 1e-3:
        raise AssertionError(f"hagfish: a joint turns {bends - fish.bend:.2g} rad beyond its limit")
    for t, points in zip(result.t, lines, strict=True):
        gap = closest(points, fish)
        if gap < 1.0 - through:
            raise AssertionError(f"hagfish: it goes {1.0 - gap:.2g} diameters into itself at t = {t:.3g} s")
    if result.t[-1] >= fish.slides and determinant(lines[-1]) != 3:
        raise AssertionError("hagfish: in the end there is no knot in it")
