"""Contact at the steps that users have: blows on what sleeps, rolling, bullets, and stacks of any size."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from redmax_blender.engine import compile_scene
from redmax_blender.engine.integrators.euler import EulerSteps, euler, euler_midway
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
    Mesh,
    Plane,
    Pose,
    Revolute,
    SceneSpec,
    Sphere,
    Surface,
)
from redmax_blender.engine.tree.kinematics import body_poses, forward_kinematics

STEPS = [1 / 24, 1 / 60, 1 / 240, 1 / 960]
SMOOTH = ColliderSpec(name="ground", shape=Plane(), friction=0.0)
ROUGH = ColliderSpec(name="ground", shape=Plane(), friction=0.8)
WIDE = [(-50.0, -50.0, 0.0), (50.0, -50.0, 0.0), (50.0, 50.0, 0.0), (-50.0, 50.0, 0.0)]
GROUNDS = {
    "plane": ROUGH,
    "box": ColliderSpec(
        name="ground", shape=Cuboid((99.0, 99.0, 1.0)), pose=Pose((0.0, 0.0, -0.5)), friction=0.8
    ),
    "mesh": ColliderSpec(
        name="ground", shape=Mesh(vertices=WIDE, triangles=[(0, 1, 2), (0, 2, 3)]), friction=0.8
    ),
}


def free(name, shape, at, mass=None, turned=(0.0, 0.0, 0.0), velocity=(0.0, 0.0, 0.0), **surface) -> BodySpec:
    return BodySpec(
        name=name,
        shape=shape,
        mass=mass,
        pose=Pose((0.0, 0.0, 0.0), rotation=list(turned)),
        joint=JointSpec(type=Free(rotation="euler"), frame=Pose(tuple(at)), qdot=[*velocity, 0.0, 0.0, 0.0]),
        surface=Surface(**surface),
    )


def run(spec: SceneSpec, h: float, seconds: float, **options) -> EulerSteps:
    model = compile_scene(spec)
    steps = euler(model, model.initial_state(), Options(h=h, **options))
    for _ in range(round(seconds / h)):
        next(steps)
    return steps


def asleep(steps: EulerSteps) -> int:
    dry = steps.memory.report.dry
    return 0 if dry is None else dry.asleep


def pushed(steps: EulerSteps, coordinate: int, speed: float) -> None:
    qdot = steps.state.qdot.copy()
    qdot[coordinate] = speed
    steps.state = replace(steps.state, qdot=qdot)


# Blows on what sleeps


@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize("away", [2.5, 2.77, 3.1, 3.33])
def test_a_blow_on_a_sleeper_keeps_momentum_at_any_distance(h: float, away: float) -> None:
    """A ton at 4 m/s runs into a crate of 10 kg that sleeps: a wall, it used to be, for the step that saw it coming."""
    crate = free("crate", Cuboid((0.5, 0.5, 0.5)), (0.0, 0.0, 0.25), 10.0, friction=0.0)
    ram = free("ram", Cuboid((0.5, 0.5, 0.5)), (-0.5 - away, 0.0, 0.25), 1000.0, velocity=(4.0, 0.0, 0.0))
    model = compile_scene(SceneSpec(bodies=[crate, ram], colliders=[SMOOTH]))
    steps = euler(model, model.initial_state(), Options(h=h))
    slept = 0
    for _ in range(round((away / 4.0 + 0.2) / h)):
        next(steps)
        slept = max(slept, asleep(steps))
    assert slept == 1
    v = steps.state.qdot[[0, 6]]
    assert 10.0 * v[0] + 1000.0 * v[1] == pytest.approx(4000.0, rel=1e-9)
    assert v == pytest.approx(4000.0 / 1010.0, rel=1e-3)


@pytest.mark.parametrize("h", STEPS)
def test_a_blow_goes_on_through_a_row_of_sleepers(h: float) -> None:
    """Balls that lie in a row against each other and fell asleep one after the other."""
    balls = [free(str(i), Sphere(0.1), (0.2 * i, 0.0, 0.1), 1.0, restitution=0.5) for i in range(4)]
    last = free("cue", Sphere(0.1), (-1.0, 0.0, 0.1), 5.0, restitution=0.5)
    model = compile_scene(SceneSpec(bodies=[*balls, last], colliders=[SMOOTH]))
    steps = euler(model, model.initial_state(), Options(h=h))
    for _ in range(round(0.8 / h)):
        next(steps)
    assert asleep(steps) == 5
    steps.memory.dry.sleepers._wake(np.arange(5) == 4)
    pushed(steps, 24, 3.0)
    for _ in range(round(0.4 / h)):
        next(steps)
    assert asleep(steps) == 0
    v = steps.state.qdot[0::6]
    assert v[:4].sum() + 5.0 * v[4] == pytest.approx(15.0, rel=1e-9)
    assert v[3] > 2.0


def test_what_creeps_against_a_sleeper_is_no_wall_to_it_either() -> None:
    """A ton that slides at half of what counts as calm takes a gram that sleeps along, before it sleeps itself."""
    h, slow = 1 / 60, 5e-4
    mote = free("mote", Cuboid((0.5, 0.5, 0.5)), (0.0, 0.0, 0.25), 1e-3, friction=0.0)
    floe = free("floe", Cuboid((0.5, 0.5, 0.5)), (-0.50016, 0.0, 0.25), 1000.0, velocity=(slow, 0.0, 0.0))
    model = compile_scene(SceneSpec(bodies=[mote, floe], colliders=[SMOOTH]))
    steps = euler(model, model.initial_state(), Options(h=h))
    steps.memory.dry.prepare(model).asleep[0] = True
    for _ in range(round(0.45 / h)):
        next(steps)
    v = steps.state.qdot[[0, 6]]
    assert 1e-3 * v[0] + 1000.0 * v[1] == pytest.approx(1000.0 * slow, rel=1e-9)
    assert v[0] > 0.9 * slow


# Rolling

ROUND = {
    "sphere": (Sphere(0.1), (0.0, 0.0, 0.0)),
    "capsule": (Capsule(radius=0.1, height=0.3), (math.pi / 2.0, 0.0, 0.0)),
    "cylinder": (Cylinder(radius=0.1, height=0.3), (math.pi / 2.0, 0.0, 0.0)),
    "ellipsoid": (Ellipsoid((0.1, 0.1, 0.2)), (math.pi / 2.0, 0.0, 0.0)),
}


@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize("ground", list(GROUNDS))
@pytest.mark.parametrize("shape", list(ROUND))
def test_what_is_round_rolls_on(shape: str, ground: str, h: float) -> None:
    """At 2 m/s on the level, for four seconds."""
    solid, turned = ROUND[shape]
    # About y of a joint that turns with it: Euler angles that are turned about by one of them alone.
    body = free("body", solid, (0.0, 0.0, 0.1), 1.0, turned, friction=0.8)
    body.joint.qdot = [2.0, 0.0, 0.0, 0.0, 20.0, 0.0]
    steps = run(SceneSpec(bodies=[body], colliders=[GROUNDS[ground]]), h, 4.0)
    assert steps.state.qdot[0] == pytest.approx(2.0, rel=1e-2)
    assert steps.state.q[:3] == pytest.approx([8.0, 0.0, 0.0], abs=0.08)


@pytest.mark.parametrize("h", STEPS)
def test_a_cart_on_wheels_rolls_on(h: float) -> None:
    """A cart of 5 kg on two axles of 1 kg rolls at 2 m/s; gravity presses its wheels onto the ground."""
    cart = free("cart", Cuboid((0.6, 0.3, 0.1)), (0.0, 0.0, 0.15), 5.0, velocity=(2.0, 0.0, 0.0))
    wheels = [
        BodySpec(
            name=f"axle {x}",
            parent="cart",
            shape=Cylinder(radius=0.1, height=0.4),
            mass=1.0,
            pose=Pose((0.0, 0.0, 0.0), rotation=[math.pi / 2.0, 0.0, 0.0]),
            joint=JointSpec(type=Revolute((0.0, 1.0, 0.0)), frame=Pose((x, 0.0, -0.05)), qdot=20.0),
            surface=Surface(friction=0.8),
        )
        for x in (-0.2, 0.2)
    ]
    cart.surface = None
    steps = run(SceneSpec(bodies=[cart, *wheels], colliders=[ROUGH]), h, 2.0)
    assert steps.state.qdot[0] == pytest.approx(2.0, rel=1e-2)


def test_an_egg_that_rocks_neither_gains_nor_sinks() -> None:
    """An ellipsoid let go on its side, turned up by 0.4 rad: it rocks about its flat side, for two seconds."""
    for h in STEPS[1:]:
        low = math.hypot(0.2 * math.sin(0.4), 0.1 * math.cos(0.4))
        egg = free("egg", Ellipsoid((0.1, 0.2, 0.1)), (0.0, 0.0, low), 1.0, (0.4, 0.0, 0.0), friction=0.9)
        model = compile_scene(SceneSpec(bodies=[egg], colliders=[ROUGH]))
        steps = euler(model, model.initial_state(), Options(h=h))
        tilt, sunk = [], 0.0
        for _ in range(round(2.0 / h)):
            next(steps)
            R = body_poses(model.bodies, forward_kinematics(model, steps.state))[0]
            y = R[:9].reshape(3, 3)[2, 1]
            down = math.hypot(0.2 * y, 0.1 * math.sqrt(1.0 - y * y))
            tilt.append(abs(math.asin(y)))
            sunk = max(sunk, down - R[11])
        assert max(tilt) < 0.41
        assert max(tilt[-round(0.7 / h) :]) > 0.1, "it goes on rocking"
        assert sunk < 2e-3


# Bullets

WALL = ColliderSpec(name="wall", shape=Cuboid((0.001, 4.0, 4.0)), friction=0.5)
SHEET = [(0.0, -2.0, -2.0), (0.0, 2.0, -2.0), (0.0, 2.0, 2.0), (0.0, -2.0, 2.0)]
CLOTH = ColliderSpec(name="wall", shape=Mesh(vertices=SHEET, triangles=[(0, 1, 2), (0, 2, 3)]), friction=0.5)
CM = 0.01
BULLETS = {
    "sphere": Sphere(0.5 * CM),
    "box": Cuboid((CM, CM, CM)),
    "cylinder": Cylinder(radius=0.5 * CM, height=CM),
}


def shot(shape, wall: ColliderSpec, seed: int, speed: float, spin: float, h: float, bounce: float) -> float:
    """How far a body of a centimetre is beyond a wall some steps after it was shot at it [m]."""
    draw = np.random.default_rng(seed)
    velocity = speed * np.array([1.0, *draw.uniform(-0.02, 0.02, 2)])
    start = -draw.uniform(0.1, 2.5) * speed * h - 0.02
    body = free(
        "body",
        shape,
        (start, 0.0, 0.0),
        0.01,
        draw.uniform(-2, 2, 3),
        velocity,
        friction=0.5,
        restitution=bounce,
    )
    body.joint.type = Free()
    body.joint.qdot[3:] = (spin * draw.normal(size=3)).tolist()
    model = compile_scene(SceneSpec(bodies=[body], colliders=[wall]))
    steps = euler_midway(model, model.initial_state(), Options(h=h))
    left = 8
    while left > 0:
        left -= steps.advance(left)  # several at once, as the frames of a run are
    return float(body_poses(model.bodies, forward_kinematics(model, steps.state))[0, 9])


@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize("wall", [WALL, CLOTH], ids=["box", "mesh"])
@pytest.mark.parametrize("shape", list(BULLETS))
def test_nothing_passes_through_a_wall_of_a_millimetre(shape: str, wall: ColliderSpec, h: float) -> None:
    for seed in range(4):
        for speed, spin in ((500.0, 0.0), (500.0, 30.0), (20.0, 20.0)):
            assert shot(BULLETS[shape], wall, seed, speed, spin, h, 0.0) < 0.0, (seed, speed, spin)


# Small and large


@pytest.mark.parametrize(
    ("size", "h"), [(s, h) for s in (1e-4, 1e-2, 1.0, 100.0, 1e4) for h in STEPS if s > 1e-4 or h < 1 / 60]
)
def test_stacks_stand_at_any_size(size: float, h: float) -> None:
    """Three boxes, from 0.1 mm to 10 km, for half a second. In a step of 1/24 s what is let go falls 17 mm: boxes of
    0.1 mm are held from 1/240 s on."""
    boxes = [free(str(i), Cuboid((size,) * 3), (0.0, 0.0, size * (0.5 + i)), friction=0.5) for i in range(3)]
    steps = run(SceneSpec(bodies=boxes, colliders=[ROUGH]), h, 0.5, sleep=False)
    x = body_poses(steps.model.bodies, forward_kinematics(steps.model, steps.state))[:, 9:] / size
    assert x[:, 2] == pytest.approx([0.5, 1.5, 2.5], abs=1e-3)
    assert x[:, :2] == pytest.approx(0.0, abs=2e-3)
