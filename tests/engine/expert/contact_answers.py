"""Contact and friction with one number to look at, which tends to something as steps become short."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from redmax_blender.engine import compile_scene, simulate
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.scene import (
    BodySpec,
    Capsule,
    ColliderSpec,
    Cuboid,
    Cylinder,
    Free,
    JointFriction,
    JointSpec,
    Limits,
    Plane,
    Pose,
    Revolute,
    SceneSpec,
    Sine,
    Sphere,
    Spherical,
    Surface,
)
from redmax_blender.engine.scene.base import Constant

Y = (0.0, 1.0, 0.0)
END = 0.8
"""[s]"""
Answer = tuple[SceneSpec, Callable[[np.ndarray], np.ndarray]]
"""A scene, and what to look at of the poses of its bodies at the end."""


def ground(friction: float = 0.5, tilt: float = 0.0) -> ColliderSpec:
    return ColliderSpec(name="ground", shape=Plane(), pose=Pose(rotation=[0.0, tilt, 0.0]), friction=friction)


def loose(name, shape, at, turn=(0.0, 0.0, 0.0), velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0), **surface):
    return BodySpec(
        name=name, shape=shape, surface=Surface(**surface),
        joint=JointSpec(type=Free(), frame=Pose(tuple(at), list(turn)), qdot=[*velocity, *spin]),
    )  # fmt: skip


def hanging(count: int, kind, **joint) -> list[BodySpec]:
    return [
        BodySpec(
            name=str(i), parent=str(i - 1) if i else None, shape=Cuboid((0.3, 0.05, 0.05)), pose=Pose((0.15, 0.0, 0.0)),
            joint=JointSpec(type=kind, frame=Pose((0.3 if i else 0.0, 0.0, 1.0 if i == 0 else 0.0)), **joint),
        )
        for i in range(count)
    ]  # fmt: skip


def places(poses: np.ndarray) -> np.ndarray:
    return poses[:, 9:]


def last_x(poses: np.ndarray) -> np.ndarray:
    return poses[-1:, 9]


def slides(s: float) -> Answer:
    """A block thrown onto the ground slides to rest."""
    box = loose("box", Cuboid((0.4, 0.4, 0.2)), (0.0, 0.0, 0.1), velocity=(2.0 + s, 0.5, 0.0), friction=0.5)
    return SceneSpec(bodies=[box], colliders=[ground()]), places


def slope(s: float) -> Answer:
    """It slides down a slope that is too steep."""
    tilt = math.radians(35.0 + 3.0 * s)
    at = (0.1 * math.sin(tilt), 0.0, 0.1 * math.cos(tilt))
    box = loose("box", Cuboid((0.4, 0.4, 0.2)), at, (0.0, tilt, 0.0), friction=0.4)
    return SceneSpec(bodies=[box], colliders=[ground(0.4, tilt)]), places


def bowls(s: float) -> Answer:
    """A ball slides until it rolls."""
    ball = loose("ball", Sphere(0.1), (0.0, 0.0, 0.1), velocity=(3.0 + s, 0.0, 0.0), friction=0.3)
    return SceneSpec(bodies=[ball], colliders=[ground(0.3)]), last_x


def lands(s: float) -> Answer:
    """A ball falls with spin, does not bounce, and rolls off."""
    ball = loose("ball", Sphere(0.1), (0.0, 0.0, 0.4 + 0.1 * s), spin=(0.0, 20.0, 0.0), friction=0.5)
    return SceneSpec(bodies=[ball], colliders=[ground()]), last_x


def bounces(s: float) -> Answer:
    """A ball bounces once or twice with friction."""
    ball = loose(
        "ball", Sphere(0.1), (0.0, 0.0, 0.5 + 0.1 * s), spin=(0.0, 10.0, 0.0), velocity=(1.0, 0.0, 0.0),
        friction=0.3, restitution=0.6,
    )  # fmt: skip
    return SceneSpec(bodies=[ball], colliders=[ground(0.3)]), places


def topples(s: float) -> Answer:
    """A pole that stands askew falls over its edge, and lies."""
    tilt = 0.35 + 0.05 * s
    half = np.array([0.1, 0.4])
    high = half[0] * math.sin(tilt) + half[1] * math.cos(tilt)
    pole = loose("pole", Cuboid((0.2, 0.2, 0.8)), (0.0, 0.0, high), (0.0, tilt, 0.0), friction=0.9)
    return SceneSpec(bodies=[pole], colliders=[ground(0.9)]), places


def pendulum(s: float) -> Answer:
    """Two links whose hinges rub."""
    bodies = hanging(2, Revolute(Y), friction=JointFriction(0.3 + 0.05 * s, 0.03, 0.05))
    return SceneSpec(bodies=bodies), places


def balls_that_rub(s: float) -> Answer:
    bodies = hanging(2, Spherical(), friction=JointFriction(0.3 + 0.05 * s, 0.03), qdot=[0.0, 0.0, 1.0])
    return SceneSpec(bodies=bodies), places


def reaches_its_limit(s: float) -> Answer:
    """A link falls against a limit and stays."""
    bodies = hanging(2, Revolute(Y), limits=Limits(lower=-2.0, upper=0.5 + 0.05 * s))
    return SceneSpec(bodies=bodies), places


def conveyed(s: float) -> Answer:
    """A box on a plate that shakes."""
    still = Constant(0.0)
    plate = ColliderSpec(
        name="plate", shape=Cuboid((4.0, 4.0, 0.2)), friction=0.3,
        motion=[Sine(0.2, 1.0 + 0.1 * s), still, Constant(-0.1), still, still, still],
    )  # fmt: skip
    box = loose("box", Cuboid((0.3, 0.2, 0.2)), (0.0, 0.0, 0.1), friction=0.3)
    return SceneSpec(bodies=[box], colliders=[plate]), last_x


def drags(s: float) -> Answer:
    """An arm that hangs from a rail drags its foot over the ground."""
    bodies = hanging(1, Revolute(Y))
    bodies[0].joint.frame = Pose((0.0, 0.0, 0.25))
    bodies[0].surface = Surface(friction=0.3)
    bodies[0].shape = Capsule(0.03, 0.24)
    bodies[0].pose = Pose((0.15, 0.0, 0.0), [0.0, math.pi / 2.0, 0.0])
    bodies.insert(
        0,
        BodySpec(
            name="cart", shape=Cuboid((0.1, 0.1, 0.1)), density=4000.0,
            joint=JointSpec(type=Free(), frame=Pose((0.0, 0.0, 0.05)), qdot=[1.5 + s, 0.0, 0.0, 0.0, 0.0, 0.0]),
            surface=Surface(friction=0.1),
        ),
    )  # fmt: skip
    bodies[1].parent, bodies[1].joint.frame = "cart", Pose((0.05, 0.0, 0.1))
    return SceneSpec(bodies=bodies, colliders=[ground(0.3)]), places


def rolls_down(s: float) -> Answer:
    """A cylinder rolls down a slope."""
    tilt = 0.2 + 0.05 * s
    at = (0.1 * math.sin(tilt), 0.0, 0.1 * math.cos(tilt))
    drum = loose("drum", Cylinder(0.1, 0.3), at, (math.pi / 2.0, 0.0, 0.0), friction=0.8)
    return SceneSpec(bodies=[drum], colliders=[ground(0.8, tilt)]), places


ANSWERS = (
    slides, slope, bowls, lands, bounces, topples, pendulum, balls_that_rub, reaches_its_limit, conveyed, drags,
    rolls_down,
)  # fmt: skip


def answer(
    make: Callable[[float], Answer], s: float, rate: int, integrator: str = "euler-midway"
) -> np.ndarray:
    spec, look = make(s)
    options = Options(h=1.0 / rate, integrator=integrator, sleep=False)
    *_, last = simulate(compile_scene(spec), options, end=END, record=rate)
    return look(last.body_pose)
