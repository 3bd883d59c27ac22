"""Nothing passes through a thin wall within a step, and nothing is stopped by a wall that it misses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from contact_scenes import contacts_of, free_body, model_contacts, pose, random_rotation, reach

from redmax_blender.engine.algebra import se3
from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.contact.contacts import Contacts
from redmax_blender.engine.scene import (
    BodySpec,
    Capsule,
    ColliderSpec,
    Constant,
    Cuboid,
    Cylinder,
    Ellipsoid,
    JointSpec,
    Plane,
    Polynomial,
    Pose,
    Revolute,
    SceneSpec,
    Sphere,
    Surface,
)

FRAME = 1.0 / 24.0
WALL = ColliderSpec(name="wall", shape=Cuboid(sides=(0.001, 2.0, 2.0)))


def approach(c: Contacts, velocity: np.ndarray) -> np.ndarray:
    """n·v of side 0 when all of it moves with one velocity [m/s]."""
    return c.normal @ velocity - np.einsum("ij,ij->i", c.normal, c.velocity)


@pytest.mark.parametrize("start", [-15.0, -0.5, -0.02])
def test_a_bullet_is_stopped_by_a_wall_of_a_millimetre(start: float) -> None:
    v = np.array([500.0, 0.0, 0.0])
    c = contacts_of(
        [free_body("bullet", Sphere(radius=0.01), (start, 0.3, -0.2), velocity=v)], [WALL], h=FRAME
    )
    assert len(c) == 1
    assert c.normal[0] == pytest.approx([-1.0, 0.0, 0.0], abs=1e-9)
    assert c.gap[0] == pytest.approx(-start - 0.01 - 0.0005, abs=1e-9)
    assert (approach(c, v) < -c.gap / FRAME).all()  # the row binds


def test_a_bullet_that_misses_the_wall_is_not_stopped() -> None:
    wall = ColliderSpec(name="wall", shape=Cuboid(sides=(0.001, 1.0, 1.0)))
    v = np.array([500.0, 0.0, 0.0])
    for y in (0.52, 0.6, 3.0):  # the first passes the edge of the wall by a centimetre
        bullet = free_body("bullet", Sphere(radius=0.01), (-15.0, y, 0.0), velocity=v)
        c = contacts_of([bullet], [wall], h=FRAME)
        assert (approach(c, v) >= -c.gap / FRAME).all()


@pytest.mark.parametrize("shape", [Cuboid(sides=(0.05, 0.02, 0.03)), Capsule(radius=0.01, height=0.1)])
def test_a_tumbling_body_may_go_on_until_it_touches_the_wall(shape: Cuboid | Capsule) -> None:
    """The part of its motion that all rows allow ends with the body in front of the wall, and not far from it."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        v = np.array([rng.uniform(20.0, 200.0), *rng.uniform(-3.0, 3.0, 2)])
        spin = 10.0 * rng.normal(size=3)
        start = np.array([-rng.uniform(0.1, 0.7) * v[0] * FRAME, 0.0, 0.0])
        c = contacts_of([free_body("body", shape, start, velocity=v, spin=spin)], [WALL], h=FRAME)
        assert len(c) >= 1
        assert c.normal == pytest.approx(np.tile([-1.0, 0.0, 0.0], (len(c), 1)), abs=1e-6)
        at = v + np.cross(spin, c.x[:, 0] - start)
        allowed = np.min(c.gap / -np.einsum("ij,ij->i", c.normal, at))  # [s]
        assert 0.0 < allowed < FRAME
        end = pose(start + allowed * v, allowed * spin)
        left = -0.0005 - reach(shape, end, np.array([[1.0, 0.0, 0.0]]))[0]
        assert -1e-9 < left < 1e-3 * np.linalg.norm([0.05, 0.02, 0.03])


def test_a_spinning_rod_is_stopped_by_a_post_in_its_way() -> None:
    """A rod about z that turns by half a radian a step, and a thin post after a quarter."""
    length, omega, angle = 1.0, 0.5 / FRAME, 0.25
    rod = BodySpec(
        name="rod",
        shape=Capsule(radius=0.01, height=length),
        pose=Pose(position=(0.5 * length, 0.0, 0.0), rotation=[0.0, math.pi / 2.0, 0.0]),
        joint=JointSpec(type=Revolute(), qdot=omega),
        surface=Surface(),
    )
    far = 0.8 * length
    post = ColliderSpec(
        name="post",
        shape=Capsule(radius=0.002, height=1.0),
        pose=Pose(position=(far * math.cos(angle), far * math.sin(angle), 0.0)),
    )
    c = contacts_of([rod], [post], h=FRAME)
    assert len(c) >= 1
    # What the rod may still turn: n·(ω z × x) >= -gap/h
    lever = np.einsum("ij,ij->i", c.normal, np.cross([0.0, 0.0, 1.0], c.x[:, 0]))
    assert (lever < 0.0).all()
    turn = np.min(c.gap / -lever)
    touching = angle - math.asin(0.012 / far)
    # The path of the rod's middle is a parabola: good to the third power of the angle.
    assert turn == pytest.approx(touching, abs=0.01)


def test_a_wall_that_moves_hits_a_body_at_rest() -> None:
    motion = [Polynomial(coefficients=[-10.0, 400.0]), *[Constant(value=0.0)] * 5]
    wall = ColliderSpec(name="wall", shape=Cuboid(sides=(0.001, 2.0, 2.0)), motion=motion)
    c = contacts_of([free_body("ball", Sphere(radius=0.05))], [wall], h=FRAME)
    assert len(c) == 1
    assert c.normal[0] == pytest.approx([1.0, 0.0, 0.0], abs=1e-9)
    assert c.velocity[0] == pytest.approx([400.0, 0.0, 0.0], rel=1e-9)
    assert c.gap[0] == pytest.approx(10.0 - 0.05 - 0.0005, abs=1e-6)


def test_two_bullets_meet_head_on() -> None:
    v = np.array([300.0, 0.0, 0.0])
    bodies = [
        free_body("left", Sphere(radius=0.01), (-5.0, 0.0, 0.0), velocity=v),
        free_body("right", Sphere(radius=0.01), (5.0, 0.005, 0.0), velocity=-v),
    ]
    c = contacts_of(bodies, h=FRAME)
    assert len(c) == 1
    # They touch off centre: the normal is that of the touch, not of the way there.
    assert c.normal[0, 1] == pytest.approx(-0.25, abs=1e-3)
    assert float(c.normal[0] @ (2.0 * v)) < -c.gap[0] / FRAME


def test_a_faster_look_ahead_sees_what_the_present_velocity_does_not() -> None:
    ball = free_body("ball", Sphere(radius=0.05), (-0.5, 0.0, 0.0))
    model = compile_scene(SceneSpec(bodies=[ball], colliders=[WALL]))
    assert len(model_contacts(model, 0.01)) == 0
    V = np.zeros((model.nl, 6))
    V[model.bodies.link[0], 3] = 100.0
    assert len(model_contacts(model, 0.01, V=V)) == 1


@pytest.mark.parametrize("shape", [Ellipsoid(radii=(0.1, 0.2, 0.3)), Cylinder(radius=0.2, height=0.2)])
def test_what_rolls_lands_on_the_ground_and_not_in_it(shape: Ellipsoid | Cylinder) -> None:
    """Lifted as little as the rows allow, it ends a step of a third of a radian no deeper than 2% of its size."""
    rng = np.random.default_rng(9)
    h, ground = 0.01, ColliderSpec(name="ground", shape=Plane())
    deepest = 0.0
    for _ in range(30):
        turned, spin = random_rotation(rng), rng.normal(size=3)
        spin *= 0.33 / h / np.linalg.norm(spin)  # in the world
        height = reach(shape, pose(np.zeros(3), turned), np.array([[0.0, 0.0, -1.0]]))[0]
        start = np.array([0.0, 0.0, height])
        own = se3.exp_so3(turned).T @ spin
        c = contacts_of([free_body("body", shape, start, turned, spin=own)], [ground], h=h)
        lift = np.max(-c.gap / h - np.cross(spin, c.x[:, 0] - start)[:, 2])
        end = np.eye(4)
        end[:3, :3] = se3.exp_so3(h * spin) @ se3.exp_so3(turned)
        end[:3, 3] = 0.0, 0.0, height + h * lift
        deepest = max(deepest, reach(shape, end, np.array([[0.0, 0.0, -1.0]]))[0])
    assert deepest < 0.02 * 0.3
