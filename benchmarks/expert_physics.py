"""Scenes with a known answer, by us and by MuJoCo in one run: how far each engine is off, and the processor's time.

Rolling at 2 m/s on the level for 4 s at 1/60 s: the change of speed. Bullets of a centimetre at 500 m/s against a wall
of a millimetre at 1/24 s: how many pass or end in an error. A row of five equal balls a millimetre apart, the first at
1 m/s, fully elastic, at 1/240 s: the change of the last one's speed from 1 m/s. Stacks of three boxes for half a second
at 1/240 s: how far the top one has sunk, in its own sizes.

MuJoCo: Newton solver, elliptic cones, its default softness of contacts; the elastic balls have springs without damping
as contacts, as stiff as the step allows. Ours: the defaults of Blender, kept awake.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator

import mujoco
import numpy as np

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import FAILURES
from redmax_blender.engine.integrators.euler import EulerSteps, euler_midway
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.scene import (
    BodySpec,
    Capsule,
    ColliderSpec,
    Cuboid,
    Cylinder,
    Ellipsoid,
    Free,
    JointSpec,
    Plane,
    Pose,
    Revolute,
    SceneSpec,
    Sphere,
    Surface,
)
from redmax_blender.engine.tree.kinematics import body_poses, forward_kinematics

from .timing import Row, row

BENCH = "expert-physics"
Floats = np.ndarray
GEOM = mujoco.mjtGeom
LAID = (math.pi / 2.0, 0.0, 0.0)
"""Rotation vector that lays an axis along z down across the way [rad]."""
ROUND = {
    "sphere": (Sphere(0.1), GEOM.mjGEOM_SPHERE, [0.1, 0, 0]),
    "capsule": (Capsule(radius=0.1, height=0.3), GEOM.mjGEOM_CAPSULE, [0.1, 0.15, 0]),
    "cylinder": (Cylinder(radius=0.1, height=0.3), GEOM.mjGEOM_CYLINDER, [0.1, 0.15, 0]),
    "ellipsoid": (Ellipsoid((0.1, 0.1, 0.2)), GEOM.mjGEOM_ELLIPSOID, [0.1, 0.1, 0.2]),
}
CM = 0.01
BULLETS = {
    "sphere": (Sphere(0.5 * CM), GEOM.mjGEOM_SPHERE, [0.5 * CM, 0, 0]),
    "box": (Cuboid((CM, CM, CM)), GEOM.mjGEOM_BOX, [0.5 * CM] * 3),
    "cylinder": (Cylinder(radius=0.5 * CM, height=CM), GEOM.mjGEOM_CYLINDER, [0.5 * CM, 0.5 * CM, 0]),
    "capsule": (Capsule(radius=0.25 * CM, height=0.5 * CM), GEOM.mjGEOM_CAPSULE, [0.25 * CM, 0.25 * CM, 0]),
}
SHOTS = 12
SIZES = (1e-4, 1e-2, 1.0, 100.0, 1e4)


def rows() -> Iterator[Row]:
    for name in ROUND:
        yield _case(f"rolling {name}", 1, lambda n=name: _rolls(n), lambda n=name: _rolls_in_mujoco(n))
    yield _case("rolling cart", 3, _cart, _cart_in_mujoco)
    for name in BULLETS:
        yield _case(f"bullets {name}", SHOTS, lambda n=name: _shots(n), lambda n=name: _shots_in_mujoco(n))
    yield _case("cradle", 5, _cradle, _cradle_in_mujoco)
    for size in SIZES:
        yield _case(f"stack of {size:g} m", 3, lambda s=size: _stack(s), lambda s=size: _stack_in_mujoco(s))


def _case(name: str, n: int, ours: Callable[[], float], rival: Callable[[], float]) -> Row:
    ours()  # compiles
    begin = time.process_time()
    error = ours()
    middle = time.process_time()
    theirs = rival()
    end = time.process_time()
    return row(
        BENCH, name, n, middle - begin, "MuJoCo", end - middle, f"error {error:.1e}, MuJoCo {theirs:.1e}"
    )


# Ours


def _run(spec: SceneSpec, h: float, seconds: float) -> EulerSteps:
    model = compile_scene(spec)
    steps = euler_midway(model, model.initial_state(), Options(h=h, sleep=False))
    count = round(seconds / h)
    while count > 0:
        count -= steps.advance(count)
    return steps


def _free(name: str, shape, at, mass=None, turned=(0.0, 0.0, 0.0), qdot=(0.0,) * 6, **surface) -> BodySpec:
    return BodySpec(
        name=name,
        shape=shape,
        mass=mass,
        pose=Pose((0.0, 0.0, 0.0), rotation=list(turned)),
        joint=JointSpec(type=Free(), frame=Pose(tuple(at)), qdot=list(qdot)),
        surface=Surface(**surface),
    )


GROUND = ColliderSpec(name="ground", shape=Plane(), friction=0.8)


def _rolls(name: str) -> float:
    turned = (0.0, 0.0, 0.0) if name == "sphere" else LAID
    body = _free("body", ROUND[name][0], (0, 0, 0.1), 1.0, turned, (2, 0, 0, 0, 20, 0), friction=0.8)
    body.joint.type = Free(rotation="euler")
    steps = _run(SceneSpec(bodies=[body], colliders=[GROUND]), 1 / 60, 4.0)
    return abs(float(steps.state.qdot[0]) / 2.0 - 1.0)


def _cart() -> float:
    cart = _free("cart", Cuboid((0.6, 0.3, 0.1)), (0, 0, 0.15), 5.0, qdot=(2, 0, 0, 0, 0, 0))
    cart.surface = None
    axles = [
        BodySpec(
            name=f"axle {x}",
            parent="cart",
            shape=Cylinder(radius=0.1, height=0.4),
            mass=1.0,
            pose=Pose((0, 0, 0), rotation=list(LAID)),
            joint=JointSpec(type=Revolute((0, 1, 0)), frame=Pose((x, 0, -0.05)), qdot=20.0),
            surface=Surface(friction=0.8),
        )
        for x in (-0.2, 0.2)
    ]
    steps = _run(SceneSpec(bodies=[cart, *axles], colliders=[GROUND]), 1 / 60, 4.0)
    return abs(float(steps.state.qdot[0]) / 2.0 - 1.0)


def _start(seed: int) -> tuple[Floats, float, Floats]:
    """Velocity [m/s], place along x [m] and rotation vector [rad] of a bullet."""
    draw = np.random.default_rng(seed)
    velocity = 500.0 * np.array([1.0, *draw.uniform(-0.02, 0.02, 2)])
    return velocity, -float(draw.uniform(0.1, 2.5)) * 500.0 / 24.0 - 0.02, draw.uniform(-2, 2, 3)


def _shots(name: str) -> float:
    wall = ColliderSpec(name="wall", shape=Cuboid((0.001, 4.0, 4.0)), friction=0.5)
    lost = 0
    for seed in range(SHOTS):
        velocity, x, turned = _start(seed)
        body = _free("body", BULLETS[name][0], (x, 0, 0), 0.01, turned, (*velocity, 0, 0, 0), friction=0.5)
        try:
            steps = _run(SceneSpec(bodies=[body], colliders=[wall]), 1 / 24, 8 / 24)
            lost += not _places(steps)[0, 0] < 0.0
        except FAILURES:
            lost += 1
    return lost / SHOTS


def _places(steps: EulerSteps) -> Floats:
    return body_poses(steps.model.bodies, forward_kinematics(steps.model, steps.state))[:, 9:]


def _cradle() -> float:
    balls = [
        _free(
            str(i), Sphere(0.05), (0.101 * i, 0, 0), 1.0, qdot=(float(i == 0), 0, 0, 0, 0, 0), restitution=1.0
        )
        for i in range(5)
    ]
    steps = _run(SceneSpec(bodies=balls, gravity=(0, 0, 0)), 1 / 240, 0.2)
    return abs(float(steps.state.qdot[24]) - 1.0)


def _stack(size: float) -> float:
    boxes = [_free(str(i), Cuboid((size,) * 3), (0, 0, size * (0.5 + i)), friction=0.5) for i in range(3)]
    steps = _run(SceneSpec(bodies=boxes, colliders=[GROUND]), 1 / 240, 0.5)
    return abs(float(_places(steps)[2, 2]) / size - 2.5)


# MuJoCo


def _spec(h: float) -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    spec.option.timestep = h
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    return spec


def _ground(spec: mujoco.MjSpec) -> None:
    spec.worldbody.add_geom(type=GEOM.mjGEOM_PLANE, size=[100, 100, 1], friction=[0.8, 0, 0], condim=3)


def _add(spec: mujoco.MjSpec, geom, size, at, mass: float, turned=(0.0, 0.0, 0.0), mu=0.8, **more) -> None:
    body = spec.worldbody.add_body(pos=list(at))
    body.add_freejoint()
    angle = float(np.linalg.norm(turned))
    axis = np.array(turned) / angle if angle else np.array([1.0, 0.0, 0.0])
    quat = [math.cos(angle / 2), *(math.sin(angle / 2) * axis)]
    body.add_geom(type=geom, size=size, mass=mass, quat=quat, friction=[mu, 0, 0], condim=3, **more)


def _rolls_in_mujoco(name: str) -> float:
    spec = _spec(1 / 60)
    _ground(spec)
    _add(spec, *ROUND[name][1:], (0, 0, 0.1), 1.0, (0.0, 0.0, 0.0) if name == "sphere" else LAID)
    model = spec.compile()
    data = mujoco.MjData(model)
    # A free joint's angular velocity is about the body's own axes, which are those of the joint here.
    data.qvel[0], data.qvel[4] = 2.0, 20.0
    mujoco.mj_step(model, data, 240)
    return abs(float(data.qvel[0]) / 2.0 - 1.0)


def _cart_in_mujoco() -> float:
    spec = _spec(1 / 60)
    _ground(spec)
    cart = spec.worldbody.add_body(pos=[0, 0, 0.15])
    cart.add_freejoint()
    cart.add_geom(type=GEOM.mjGEOM_BOX, size=[0.3, 0.15, 0.05], mass=5.0, contype=0, conaffinity=0)
    for x in (-0.2, 0.2):
        axle = cart.add_body(pos=[x, 0, -0.05])
        axle.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 1, 0])
        axle.add_geom(
            type=GEOM.mjGEOM_CYLINDER,
            size=[0.1, 0.2, 0],
            quat=[math.cos(math.pi / 4), math.sin(math.pi / 4), 0, 0],
            mass=1.0,
            friction=[0.8, 0, 0],
            condim=3,
        )
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qvel[0], data.qvel[6], data.qvel[7] = 2.0, 20.0, 20.0
    mujoco.mj_step(model, data, 240)
    return abs(float(data.qvel[0]) / 2.0 - 1.0)


def _shots_in_mujoco(name: str) -> float:
    lost = 0
    for seed in range(SHOTS):
        velocity, x, turned = _start(seed)
        spec = _spec(1 / 24)
        spec.option.gravity = [0, 0, -9.81]
        spec.worldbody.add_geom(type=GEOM.mjGEOM_BOX, size=[0.0005, 2, 2], friction=[0.5, 0, 0], condim=3)
        _add(spec, *BULLETS[name][1:], (x, 0, 0), 0.01, turned, 0.5)
        model = spec.compile()
        data = mujoco.MjData(model)
        data.qvel[:3] = velocity
        mujoco.mj_step(model, data, 8)
        lost += not data.qpos[0] < 0.0
    return lost / SHOTS


def _cradle_in_mujoco() -> float:
    h = 1 / 240
    spec = _spec(h)
    spec.option.gravity = [0, 0, 0]
    for i in range(5):
        _add(
            spec, GEOM.mjGEOM_SPHERE, [0.05, 0, 0], (0.101 * i, 0, 0), 1.0, mu=0.0, solref=[-0.1 / h**2, 0.0]
        )
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qvel[0] = 1.0
    mujoco.mj_step(model, data, round(0.2 / h))
    return abs(float(data.qvel[24]) - 1.0)


def _stack_in_mujoco(size: float) -> float:
    spec = _spec(1 / 240)
    _ground(spec)
    for i in range(3):
        _add(spec, GEOM.mjGEOM_BOX, [0.5 * size] * 3, (0, 0, size * (0.5 + i)), 1000.0 * size**3, mu=0.5)
    try:
        model = spec.compile()
    except ValueError:  # it refuses masses below 1e-15 kg
        return math.nan
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 120)
    return abs(float(data.qpos[16]) / size - 2.5)
