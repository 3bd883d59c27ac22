"""Stacks, walls and piles of boxes against MuJoCo and PyBullet: the same boxes, step and coefficients, in one run.

Steps of 1/240 s, friction 0.5, all in one thread. MuJoCo: Newton's solver, elliptic cones, its default softness of
contacts, 100 iterations and a tolerance of 1e-8. PyBullet: its default sequential impulses, 50 iterations. Ours:
contacts as hard as rounding allows, impulses to 1e-5 where things rest and to 1e-2 where they tumble, kept awake: a
stack that sleeps costs next to nothing. Reported are the processor's time for a second of the scene, the deepest
overlap, and how far the boxes crept sideways in the second half: for a pile, which still tumbles then, that is how far
they flew. Each runs the scene once before it is timed, so that kernels are compiled and loaded. Steps are taken in
frames of ten, in one call where an engine has such a call; PyBullet has not.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import mujoco
import numpy as np

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.integrators.euler import euler
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.scene import (
    BodySpec,
    ColliderSpec,
    Cuboid,
    Free,
    JointSpec,
    Plane,
    Pose,
    SceneSpec,
    Surface,
)
from redmax_blender.engine.tree.kinematics import body_poses, forward_kinematics

from .timing import Row, row, take

BENCH = "contact"
H = 1.0 / 240.0
FRAME = 10
"""Steps."""
SIDES = (0.4, 0.4, 0.2)
DENSITY, MU = 500.0, 0.5
Floats = np.ndarray
Places = list[tuple[float, float, float]]


def stack(count: int) -> Places:
    return [(0.01 * (i % 3), 0.0, 0.1 + 0.2 * i) for i in range(count)]


def pile(count: int) -> Places:
    draw = np.random.default_rng(0)
    return [(*draw.uniform(-0.3, 0.3, 2).tolist(), 0.3 + 0.45 * i) for i in range(count)]


def wall(count: int) -> Places:
    """Courses of five, each a quarter of a box to the side of the last."""
    wide = SIDES[0] + 1e-3
    return [((i % 5 + 0.25 * (i // 5 % 2)) * wide, 0.0, 0.1 + 0.2 * (i // 5)) for i in range(count)]


@dataclass
class Runner:
    advance: Callable[[int], None]
    places: Callable[[], Floats]
    overlap: Callable[[], float]


def ours(places: Places) -> Runner:
    scene = SceneSpec(
        bodies=[
            BodySpec(
                name=str(i),
                shape=Cuboid(SIDES),
                density=DENSITY,
                joint=JointSpec(type=Free(), frame=Pose(at)),
                surface=Surface(friction=MU),
            )
            for i, at in enumerate(places)
        ],
        colliders=[ColliderSpec(name="ground", shape=Plane(), friction=MU)],
    )
    model = compile_scene(scene)
    steps = euler(model, model.initial_state(), Options(h=H, sleep=False))

    def overlap() -> float:
        dry = steps.memory.report.dry
        return (
            0.0
            if dry is None or dry.contacts is None
            else max(0.0, -float(dry.contacts.gap.min(initial=0.0)))
        )

    return Runner(
        partial(take, steps),
        lambda: body_poses(model.bodies, forward_kinematics(model, steps.state))[:, 9:],
        overlap,
    )


def in_mujoco(places: Places) -> Runner:
    spec = mujoco.MjSpec()
    spec.option.timestep = H
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    half = [s / 2 for s in SIDES]
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[10, 10, 1], friction=[MU, 0, 0], condim=3)
    for at in places:
        body = spec.worldbody.add_body(pos=at)
        body.add_freejoint()
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX, size=half, density=DENSITY, friction=[MU, 0, 0], condim=3
        )
    model = spec.compile()
    data = mujoco.MjData(model)
    return Runner(
        lambda count: mujoco.mj_step(model, data, count),
        lambda: data.qpos.reshape(-1, 7)[:, :3].copy(),
        lambda: max(0.0, -float(data.contact.dist.min())) if data.ncon else 0.0,
    )


def in_pybullet(places: Places) -> Runner:
    import pybullet as p

    client = p.connect(p.DIRECT)
    p.setGravity(0, 0, -9.81, physicsClientId=client)
    p.setTimeStep(H, physicsClientId=client)
    half = [s / 2 for s in SIDES]
    ground = p.createMultiBody(
        0, p.createCollisionShape(p.GEOM_PLANE, physicsClientId=client), physicsClientId=client
    )
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=half, physicsClientId=client)
    mass = DENSITY * float(np.prod(SIDES))
    boxes = [p.createMultiBody(mass, shape, basePosition=at, physicsClientId=client) for at in places]
    for body in [ground, *boxes]:
        p.changeDynamics(body, -1, lateralFriction=MU**0.5, physicsClientId=client)  # it multiplies the two

    def overlap() -> float:
        found = p.getContactPoints(physicsClientId=client)
        return max([0.0, *(-contact[8] for contact in found)])

    def advance(count: int) -> None:
        for _ in range(count):
            p.stepSimulation(physicsClientId=client)

    return Runner(
        advance,
        lambda: np.array([p.getBasePositionAndOrientation(b, physicsClientId=client)[0] for b in boxes]),
        overlap,
    )


def measure(make: Callable[[Places], Runner], places: Places, seconds: float) -> tuple[float, float, float]:
    """Time for a second of the scene [s], deepest overlap [m], and creep in the last half [m]."""
    frames, spent, deepest = round(seconds / H / FRAME), 0.0, 0.0
    runner = make(places)
    for _ in range(frames):
        runner.advance(FRAME)
    runner = make(places)
    half = np.zeros(0)
    for k in range(frames):
        begin = time.process_time()
        runner.advance(FRAME)
        spent += time.process_time() - begin
        deepest = max(deepest, runner.overlap())
        if k == frames // 2:
            half = runner.places()
    return spent / seconds, deepest, float(np.abs(runner.places() - half)[:, :2].max())


def rows() -> Iterator[Row]:
    cases = (
        ("stack", stack(10), 2.0),
        ("wall", wall(30), 1.0),
        ("pile", pile(20), 2.0),
        ("pile", pile(100), 2.0),
    )
    for case, places, seconds in cases:
        mine = measure(ours, places, seconds)
        for name, make in (("MuJoCo", in_mujoco), ("PyBullet", in_pybullet)):
            theirs = measure(make, places, seconds)
            note = f"overlap {mine[1]:.1e} / {theirs[1]:.1e} m, creep {mine[2]:.1e} / {theirs[2]:.1e} m"
            yield row(BENCH, f"{case}, 1 s", len(places), mine[0], name, theirs[0], note)


if __name__ == "__main__":
    for line in rows():
        print(line, flush=True)
