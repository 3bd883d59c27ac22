"""Integrators keep what they promise: orders of convergence by step halving, and energy by adaptive steps."""

from __future__ import annotations

import numpy as np
import pytest

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.integrators import INTEGRATORS
from redmax_blender.engine.model.records import Floats, Model
from redmax_blender.engine.model.state import Options, State
from redmax_blender.engine.run.energy import energies
from redmax_blender.engine.scene import (
    BodySpec,
    Cuboid,
    JointKind,
    JointSpec,
    Pose,
    Prismatic,
    Revolute,
    SceneSpec,
    Spherical,
    Universal,
)
from redmax_blender.engine.tree.kinematics import body_poses, forward_kinematics


def swinging_tree() -> Model:
    """A tree that begins away from rest and swings freely: hinges, a ball, a universal joint and a slide."""
    kinds: list[tuple[str, str | None, JointKind]] = [
        ("trunk", None, Revolute(axis=(0.0, 1.0, 0.0))),
        ("ball", "trunk", Spherical()),
        ("fork", "trunk", Universal()),
        ("slide", "fork", Prismatic(axis=(1.0, 0.0, 0.0))),
    ]
    bodies = [
        BodySpec(
            name=name,
            parent=parent,
            shape=Cuboid(sides=(1.0, 0.2, 0.1)),
            pose=Pose(position=(0.5, 0.0, 0.0)),
            joint=JointSpec(
                type=kind,
                frame=Pose(position=(1.0, 0.0, 0.0) if parent else (0.0, 0.0, 0.0)),
                q=0.3,
                qdot=0.5,
                stiffness=400.0 if name == "slide" else 0.0,
            ),
        )
        for name, parent, kind in kinds
    ]
    return compile_scene(SceneSpec(bodies=bodies))


def _run(model: Model, name: str, options: Options, end: float) -> State:
    state = model.initial_state()
    steps = INTEGRATORS[name](model, state, options)
    for _ in range(round(end / options.h)):
        state = next(steps)
    return state


def _places(model: Model, state: State) -> Floats:
    return body_poses(model.bodies, forward_kinematics(model, state))[:, 9:]


@pytest.mark.parametrize(
    ("name", "order"), [("euler", 1), ("euler-midway", 1), ("bdf1", 1), ("bdf2", 2), ("sdirk2", 2)]
)
def test_halving_the_step_shows_the_order(name: str, order: int) -> None:
    model, end = swinging_tree(), 0.25
    exact = _places(model, _run(model, "rk-recursive", Options(h=end, rtol=1e-12, atol=1e-12), end))
    errors = []
    for h in (end / 200, end / 400):
        found = _run(model, name, Options(h=h, newton_tolerance=1e-12), end)
        errors.append(float(np.abs(_places(model, found) - exact).max()))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.1)


@pytest.mark.parametrize("name", ["rk-recursive", "rk-redmax"])
def test_adaptive_steps_keep_the_energy_of_free_swinging_for_ten_seconds(name: str) -> None:
    model = swinging_tree()

    def energy(state: State) -> Floats:
        return energies(model, state, forward_kinematics(model, state))

    state = model.initial_state()
    begin, scale = energy(state).sum(), 0.0
    steps = INTEGRATORS[name](model, state, Options(h=0.5, rtol=1e-10, atol=1e-10))
    for _ in range(20):
        state = next(steps)
        now = energy(state)
        scale = max(scale, float(now[0]))
        assert abs(now.sum() - begin) < 1e-6 * max(scale, 1.0)
