"""Random linkages with loops, closed in different ways that are all the same mechanism."""

from __future__ import annotations

import math

import numpy as np
from msgspec.structs import replace

from redmax_blender.engine.scene import (
    BodySpec,
    ColliderSpec,
    Constant,
    Cuboid,
    Free,
    JointFriction,
    JointSpec,
    LoopHinge,
    LoopPoint,
    LoopWeld,
    Plane,
    Point,
    Pose,
    Revolute,
    SceneSpec,
    Sphere,
    Surface,
)

Y = (0.0, 1.0, 0.0)
HEIGHT = 0.6
CLOSURES = ("planar", "point", "hinge", "planar twice", "hinge twice", "point and hinge", "weld")


def _polygon(draw: np.random.Generator, bars: int) -> np.ndarray:
    """Corners in the plane [m], shape (bars + 1, 2), from one place on the base to another."""
    width = float(draw.uniform(0.3, 0.6))
    angle = np.linspace(math.pi, 0.0, bars + 1)
    points = 0.5 * width * np.stack([np.cos(angle), -np.sin(angle)], axis=1)
    points[1:-1] += draw.uniform(-0.06, 0.06, (bars - 1, 2))
    return points


def _bar(name: str, parent: str | None, at: tuple[float, float, float], length: float, **joint) -> BodySpec:
    surface = joint.pop("surface")
    turn = joint.pop("turn")
    return BodySpec(
        name=name,
        parent=parent,
        shape=Cuboid((length, 0.04, 0.03)),
        density=1000.0,
        pose=Pose((0.5 * length, 0.0, 0.0)),
        joint=JointSpec(type=Revolute(Y), frame=Pose(at, rotation=[0.0, turn, 0.0]), **joint),
        surface=surface,
    )


def _turns(points: np.ndarray) -> tuple[list[float], list[float]]:
    """Lengths of the bars [m], and their angles about y, each against the last [rad]."""
    way = np.diff(points, axis=0)
    heading = np.arctan2(-way[:, 1], way[:, 0])
    return np.linalg.norm(way, axis=1).tolist(), np.diff(heading, prepend=0.0).tolist()


def linkage(seed: int, closure: str) -> SceneSpec:
    """Bars that hang between two places of a base: held, or on two ball feet above the ground, which the lowest bars
    reach; a torque at the first hinge, friction on the ground and, in half of them, in the hinges."""
    draw = np.random.default_rng(seed)
    bars = int(draw.integers(3, 6))
    points = _polygon(draw, bars)
    lengths, turns = _turns(points)
    stands = bool(draw.random() < 0.5)
    rub = JointFriction(float(draw.uniform(0.1, 0.4)), 0.01) if draw.random() < 0.5 else None
    surface = Surface(friction=float(draw.uniform(0.0, 0.8)))
    low = -float(points[:, 1].min())
    high = low + float(draw.uniform(0.01, 0.03))
    base = BodySpec(
        name="base", shape=Cuboid((0.8, 0.3, 0.05)), density=1000.0, joint=JointSpec(frame=Pose((0.0, 0.0, high)))
    )  # fmt: skip
    bodies = [base]
    if stands:
        base.joint = JointSpec(type=Free(), frame=Pose((0.0, 0.0, high)))
        for i, (x, y) in enumerate(((-0.35, -0.12), (0.35, -0.12), (-0.35, 0.12), (0.35, 0.12))):
            foot = JointSpec(frame=Pose((x, y, 0.03 - high)))
            bodies.append(BodySpec(f"foot {i}", Sphere(0.03), "base", foot, surface=surface))
    first = {"torque": [Constant(float(draw.uniform(-1.0, 1.0)))], "qdot": None}
    for i in range(bars):
        at = (float(points[0, 0]), 0.0, float(points[0, 1])) if i == 0 else (lengths[i - 1], 0.0, 0.0)
        more = first if i == 0 else {}
        bodies.append(
            _bar(
                f"bar {i}", "base" if i == 0 else f"bar {i - 1}", at, lengths[i], turn=turns[i], friction=rub,
                surface=surface, damping=1e-3, **more,
            )
        )  # fmt: skip
    end = Point((0.5 * lengths[-1], 0.0, 0.0), f"bar {bars - 1}")
    there = Point((float(points[-1, 0]), 0.0, float(points[-1, 1])), "base")
    ground = ColliderSpec(name="ground", shape=Plane(), friction=0.6)
    spec = SceneSpec(bodies=bodies, colliders=[ground])
    spec.self_collision.enabled = False
    loops = {
        "planar": LoopPoint(end, there, perpendicular_to=Y, name="planar"),
        "point": LoopPoint(end, there, name="point"),
        "hinge": LoopHinge(end, there, axis=Y, name="hinge"),
    }
    if closure == "weld":
        _cut(spec, bars, lengths, turns, points)
        return spec
    for name in closure.replace("twice", "").split("and"):
        spec.constraints.append(loops[name.strip()])
    if closure.endswith("twice"):
        spec.constraints.append(replace(spec.constraints[0], name="again"))
    return spec


def _cut(spec: SceneSpec, bars: int, lengths: list[float], turns: list[float], points: np.ndarray) -> None:
    """The last bar as two halves, the second one on the hinge that closes the loop, welded to the first."""
    whole, half = spec.bodies[-1], 0.5 * lengths[-1]
    sides = Cuboid((half, 0.04, 0.03))
    spec.bodies[-1] = replace(whole, shape=sides, pose=Pose((0.5 * half, 0.0, 0.0)))
    joint = JointSpec(
        type=Revolute(Y),
        frame=Pose((float(points[-1, 0]), 0.0, float(points[-1, 1])), rotation=[0.0, sum(turns), 0.0]),
    )
    spec.bodies.append(
        BodySpec(
            "rest", sides, "base", joint, Pose((-0.5 * half, 0.0, 0.0)), density=1000.0, surface=whole.surface
        )
    )
    a, b = Point((0.5 * half, 0.0, 0.0), whole.name), Point((-0.5 * half, 0.0, 0.0), "rest")
    spec.constraints.append(LoopWeld(a, b, name="weld"))


def arch(bars: int) -> SceneSpec:
    """Bars of 1 kg in half a circle of 1 m across, whose last end is held to the ground like the first."""
    angle = np.linspace(math.pi, 0.0, bars + 1)
    points = 0.5 + 0.5 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    points[1:-1] += np.random.default_rng(0).uniform(-0.05, 0.05, (bars - 1, 2))
    points -= points[0]
    lengths, turns = _turns(points)
    bodies = []
    for i in range(bars):
        at = (lengths[i - 1] if i else 0.0, 0.0, 0.0)
        parent = f"bar {i - 1}" if i else None
        bodies.append(_bar(f"bar {i}", parent, at, lengths[i], turn=turns[i], surface=None))
        bodies[-1].mass, bodies[-1].density = 1.0, None
    end = Point((0.5 * lengths[-1], 0.0, 0.0), f"bar {bars - 1}")
    there = Point((float(points[-1, 0]), 0.0, float(points[-1, 1])))
    return SceneSpec(bodies=bodies, constraints=[LoopPoint(end, there, perpendicular_to=Y)])
