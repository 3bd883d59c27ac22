"""A figure is thrown so that, after it has hit the ground and slid, its hand lies on a mark."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ...run.result import Result
from ...scene import (
    BodySpec,
    Capsule,
    ColliderSpec,
    Free,
    JointSpec,
    Plane,
    Pose,
    SceneSpec,
    Spherical,
    Surface,
    TimeSpec,
)
from ...scene.task import PointGoal, StartVelocityParameter, TaskSpec
from .aim import shot_of

MARK = (1.4, 0.35, 0.04)
"""Where the middle of the hand is to be [m]."""
NEAR = 0.02
"""How near is on the mark [m]."""
END = 0.9
HAND = (0.0, 0.0, -0.12)
_LIMBS = {
    "arm.L": ((0.0, 0.2, 0.2), 0.04), "arm.R": ((0.0, -0.2, 0.2), 0.04),
    "leg.L": ((0.0, 0.1, -0.3), 0.06), "leg.R": ((0.0, -0.1, -0.3), 0.06),
}  # fmt: skip


def task(method: Literal["l-bfgs-b", "cma-es"] = "cma-es") -> SceneSpec:
    """The figure, and the velocity that it may be thrown with."""
    bodies = [
        BodySpec(
            name="trunk",
            shape=Capsule(radius=0.13, height=0.36),
            density=1000.0,
            joint=JointSpec(
                type=Free(), frame=Pose(position=(0.0, 0.0, 0.9)), qdot=[1.2, 0.0, 0.5, 0.0, 0.5, 0.0]
            ),
            surface=Surface(friction=0.6),
        )
    ]
    for limb, (place, radius) in _LIMBS.items():
        for part, parent, at in (("upper", "trunk", place), ("lower", f"upper {limb}", (0.0, 0.0, -0.3))):
            bodies.append(
                BodySpec(
                    name=f"{part} {limb}",
                    parent=parent,
                    shape=Capsule(radius=radius, height=0.24),
                    density=1000.0,
                    pose=Pose(position=(0.0, 0.0, -0.15)),
                    joint=JointSpec(
                        type=Spherical(),
                        frame=Pose(position=at),
                        stiffness=4.0,
                        damping=0.4,
                        rest=[0.0, 0.0, 0.0],
                    ),
                    surface=Surface(friction=0.6),
                )
            )
    return SceneSpec(
        bodies=bodies,
        colliders=[ColliderSpec(name="ground", shape=Plane(), friction=0.6)],
        time=TimeSpec(end=END, step=1.0 / 240.0),
        task=TaskSpec(
            parameters=[StartVelocityParameter(joint="trunk", lower=-5.0, upper=5.0, scale=0.5)],
            objectives=[PointGoal(body="lower arm.R", position=HAND, target=list(MARK))],
            regularisation=0.0,
            enough=0.5 * NEAR**2,
            method=method,
            iterations=200,
        ),
    )


def spec() -> SceneSpec:
    return shot_of("throw")


def check(result: Result) -> None:
    """The hand is on the mark at the end."""
    pose = result.joint_pose[-1, result.joints.index("lower arm.R")]
    hand = pose[9:] + pose[:9].reshape(3, 3) @ (0.0, 0.0, HAND[2] - 0.15)
    off = float(np.linalg.norm(hand - MARK))
    assert off < 1.5 * NEAR, f"The hand is {100.0 * off:.1f} cm from the mark."
