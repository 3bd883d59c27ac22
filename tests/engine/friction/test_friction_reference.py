"""The scenes of the authors' published code with friction: m_27 (hinges), m_29 (prismatic joints), m_31 (a floor).

Their code ends its two projections at a relative change of 1e-3 in energy, keeps what it has then for the next step,
and spreads the friction of a joint over eight points or corners, whose forces need not be a pure couple: with thrust
and tilt at once they push the pin sideways too, and while it sticks they are not even unique. `dense_friction.py` does
exactly that and reproduces the published energies to eight digits. Here friction in a joint is a couple about its axis,
or a force along it, and the projections are carried to the end. What is left between the two is

- m_29, whose joints carry no thrust: 1e-5, from their regularisation of Eq. 16 by 1e-6;
- m_27, with thrust and tilt: the published energy is 0.3% from what their own iteration converges to, and that
  0.2% from ours;
- m_31: the floor. Their sphere is caught in the step after it went through and comes back at a tenth of the depth a
  step; ours is caught before. It slides to rest at another place: 0.4% of the energy that it loses.
"""

from __future__ import annotations

from dataclasses import replace
from math import pi

import pytest
from dense_friction import Staggered

from redmax_blender.engine import compile_scene
from redmax_blender.engine.integrators.euler import euler
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import Options, State
from redmax_blender.engine.run.energy import energies
from redmax_blender.engine.scene import (
    BodySpec,
    ColliderSpec,
    Cuboid,
    Fixed,
    JointFriction,
    JointSpec,
    Plane,
    Pose,
    Prismatic,
    Revolute,
    SceneSpec,
    Sphere,
    Surface,
)
from redmax_blender.engine.tree.kinematics import forward_kinematics

PUBLISHED = {"m_27": -137371.1285153437, "m_29": -256391.50659695637, "m_31": -90558.13460019592}
H = 0.01


def rod(name: str, kind, parent: str | None = None, turn=(0.0, 0.0, 0.0), **joint) -> BodySpec:
    return BodySpec(
        name=name,
        parent=parent,
        shape=Cuboid((10.0, 1.0, 1.0)),
        density=1.0,
        pose=Pose((5.0, 0.0, 0.0)),
        joint=JointSpec(
            type=kind, frame=Pose((0.0 if parent is None else 10.0, 0.0, 0.0), rotation=list(turn)), **joint
        ),
    )


def scene(name: str) -> SceneSpec:
    gravity = (0.0, 0.0, -980.0)
    if name == "m_27":
        rub, kind, turn = JointFriction(0.6, 0.5, 1.0), Revolute((0, 0, 1)), (pi / 4, 0.0, 0.0)
    elif name == "m_29":
        rub, kind, turn = JointFriction(0.8, sides=(5.0, 0.5, 5.0)), Prismatic((1, 0, 0)), (0.0, pi / 3, 0.0)
    else:
        kind = Revolute((0, 1, 0))
        ball = BodySpec(
            name="ball",
            parent="b",
            shape=Sphere(1.0),
            density=1.0,
            joint=JointSpec(type=Fixed(), frame=Pose((10.0, 0.0, 0.0))),
            surface=Surface(friction=0.2),
        )
        floor = ColliderSpec(name="floor", shape=Plane(), pose=Pose((0.0, 0.0, -15.0)), friction=0.2)
        return SceneSpec(
            gravity=gravity,
            bodies=[rod("a", kind, q=pi / 4), rod("b", kind, "a", q=-pi / 4), ball],
            colliders=[floor],
        )
    return SceneSpec(
        gravity=gravity, bodies=[rod("a", kind, turn=turn, friction=rub), rod("b", kind, "a", friction=rub)]
    )


def four_points(name: str) -> Model:
    model = compile_scene(scene(name))
    if model.friction is None:
        return model
    return replace(model, friction=replace(model.friction, rubs=replace(model.friction.rubs, points=4)))


def total(model: Model, state: State) -> float:
    return float(energies(model, state, forward_kinematics(model, state)).sum())


def change(name: str, end: float = 1.0, **options) -> float:
    model = four_points(name)
    steps = euler(model, model.initial_state(), Options(h=H, **options))
    for _ in range(round(end / H)):
        state = next(steps)
    return total(model, state) - total(model, model.initial_state())


@pytest.mark.parametrize("name", ["m_27", "m_29"])
def test_the_published_algorithm_gives_the_published_energy(name):
    model = four_points(name)
    state, staggered = model.initial_state(), Staggered(model, H)
    for _ in range(100):
        state = staggered.step(state)
    assert total(model, state) - total(model, model.initial_state()) == pytest.approx(
        PUBLISHED[name], rel=1e-8
    )


@pytest.mark.parametrize(("name", "within"), [("m_27", 5e-3), ("m_29", 2e-5)])
def test_joints_lose_the_energy_of_the_published_scenes(name, within):
    assert change(name, friction_tolerance=1e-10) == pytest.approx(PUBLISHED[name], rel=within)


def test_a_ball_comes_to_rest_on_the_floor_as_in_the_published_scene():
    assert change("m_31", end=2.0, boxed_friction=True) == pytest.approx(PUBLISHED["m_31"], rel=5e-3)
