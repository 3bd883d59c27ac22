"""Ten double pendulums, each with a muscle over a cylinder at its elbow, and one without (thesis, Fig. 6.5).

Origin, insertion, radius and place of the cylinder differ from pendulum to pendulum; bones and muscle weigh the same.
The last one has no muscle: half of its mass is in either bone.
"""

from __future__ import annotations

from math import pi

import numpy as np

from ...run.result import Result
from ...scene import MusclePoint, MuscleSpec, Over, Pose, SceneSpec, TimeSpec, WrapCylinder, WrapSpec
from ..figures import Figure
from .bones import bone, on

COUNT = 10
LENGTH, RADIUS, MASS = 0.3, 0.012, 0.5
"""Of a bone [m, kg]."""
APART = 0.25
"""Distance between pendulums [m]."""
ROUNDING = 0.2
"""Of paths, as a part of the radius: more than usual, since steps are whole ones here."""
START = (-0.9, -0.9)
"""Angles of the two bones [rad]."""


def spec(count: int = COUNT, end: float = 3.0, step: float = 1.0 / 960.0) -> SceneSpec:
    bodies, wraps, muscles = [], [], []
    for k in range(count + 1):
        y = APART * (k - 0.5 * count)
        mass = MASS if k < count else 1.5 * MASS
        upper, lower = f"upper.{k}", f"lower.{k}"
        bodies.append(bone(upper, None, (LENGTH, RADIUS), mass, (0.0, y, 0.0), START[0]))
        bodies.append(bone(lower, upper, (LENGTH, RADIUS), mass, (LENGTH, 0.0, 0.0), START[1]))
        if k == count:
            break
        u = k / max(count - 1, 1)
        radius = 0.025 + 0.025 * u
        # a cylinder across the plane of the pendulum, askew by up to fifteen degrees
        tilt = 0.26 * (u - 0.5) * 2.0
        pose = Pose((0.0, 0.0, 0.5 * LENGTH), [0.5 * pi + tilt, 0.0, 0.0])
        wraps.append(WrapSpec(f"elbow.{k}", WrapCylinder(radius), upper, pose))
        points = [
            MusclePoint(on(LENGTH, 0.08 + 0.06 * u, radius + 0.015 + 0.02 * (k % 3) / 2.0), upper),
            MusclePoint(on(LENGTH, 0.09 + 0.07 * (1.0 - u), 0.02 + 0.01 * (k % 2)), lower),
        ]
        muscles.append(
            MuscleSpec(f"muscle.{k}", points, [Over(f"elbow.{k}")], rounding=ROUNDING * radius, mass=MASS)
        )
    return SceneSpec(
        name="Muscle Pendulums",
        bodies=bodies,
        wraps=wraps,
        muscles=muscles,
        time=TimeSpec(end=end, step=step, record=max(1, round(1.0 / 48.0 / step))),
    )


def check(result: Result) -> None:
    """Energy never grows and little of it is lost, and no two of the pendulums move alike."""
    total = (result.energy.sum(axis=1) - result.energy[0].sum()) / result.energy[:, 0].max()
    if total.max() > 0.02 or total.min() < -0.05:
        worst = max(total.tolist(), key=abs)
        raise AssertionError(f"muscle-pendulums: the energy changes by {worst:.2g} of the kinetic energy")
    paths = result.q.reshape(len(result), -1, 2)
    for a in range(paths.shape[1]):
        for b in range(a):
            if np.abs(paths[:, a] - paths[:, b]).max() < 1e-3:
                raise AssertionError(f"muscle-pendulums: {b} and {a} move alike")


def figures(result: Result) -> list[Figure]:
    paths = result.q.reshape(len(result), -1, 2)[:, :, 1]
    lines = {f"muscle {k}": paths[:, k] for k in range(0, paths.shape[1] - 1, 3)}
    lines["mass in the bones"] = paths[:, -1]
    return [Figure("elbow", "Angle of the elbows", "time [s]", "angle [rad]", result.t, lines)]
