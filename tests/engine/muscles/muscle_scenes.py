"""Two hinged bones with a muscle between them: over a cylinder at the elbow, through a point, or straight."""

from __future__ import annotations

from typing import Any

from redmax_blender.engine.scene import (
    BodySpec,
    Cuboid,
    JointSpec,
    MusclePoint,
    MuscleSpec,
    Over,
    Pose,
    Revolute,
    SceneSpec,
    TimeSpec,
    WrapCylinder,
    WrapSpec,
)

L1, L2 = 0.3, 0.25
OVER = [MusclePoint((-0.09, 0.05, 0.0), "upper"), MusclePoint((-0.005, 0.02, 0.01), "lower")]
STRAIGHT = [MusclePoint((-0.1, 0.04, 0.0), "upper"), MusclePoint((-0.045, 0.03, 0.0), "lower")]
THROUGH = [
    MusclePoint((-0.05, 0.06, 0.0)),
    MusclePoint((0.07, 0.05, 0.01), "upper"),
    MusclePoint((-0.025, 0.03, 0.0), "lower"),
]
ELBOW = WrapSpec("elbow", WrapCylinder(0.035), "upper", Pose((L1 / 2, 0.0, 0.0)))


def arm(muscles: list[MuscleSpec], q: tuple[float, float] = (-1.2, -0.3), **joints: Any) -> SceneSpec:
    """A double pendulum in the plane across z, hinged to the world at its origin."""
    bodies = []
    for name, parent, length, mass, at, angle in (
        ("upper", None, L1, 2.0, 0.0, q[0]),
        ("lower", "upper", L2, 1.5, L1, q[1]),
    ):
        joint = JointSpec(type=Revolute(axis=(0.0, 0.0, 1.0)), frame=Pose((at, 0.0, 0.0)), q=angle, **joints)
        bodies.append(
            BodySpec(
                name=name, parent=parent, shape=Cuboid((length, 0.02, 0.02)), mass=mass,
                pose=Pose((length / 2, 0.0, 0.0)), joint=joint,
            )
        )  # fmt: skip
    return SceneSpec(
        gravity=(0.0, -9.81, 0.0),
        bodies=bodies,
        muscles=muscles,
        wraps=[ELBOW],
        time=TimeSpec(end=1.0, step=0.002),
    )


def over(**settings: Any) -> MuscleSpec:
    return MuscleSpec(name="biceps", points=OVER, over=[Over("elbow", side="clockwise")], **settings)
