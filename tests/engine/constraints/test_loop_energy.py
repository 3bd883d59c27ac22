"""Loops without friction keep their energy; friction in joints that nothing presses together takes no time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from mechanisms import Y, chain_angles, rod

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.integrators.euler import EulerSteps, euler_midway
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.run.energy import energies
from redmax_blender.engine.scene import (
    BodySpec,
    Cuboid,
    Free,
    JointFriction,
    JointSpec,
    Pose,
    Revolute,
    SceneSpec,
)
from redmax_blender.engine.scene.constraints import LoopPoint
from redmax_blender.engine.scene.forces import Point
from redmax_blender.engine.tree.kinematics import forward_kinematics


def arch(bars: int) -> SceneSpec:
    """Bars of 1 kg in half a circle of 1 m across, whose last end is held to the ground like the first."""
    angle = np.linspace(np.pi, 0.0, bars + 1)
    points = 0.5 + 0.5 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    points[1:-1] += np.random.default_rng(0).uniform(-0.05, 0.05, (bars - 1, 2))
    points -= points[0]
    length = np.linalg.norm(np.diff(points, axis=0), axis=1).tolist()
    turns = chain_angles(points)
    bodies = [
        rod(
            f"bar{i}",
            length[i],
            f"bar{i - 1}" if i else None,
            (length[i - 1] if i else 0.0, 0.0, 0.0),
            turns[i],
        )
        for i in range(bars)
    ]
    end = Point(body=f"bar{bars - 1}", position=(0.5 * length[-1], 0.0, 0.0))
    ground = Point(position=(float(points[-1, 0]), 0.0, float(points[-1, 1])))
    closed = LoopPoint(a=end, b=ground, perpendicular_to=Y)
    return SceneSpec(bodies=bodies, constraints=[closed], gravity=(0.0, 0.0, -9.81))


def energy_change(scene: SceneSpec, h: float, end: float) -> float:
    """Largest change of the energy as a fraction of the largest kinetic energy. Euler's velocities are those midway
    between the positions before and after a step: the ones at a position are the mean of two."""
    model = compile_scene(scene)
    steps = euler_midway(model, model.initial_state(), Options(h=h))
    before, total, kinetic = next(steps), [], []
    for _ in range(round(end / h)):
        after = next(steps)
        state = replace(before, qdot=0.5 * (before.qdot + after.qdot))
        energy = energies(model, state, forward_kinematics(model, state))
        total.append(energy.sum())
        kinetic.append(energy[0])
        before = after
    return float(np.abs(np.array(total) - total[0]).max() / max(kinetic))


@pytest.mark.parametrize(
    ("bars", "h"), [(3, 1 / 240), (3, 1 / 960), (4, 1 / 960), (5, 1 / 960), (6, 1 / 960)]
)
def test_a_loop_without_friction_keeps_its_energy(bars: int, h: float) -> None:
    assert energy_change(arch(bars), h, 2.0) < 0.01


def test_a_fast_loop_loses_little_at_a_long_step() -> None:
    """Links that whip by a tenth of a radian in a step: without following their way it was half."""
    for bars in (4, 5, 6):
        assert energy_change(arch(bars), 1 / 240, 2.0) < 0.12


def falling(links: int) -> SceneSpec:
    """A chain with friction in its hinges, let go."""
    bodies = []
    for i in range(links):
        joint = JointSpec(type=Free(), frame=Pose((0.0, 0.0, 1.0)))
        if i:
            rub = JointFriction(0.3, 0.01, 0.02)
            joint = JointSpec(type=Revolute(axis=Y), frame=Pose((0.1, 0.0, 0.0)), friction=rub)
        bodies.append(
            BodySpec(
                name=f"link{i}",
                parent=f"link{i - 1}" if i else None,
                shape=Cuboid((0.1, 0.03, 0.03)),
                density=1000.0,
                pose=Pose((0.05, 0.0, 0.0)),
                joint=joint,
            )
        )
    return SceneSpec(bodies=bodies)


@pytest.mark.parametrize("links", [5, 20, 40])
def test_friction_in_free_fall_takes_a_single_pass(links: int) -> None:
    model = compile_scene(falling(links))
    steps = EulerSteps(model, model.initial_state(), Options(h=1 / 240))
    for _ in range(20):
        next(steps)
        dry = steps.memory.report.dry
        assert dry is not None and dry.rounds <= 2 and dry.passes <= 2
    assert np.abs(steps.state.qdot[6:]).max() < 1e-9
