"""No shape passes a wall of a millimetre, however fast it flies and spins, wherever its centre of mass is."""

from __future__ import annotations

import math

import numpy as np
import pytest

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.contact.shapes.hulls import convex_hull
from redmax_blender.engine.integrators.euler import EulerSteps, euler_midway
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import Options, State
from redmax_blender.engine.scene import (
    BodySpec,
    Capsule,
    ColliderSpec,
    Composite,
    Cuboid,
    Cylinder,
    Ellipsoid,
    Free,
    JointSpec,
    Mesh,
    Pose,
    SceneSpec,
    Surface,
)
from redmax_blender.engine.scene.shapes import Part
from redmax_blender.engine.tree.kinematics import body_poses, forward_kinematics

CM = 0.01
SEEDS = 6


def hull(corners: list[list[float]]) -> Mesh:
    found = convex_hull(np.array(corners), "corners")
    fans = [[f[0], f[k], f[k + 1]] for f in found.faces for k in range(1, len(f) - 1)]
    return Mesh(vertices=found.points.tolist(), triangles=fans)


def ring(radius: float) -> list[list[float]]:
    angles = [k * math.pi / 6.0 for k in range(12)]
    return [[radius * math.cos(a), radius * math.sin(a), 0.0] for a in angles]


SHAPES = {
    # The middle of its box is outside of it.
    "tetrahedron": hull([[0, 0, 0], [CM, 0, 0], [0, CM, 0], [0, 0, CM]]),
    "cone": hull([*ring(0.4 * CM), [0, 0, 3 * CM]]),
    "wedge": hull([[x, y, z] for x, y in ((0, 0), (2 * CM, 0), (0, CM)) for z in (0, 0.5 * CM)]),
    "box": Cuboid((CM, CM, CM)),
    "rod": Cuboid((0.2 * CM, 0.2 * CM, 4 * CM)),
    "capsule": Capsule(radius=0.25 * CM, height=0.5 * CM),
    "cylinder": Cylinder(radius=0.5 * CM, height=CM),
    "ellipsoid": Ellipsoid((0.2 * CM, 0.5 * CM, 0.3 * CM)),
    "hammer": Composite(
        parts=[
            Part(shape=Cuboid((2 * CM, CM, CM)), density=8000.0),
            Part(shape=Cuboid((0.3 * CM, 0.3 * CM, 4 * CM)), pose=Pose((0.0, 0.0, 2.5 * CM)), density=500.0),
        ]
    ),
}


def shoot(name: str, h: float, speed: float, spin: float, seed: int) -> EulerSteps:
    """A body that flies along x into a wall, turned and spun at random; the run until it would be far beyond."""
    draw = np.random.default_rng(seed)
    velocity = speed * np.array([1.0, *draw.uniform(-0.02, 0.02, 2)])
    away = float(draw.uniform(0.1, 2.5)) * max(speed * h, 0.1) + 0.06
    axis = draw.normal(size=3)
    turned = draw.uniform(-2.0, 2.0, 3).tolist()
    body = BodySpec(
        name="bullet",
        shape=SHAPES[name],
        joint=JointSpec(type=Free(), frame=Pose((-away, 0.0, 0.0), rotation=turned)),
        surface=Surface(friction=0.5),
    )
    wall = ColliderSpec(name="wall", shape=Cuboid((0.001, 4.0, 4.0)), friction=0.5)
    model = compile_scene(SceneSpec(bodies=[body], colliders=[wall]))
    start = launched(model, velocity, spin * axis / np.linalg.norm(axis))
    steps = euler_midway(model, start, Options(h=h, sleep=False))
    for _ in range(round(away / speed / h) + 6):
        next(steps)
    return steps


def launched(model: Model, velocity: np.ndarray, spin: np.ndarray) -> State:
    """With these velocities of the only body's joint in the world."""
    s, link = model.initial_state(), model.bodies.link[0]
    rates = np.eye(model.nr)
    V = [forward_kinematics(model, State(s.t, s.q, rate, s.chart)).V[link] for rate in rates]
    R = forward_kinematics(model, s).E_wj[link, :9].reshape(3, 3)
    qdot = np.linalg.solve(np.array(V).T, np.concatenate([R.T @ spin, R.T @ velocity]))
    return State(s.t, s.q, qdot, s.chart, s.x, s.v)


@pytest.mark.parametrize("rate", [24, 60, 240, 960])
@pytest.mark.parametrize("name", SHAPES)
def test_a_centimetre_never_passes_a_wall_of_a_millimetre(name: str, rate: int) -> None:
    h = 1.0 / rate
    through = []
    for speed, spin in ((500.0, 0.0), (20.0, 0.3 / h), (20.0, 2.0 / h), (100.0, 5.0 / h)):
        for seed in range(SEEDS):
            steps = shoot(name, h, speed, spin, seed)
            kin = forward_kinematics(steps.model, steps.state)
            if not body_poses(steps.model.bodies, kin)[0, 9] < 0.0:
                through.append((speed, round(spin), seed))
    assert not through
