"""A hand is brought to a target by constant torques at the shoulder and the elbow, with muscles of the bones' own mass
over a cylinder and a capped cylinder (thesis, Fig. 6.20)."""

from __future__ import annotations

from math import pi

import numpy as np

from ...run.result import Result
from ...scene import (
    MusclePoint,
    MuscleSpec,
    Over,
    Pose,
    SceneSpec,
    SpringActuator,
    TimeSpec,
    WrapCylinder,
    WrapSpec,
)
from ...scene.muscles import WrapCapsule
from ...scene.task import CurveParameter, ParameterSpec, PointGoal, TaskSpec, TorqueParameter
from ..inertia.bones import bone, on
from .aim import shot_of

LENGTH, RADIUS, MASS = 0.3, 0.02, 0.6
"""Of a bone [m, kg]; each muscle has half of its mass."""
TARGET = (0.42, 0.0, -0.12)
"""Of the hand [m], half a second after it hung at rest."""
NEAR = 0.01
"""How near is there [m]."""
END = 0.5
START = (-1.3, 0.3)
"""Angles of the two bones [rad]."""
STRONGEST = 250.0
"""Pull of a muscle at full excitation [N]."""


def task(by: str = "torques") -> SceneSpec:
    """by: 'torques' or 'excitations', which the thesis leaves open."""
    bodies = [
        bone("upper", None, (LENGTH, RADIUS), MASS, angle=START[0], damping=0.05),
        bone("lower", "upper", (LENGTH, RADIUS), MASS, (LENGTH, 0.0, 0.0), START[1], damping=0.05),
    ]
    across = [0.5 * pi, 0.0, 0.0]
    wraps = [
        WrapSpec("shoulder", WrapCapsule(0.04, 0.2), None, Pose((0.0, 0.1, 0.0), across)),
        WrapSpec("elbow", WrapCylinder(0.03), "upper", Pose((0.0, 0.0, 0.5 * LENGTH), across)),
    ]
    # each runs above its joint, and lifts what is beyond it
    ends = {
        "shoulder": [MusclePoint((-0.12, 0.0, 0.06)), MusclePoint(on(LENGTH, 0.15, 0.03), "upper")],
        "elbow": [MusclePoint(on(LENGTH, 0.12, 0.05), "upper"), MusclePoint(on(LENGTH, 0.1, 0.03), "lower")],
    }
    pull = STRONGEST if by == "excitations" else 0.0
    muscles = [
        MuscleSpec(
            f"lifts at the {name}", points, [Over(name)], rounding=0.01, mass=0.5 * MASS,
            actuator=SpringActuator(max_force=pull),
        )
        for name, points in ends.items()
    ]  # fmt: skip
    hand = PointGoal(body="lower", position=(0.0, 0.0, 0.5 * LENGTH), target=list(TARGET))
    changes: list[ParameterSpec]
    if by == "torques":
        changes = [
            TorqueParameter(joint=name, scale=2.0, lower=-15.0, upper=15.0) for name in ("upper", "lower")
        ]
    else:
        changes = [
            CurveParameter(
                path=["muscles", m.name, "excitation"],
                times=[0.0, 0.5 * END, END],
                initial=0.3,
                lower=0.0,
                upper=1.0,
                scale=0.3,
            )
            for m in muscles
        ]
    return SceneSpec(
        name="Reach",
        bodies=bodies,
        wraps=wraps,
        muscles=muscles,
        time=TimeSpec(end=END, step=1.0 / 240.0),
        task=TaskSpec(
            parameters=changes,
            objectives=[hand],
            enough=0.5 * NEAR**2,
            iterations=60,
            method="least-squares",
        ),
    )


def spec() -> SceneSpec:
    return shot_of("reach")


def check(result: Result) -> None:
    """The hand is at the target at the end."""
    pose = result.joint_pose[-1, result.joints.index("lower")]
    hand = pose[9:] + pose[:9].reshape(3, 3) @ (LENGTH, 0.0, 0.0)
    off = float(np.linalg.norm(hand - TARGET))
    assert off < 1.5 * NEAR, f"The hand is {100.0 * off:.1f} cm from the target."
