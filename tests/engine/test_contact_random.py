"""Random scenes with contacts, friction, joints, mass ratios to 1e6 and steps to 1/24 s: none diverges silently.

A run either stays bounded, or stops with an error that names time and joint. REDMAX_SCENES sets how many are tried; a
thousand of them take some minutes.
"""

from __future__ import annotations

import os

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from redmax_blender.engine import compile_scene
from redmax_blender.engine.diagnostics import energies
from redmax_blender.engine.errors import FAILURES
from redmax_blender.engine.kinematics import forward_kinematics
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
from redmax_blender.engine.simulate import simulate
from redmax_blender.engine.state import Options
from redmax_blender.engine.tally import Tally

SCENES = int(os.environ.get("REDMAX_SCENES", "30"))
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


@settings(
    max_examples=SCENES, deadline=None, derandomize=SCENES <= 30, suppress_health_check=list(HealthCheck)
)
@given(
    seed=st.integers(0, 2**32 - 1),
    h=st.sampled_from([1 / 24, 1 / 60, 1 / 240]),
    integrator=st.sampled_from(["euler", "euler-midway"]),
)
def test_none_diverges_silently(seed, h, integrator):
    model = compile_scene(random_scene(seed))
    tally = Tally()
    start = model.initial_state()
    first = energies(model, start, forward_kinematics(model, start))
    mass = float(model.bodies.inertia[:, 3].sum())
    try:
        frames = list(simulate(model, Options(h=h, integrator=integrator), end=STEPS * h, tally=tally))
    except FAILURES as error:
        assert "t = " in str(error)  # it says when
        return
    last = frames[-1]
    assert np.isfinite(last.state.q).all() and np.isfinite(last.energy).all()
    # Contact adds no energy. Explicit gyroscopic forces do, where something spins fast for the step (`euler` says so).
    spins = max(float(np.abs(frame.state.qdot).max()) for frame in frames) * h > 0.3
    scale = float(first[0]) + mass * 9.81 * 3.0
    grown = float(last.energy.sum() - first.sum()) > 0.5 * scale
    assert not grown or spins or tally.dry.unsettled > 0
