"""The figure with a soft belly: its build, a fall, what its check sees, and a ball that strikes it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from redmax_blender.engine import Result, compile_scene, scene_options, simulate
from redmax_blender.engine.fem.flesh import held_places, held_velocities
from redmax_blender.engine.scene import (
    BodySpec,
    Free,
    JointSpec,
    SceneSpec,
    SelfCollision,
    Sphere,
    Surface,
    TimeSpec,
)
from redmax_blender.engine.shots.belly import CARRIERS, NAME, Belly, belly
from redmax_blender.engine.shots.figure import MASS, SEGMENTS, Skin, figure
from redmax_blender.engine.shots.ragdoll import Fall
from redmax_blender.engine.shots.ragdoll_flesh import check, spec
from redmax_blender.engine.tree.conversions import momentum
from redmax_blender.engine.tree.kinematics import forward_kinematics

END = 0.8
"""By then the belly has struck a step [s]."""
SPEED = 3.0
"""Of the ball that is thrown at it [m/s]."""


@pytest.fixture(scope="module")
def fallen() -> tuple[Fall, Result]:
    fall = Fall(1)
    scene = spec(fall, end=END)
    model = compile_scene(scene)
    frames = simulate(model, scene_options(scene), end=END, record=scene.time.record)
    return fall, Result.from_frames(model, frames)


def test_the_belly_is_carried_by_the_trunk_and_moves_along_with_it() -> None:
    model = compile_scene(spec(Fall(3)))
    state, flesh = model.initial_state(), model.flesh
    assert flesh is not None
    kin = forward_kinematics(model, state)
    held = flesh.pattern.held
    np.testing.assert_allclose(state.x[held], held_places(flesh, kin), atol=1e-9)
    np.testing.assert_allclose(state.v[held], held_velocities(flesh, kin, kin.V), atol=1e-9)
    assert {model.bodies.names[b] for b in np.flatnonzero(np.isin(model.bodies.link, flesh.link))} <= set(
        CARRIERS
    )
    free = np.setdiff1d(np.arange(len(state.x)), held)
    nearest = np.linalg.norm(state.x[free][:, None] - state.x[held], axis=2).argmin(axis=1)
    assert np.linalg.norm(state.v[free] - state.v[held][nearest], axis=1).max() < 1.0  # [m/s]


def test_flesh_has_its_mass_besides_that_of_the_bones() -> None:
    scene = spec(Fall(1), Belly(mass=7.0))
    model = compile_scene(scene)
    assert model.flesh is not None
    assert scene.flesh[0].name == NAME and scene.flesh[0].mass == 7.0
    assert float(np.sum(model.flesh.tets.mass)) + model.bodies.inertia[:, 3].sum() >= MASS + 6.9


def test_a_fall_with_a_belly_goes_through_nothing(fallen: tuple[Fall, Result]) -> None:
    check(fallen[1], fallen[0])


def test_the_check_sees_what_is_wrong(fallen: tuple[Fall, Result]) -> None:
    fall, result = fallen
    x = result.x.copy()
    x[-1, :, 2] -= 0.3
    with pytest.raises(AssertionError, match=r"'belly' is .* mm in "):
        check(replace(result, x=x), fall)
    q = result.q.copy()
    q[5, result.coordinates("shin.L").start] = np.radians(-1.0)
    with pytest.raises(AssertionError, match=r"'shin\.L' turns 1° beyond its range"):
        check(replace(result, q=q), fall)
    v = result.v.copy()
    v[3, 0] = np.nan
    with pytest.raises(AssertionError, match="not a number"):
        check(replace(result, v=v), fall)


def test_what_strikes_the_belly_gives_it_the_momentum_that_it_loses() -> None:
    """Flesh is pushed by what it touches, pushes back, and pulls the bones along."""
    upright, still = [*SEGMENTS[0].joint, 0.0, 0.0, 0.0], [0.0] * 6
    ball = BodySpec(
        name="ball",
        shape=Sphere(0.08),
        mass=5.0,
        joint=JointSpec(
            type=Free(), q=[0.0, -0.35, 1.1, 0.0, 0.0, 0.0], qdot=[0.0, SPEED, 0.0, 0.0, 0.0, 0.0]
        ),
        surface=Surface(),
    )
    scene = SceneSpec(
        bodies=[*figure(Skin(), upright, {}, still), ball],
        flesh=[belly(Belly(cell=0.1), Skin(), upright, {}, still)],
        gravity=(0.0, 0.0, 0.0),
        self_collision=SelfCollision(neighbours=2),
        time=TimeSpec(step=1.0 / 240.0, end=0.15),
    )
    model = compile_scene(scene)
    frames = list(simulate(model, scene_options(scene), end=scene.time.end, record=36))
    end, b = frames[-1], model.bodies.names.index("ball")
    pelvis = model.bodies.names.index("pelvis")
    assert (
        end.body_pose[b, 10] - frames[0].body_pose[b, 10]
    ) / scene.time.end < 0.9 * SPEED  # it was slowed down
    assert end.body_pose[pelvis, 10] > frames[0].body_pose[pelvis, 10] + 1e-3
    found = momentum(model, end.state, forward_kinematics(model, end.state))
    np.testing.assert_allclose(found[3:], (0.0, 5.0 * SPEED, 0.0), atol=0.05 * SPEED)
