"""Friction at the stops of joints: what turns or slides along a stop that something presses against."""

from __future__ import annotations

import numpy as np
import pytest
from friction_scenes import G, steps_of

from redmax_blender.engine import compile_scene
from redmax_blender.engine.errors import SceneError
from redmax_blender.engine.scene import (
    BodySpec,
    CompositeJoint,
    Cuboid,
    Cylinder,
    JointSpec,
    Limits,
    Pose,
    Prismatic,
    Revolute,
    SceneSpec,
)

UP = (0.0, 0.0, 1.0)


def spindle(friction: float, radius: float = 0.05, spin: float = 3.0) -> SceneSpec:
    """A cylinder that turns about its upright axis and slides along it, and stands on the lower stop."""
    joint = JointSpec(
        type=CompositeJoint([Prismatic(UP), Revolute(UP)]),
        qdot=[0.0, spin],
        limits=Limits(lower=[0.0, None], friction=friction, radius=radius),
    )
    return SceneSpec(bodies=[BodySpec(name="spindle", shape=Cylinder(radius=0.1, height=0.3), joint=joint)])


def test_a_spindle_on_its_stop_slows_down_as_its_weight_and_radius_say():
    """μ m g r against ½ m R² ω', and then it rests."""
    mu, radius, spin, h = 0.4, 0.05, 3.0, 0.002
    rate = mu * G * radius / (0.5 * 0.1**2)
    steps = steps_of(spindle(mu, radius, spin), h=h)
    for k in range(1, 100):
        state = next(steps)
        assert state.qdot[1] == pytest.approx(max(spin - rate * k * h, 0.0), abs=1e-6 * spin)
        assert state.q[0] == pytest.approx(0.0, abs=1e-9)
    assert abs(state.qdot[1]) < 1e-9


def test_away_from_its_stop_nothing_rubs():
    scene = spindle(0.4)
    scene.bodies[0].joint.q = [1.0, 0.0]
    steps = steps_of(scene, h=0.01)
    for _ in range(20):
        state = next(steps)
    assert state.qdot[1] == pytest.approx(3.0, rel=1e-9)


def swivel(friction: float) -> SceneSpec:
    """An arm that turns about an upright axis, and about a level one down to a stop that carries its weight."""
    joint = JointSpec(
        type=CompositeJoint([Revolute(UP), Revolute((0.0, 1.0, 0.0))]),
        qdot=[2.0, 0.0],
        limits=Limits(upper=[None, 0.0], friction=friction),
    )
    arm = BodySpec(name="arm", shape=Cuboid((1.0, 0.1, 0.1)), pose=Pose((0.5, 0.0, 0.0)), joint=joint)
    return SceneSpec(bodies=[arm])


def test_a_torque_on_a_stop_rubs_as_a_torque():
    """The stop carries m g / 2 of a bar of one metre; the friction is μ times that about the upright axis."""
    mu, h = 0.1, 0.001
    model = compile_scene(swivel(mu))
    mass, inertia = 10.0, 10.0 * (1.0 + 0.01) / 12.0 + 10.0 * 0.25
    steps = steps_of(model, h=h)
    for _ in range(50):
        state = next(steps)
    expected = 2.0 - 50 * h * mu * mass * G * 0.5 / inertia
    assert state.qdot[0] == pytest.approx(expected, rel=1e-4)
    assert steps.memory.report.dry.force[0] == pytest.approx(-mu * mass * G * 0.5, rel=1e-4)


@pytest.mark.parametrize(
    ("limits", "problem"),
    [
        (Limits(lower=[0.0, None], friction=-0.1), "the coefficient is -0.1"),
        (Limits(lower=[0.0, None], friction=0.1, stiffness=10.0), "a springy stop has no friction"),
        (Limits(lower=[0.0, None], friction=0.1, radius=0.0), "the radius is 0.0 m"),
    ],
)
def test_what_cannot_rub_is_an_error(limits: Limits, problem: str):
    scene = spindle(0.4)
    scene.bodies[0].joint.limits = limits
    with pytest.raises(SceneError, match=problem):
        compile_scene(scene)


def test_a_hinge_has_nothing_that_moves_along_its_stop():
    scene = spindle(0.4)
    scene.bodies[0].joint = JointSpec(type=Revolute(UP), limits=Limits(lower=0.0, friction=0.1))
    with pytest.raises(SceneError, match="nothing moves along its stop"):
        compile_scene(scene)


def test_friction_at_stops_takes_energy_and_gives_none():
    steps = steps_of(swivel(0.3), h=1.0 / 24.0)
    speed = [2.0]
    for _ in range(40):
        speed.append(float(next(steps).qdot[0]))
    assert np.all(np.diff(speed) <= 1e-9)
    assert abs(speed[-1]) < 1e-9
