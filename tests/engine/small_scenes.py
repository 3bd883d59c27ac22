"""Scenes and states that several tests share, and derivatives by differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from redmax_blender.engine.algebra import se3
from redmax_blender.engine.model.records import Floats, Model
from redmax_blender.engine.model.state import State
from redmax_blender.engine.scene import (
    BodySpec,
    Cuboid,
    Fixed,
    Free,
    JointSpec,
    Pose,
    Prismatic,
    Revolute,
    SceneSpec,
    Spherical,
    Universal,
)
from redmax_blender.engine.tree.kinematics import Kinematics


def mixed_tree() -> list[BodySpec]:
    """Six bodies on two roots with most kinds of joints; joint frames and body frames are turned and moved."""

    def body(
        name: str, parent: str | None, joint: Any, at: tuple[float, float, float], turn: list[float]
    ) -> BodySpec:
        return BodySpec(
            name=name,
            parent=parent,
            shape=Cuboid(sides=(0.3, 0.2, 0.1)),
            pose=Pose(position=(0.15, 0.02, -0.03), rotation=[0.2, -0.1, 0.3]),
            joint=JointSpec(type=joint, frame=Pose(position=at, rotation=turn)),
        )

    return [
        body("base", None, Free(), (0.0, 0.0, 0.0), [0.1, 0.2, 0.3]),
        body("arm", "base", Spherical(), (0.3, 0.0, 0.1), [0.0, 0.4, 0.0]),
        body("hand", "arm", Revolute(axis=(0.3, 1.0, 0.2)), (0.3, 0.1, 0.0), [0.5, 0.0, 0.0]),
        body("tail", "base", Universal(), (-0.2, 0.1, 0.0), [0.0, 0.0, 1.0]),
        body("post", None, Fixed(), (1.0, 0.0, 0.0), [0.0, 0.3, 0.0]),
        body("slide", "post", Prismatic(axis=(0.0, 0.6, 0.8)), (0.0, 0.0, 0.5), [0.2, 0.0, 0.1]),
    ]


def pendulum(length: float = 1.0, mass: float = 2.0, **joint: Any) -> SceneSpec:
    """A small cube on a massless rod along -z, swinging about y."""
    return SceneSpec(
        bodies=[
            BodySpec(
                name="bob",
                shape=Cuboid(sides=(1e-3, 1e-3, 1e-3)),
                mass=mass,
                pose=Pose(position=(0.0, 0.0, -length)),
                joint=JointSpec(type=Revolute(axis=(0.0, 1.0, 0.0)), **joint),
            )
        ]
    )


def random_state(model: Model, seed: int, speed: float = 1.0, spread: float = 0.6) -> State:
    """Coordinates and velocities drawn at random; prescribed coordinates keep the motion's."""
    rng = np.random.default_rng(seed)
    start = model.initial_state()
    free = model.joints.free
    q = np.where(free, start.q + rng.uniform(-spread, spread, model.nr), start.q)
    qdot = np.where(free, rng.uniform(-speed, speed, model.nr), start.qdot)
    return State(start.t, q, qdot, start.chart)


def moved(kin: Kinematics, link: int, xi: Floats) -> Kinematics:
    """The same with one link displaced by the twist ξ in its own frame, whatever its joint would allow."""
    E_wj = kin.E_wj.copy()
    E_wj[link] = se3.pose_row(se3.pose_matrix(E_wj[link]) @ se3.exp(xi))
    return replace(kin, E_wj=E_wj)


def faster(kin: Kinematics, link: int, dV: Floats) -> Kinematics:
    """The same with the twist of one link changed."""
    V = kin.V.copy()
    V[link] += dV
    return replace(kin, V=V)


def central(f: Callable[[float], Floats], step: float = 1e-5) -> Floats:
    """Derivative of f at 0 by central differences, extrapolated to fourth order."""

    def slope(s: float) -> Floats:
        return (np.asarray(f(s)) - np.asarray(f(-s))) / (2.0 * s)

    return (4.0 * slope(0.5 * step) - slope(step)) / 3.0


def per_twist(
    kin: Kinematics,
    change: Callable[[Kinematics, int, Floats], Kinematics],
    f: Callable[[Kinematics], Floats],
) -> Floats:
    """Derivative of f by all components of all links' displacements (`moved`) or twists (`faster`): (…, 6 nl)."""
    columns = []
    for link in range(len(kin.V)):
        for e in np.eye(6):
            columns.append(central(lambda s, link=link, e=e: f(change(kin, link, s * e)).ravel(), 1e-4))
    return np.array(columns).T
