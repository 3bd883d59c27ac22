"""Random scenes with contacts, friction, joints and mass ratios to 1e6, and how a run of one ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from redmax_blender.engine import compile_scene
from redmax_blender.engine.errors import FAILURES
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.run.energy import energies
from redmax_blender.engine.run.simulate import simulate
from redmax_blender.engine.run.tally import GROWN as SWELLS
from redmax_blender.engine.run.tally import Tally
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
    Sphere,
    Spherical,
    Surface,
)
from redmax_blender.engine.tree.kinematics import forward_kinematics

STEPS = 40


def shape(draw: np.random.Generator, size: float):
    kind = draw.integers(4)
    if kind == 0:
        return Sphere(0.5 * size)
    if kind == 1:
        return Capsule(radius=0.2 * size, height=size)
    if kind == 2:
        return Cylinder(radius=0.4 * size, height=size)
    return Cuboid(tuple((size * draw.uniform(0.3, 1.0, 3)).tolist()))


def random_scene(seed: int) -> SceneSpec:
    """Up to eight bodies, free or hanging on each other, above a ground with a ramp; masses from 1 g to 1 t."""
    draw = np.random.default_rng(seed)
    bodies: list[BodySpec] = []
    for i in range(int(draw.integers(1, 9))):
        size = float(draw.uniform(0.2, 0.6))
        free = i == 0 or draw.random() < 0.6
        if free:
            at = (float(draw.uniform(-1, 1)), float(draw.uniform(-1, 1)), float(draw.uniform(0.5, 3.0)))
            joint = JointSpec(
                type=Free(),
                frame=Pose(at, rotation=draw.uniform(-2, 2, 3).tolist()),
                qdot=[*draw.uniform(-5, 5, 3).tolist(), *draw.uniform(-3, 3, 3).tolist()],
            )
            parent = None
        else:
            parent = bodies[int(draw.integers(len(bodies)))].name
            rubs = JointFriction(float(draw.uniform(0, 1)), 0.05, 0.1) if draw.random() < 0.5 else None
            at = tuple(draw.uniform(-0.7, 0.7, 3).tolist())
            if draw.random() < 0.5:
                limits = Limits(lower=-0.5, upper=0.5) if draw.random() < 0.5 else None
                joint = JointSpec(type=Revolute((0, 0, 1)), frame=Pose(at), limits=limits, friction=rubs)
            else:
                joint = JointSpec(type=Spherical(), frame=Pose(at), friction=rubs)
        bodies.append(
            BodySpec(
                name=str(i),
                parent=parent,
                shape=shape(draw, size),
                mass=float(10 ** draw.uniform(-3, 3)),
                joint=joint,
                surface=Surface(
                    friction=float(draw.uniform(0, 1.5)), restitution=float(draw.uniform(0, 0.5))
                ),
            )
        )
    ramp = ColliderSpec(
        name="ramp",
        shape=Cuboid((2.0, 2.0, 0.2)),
        pose=Pose((0.5, 0.0, 0.2), rotation=[0.0, float(draw.uniform(-1, 1)), 0.0]),
    )
    return SceneSpec(bodies=bodies, colliders=[ColliderSpec(name="ground", shape=Plane()), ramp])


@dataclass(frozen=True)
class Outcome:
    """How a run ended."""

    kind: str
    """One of `KINDS`."""
    told: str = ""
    """What the user is told: the error, or the remarks of the tally."""
    grown: float = 0.0
    """Energy that it has gained, as a part of what it had at the start and could have got by falling."""
    divided: int = 0
    """Steps that were divided."""
    swells: bool = False
    """Whether energy came out of nothing on the way, by a noticeable part."""


KINDS = ("ended", "unsettled", "stopped", "gained", "silent")
"""Came to its end; did so with steps that its remarks call unsettled; stopped with an error that says when; came to its
end with more energy than it can have; came to it without numbers, or stopped with an error that does not say when."""
GROWN = 0.5


def run_scene(seed: int, h: float, integrator: str) -> Outcome:
    """Forty steps of h [s] of a scene."""
    model = compile_scene(random_scene(seed))
    tally, start = Tally(), model.initial_state()
    first = energies(model, start, forward_kinematics(model, start))
    mass = float(model.bodies.inertia[:, 3].sum())
    try:
        frames = list(simulate(model, Options(h=h, integrator=integrator), end=STEPS * h, tally=tally))
    except FAILURES as error:
        return Outcome("stopped" if "t = " in str(error) else "silent", str(error), divided=tally.divided)
    last, told = frames[-1], " ".join(tally.remarks())
    if not (np.isfinite(last.state.q).all() and np.isfinite(last.energy).all()):
        return Outcome("silent", told)
    grown = float(last.energy.sum() - first.sum()) / (float(first[0]) + mass * 9.81 * 3.0)
    kind = "gained" if grown > GROWN else "unsettled" if tally.dry.unsettled else "ended"
    return Outcome(kind, told, grown, tally.divided, tally.growth.most > SWELLS)
