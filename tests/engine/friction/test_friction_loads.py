"""How hard the surfaces inside a joint are pressed together."""

from __future__ import annotations

from dataclasses import replace
from math import cos, pi, sin

import numpy as np
import pytest
from friction_scenes import G, bar, steps_of

from redmax_blender.engine import compile_scene
from redmax_blender.engine.friction.joints.loads import BALL_LOAD, bearing_load, box_load
from redmax_blender.engine.jit.decorators import njit
from redmax_blender.engine.scene import JointFriction, Point, Revolute, SceneSpec, Spherical, Spring
from redmax_blender.engine.tree import conversions
from redmax_blender.engine.tree.kinematics import forward_kinematics


@njit
def _bearing(f, axis, radius, height, points, faces):
    return bearing_load(
        (f[0], f[1], f[2], f[3], f[4], f[5]), (axis[0], axis[1], axis[2]), radius, height, points, faces
    )


@njit
def _box(f, axis, sides):
    return box_load(
        (f[0], f[1], f[2], f[3], f[4], f[5]), (axis[0], axis[1], axis[2]), (sides[0], sides[1], sides[2])
    )


def least_pressures(x, normals, f) -> float:
    """Sum of the least pressures along normals at points that add up to a wrench (paper, Eq. 16)."""
    N = np.array([np.r_[np.cross(p, n), n] for p, n in zip(x, normals, strict=True)])
    return float(np.abs(np.linalg.lstsq(N.T, f, rcond=None)[0]).sum())


@pytest.mark.parametrize("faces", [True, False])
@pytest.mark.parametrize("points", [4, 7, 16])
def test_pressures_on_a_pin_are_the_least_that_add_up_to_the_wrench(points, faces):
    draw = np.random.default_rng(points)
    z = np.array([0.0, 0.0, 1.0])
    radius, height = 0.3, 0.5
    x, normals = [], []
    for end in (-0.5, 0.5):
        for k in range(points):
            u = np.array([cos(2 * pi * k / points), sin(2 * pi * k / points), 0.0])
            for n in [u, z] if faces else [u]:
                x.append(radius * u + end * height * z)
                normals.append(n)
    for _ in range(20):
        f = draw.normal(size=6)
        f[2] = 0.0
        if not faces:
            f[5] = 0.0
        assert _bearing(f, z, radius, height, points, faces) == pytest.approx(
            least_pressures(x, normals, f), rel=1e-9
        )


def test_pressures_on_a_rectangular_rod_are_the_least_that_add_up_to_the_wrench():
    draw = np.random.default_rng(0)
    sides = np.array([0.5, 0.2, 0.3])
    corners = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]) * 0.5 * sides
    for k in range(3):
        axis = np.eye(3)[k]
        lateral = [e for i, e in enumerate(np.eye(3)) if i != k]
        x = [p for p in corners for _ in lateral]
        normals = [n for _ in corners for n in lateral]
        for sign in (1.0, -1.0):
            f = draw.normal(size=6)
            f[3 + k] = 0.0
            assert _box(f, sign * axis, sides) == pytest.approx(least_pressures(x, normals, f), rel=1e-9)


def test_an_even_load_is_the_limit_of_many_points():
    draw = np.random.default_rng(1)
    axis = np.array([0.6, 0.0, 0.8])
    for _ in range(20):
        f = draw.normal(size=6)
        assert _bearing(f, axis, 0.3, 0.5, 0, True) == pytest.approx(
            _bearing(f, axis, 0.3, 0.5, 4000, True), rel=1e-5
        )
    side = np.array([0.0, 0.0, 0.0, 5.0, 0.0, 0.0])
    assert _bearing(side, np.array([0.0, 0.0, 1.0]), 0.3, 0.5, 0, True) == pytest.approx(4 / pi * 5.0)


def test_springs_between_links_press_with_what_they_are_at_the_end_of_the_step():
    """The load of a ball is what all that hangs on it lacks of its momentum, however stiff the springs among it."""
    h, mu, radius = 0.01, 0.01, 0.02
    ends = [Point((0.3, 0.0, 0.1), "upper"), Point((0.2, 0.1, 0.0), "lower")]
    scene = SceneSpec(
        bodies=[
            bar("upper", Spherical(), friction=JointFriction(mu, radius)),
            bar("lower", Revolute((0.0, 1.0, 0.0)), parent="upper"),
        ],
        forces=[Spring(ends, 5e4, damping=300.0, rest_length=0.3)],
    )
    model = compile_scene(scene)
    start = model.initial_state()
    steps = steps_of(model, h=h)
    end = next(steps)
    kin = forward_kinematics(model, replace(start, qdot=end.qdot))
    change = conversions.momentum(model, start, kin)[3:]  # it stood still
    mass = float(model.bodies.inertia[:, 3].sum())
    load = change - h * mass * np.array([0.0, 0.0, -G])
    expected = mu * BALL_LOAD * radius * np.linalg.norm(load) / h
    assert np.linalg.norm(steps.memory.report.dry.force[:3]) == pytest.approx(expected, rel=1e-6)
