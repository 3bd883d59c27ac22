"""Loops without friction keep their energy, and friction that nothing loads costs nothing, at every step in use."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from linkages import arch

from redmax_blender.engine import compile_scene
from redmax_blender.engine.integrators.euler import EulerSteps, euler, euler_midway
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
    Spherical,
)
from redmax_blender.engine.shots.figure import Skin, figure
from redmax_blender.engine.tree.kinematics import forward_kinematics

RATES = (24, 60, 240, 960)
Y = (0.0, 1.0, 0.0)


@pytest.mark.parametrize("bars", range(3, 9))
@pytest.mark.parametrize("rate", RATES)
def test_a_loop_keeps_its_energy(rate: int, bars: int) -> None:
    """An arch of bars let go for two seconds, `euler-midway`: within 1 % of the largest kinetic energy. Euler's
    velocities are those midway between the positions before and after a step."""
    model = compile_scene(arch(bars))
    steps = euler_midway(model, model.initial_state(), Options(h=1.0 / rate))
    before, total, kinetic = next(steps), [], []
    for _ in range(2 * rate):
        after = next(steps)
        state = replace(before, qdot=0.5 * (before.qdot + after.qdot))
        energy = energies(model, state, forward_kinematics(model, state))
        total.append(energy.sum())
        kinetic.append(energy[0])
        before = after
    off = float(np.abs(np.array(total) - total[0]).max()) / max(kinetic)
    assert off < 0.01, f"off by {off:.1%}"


def falling(kind: str, links: int) -> SceneSpec:
    """Let go in free fall from rest, with friction in its joints: nothing presses on them."""
    if kind == "figure":
        return SceneSpec(bodies=figure(Skin(), [0.0, 0.0, 50.0, 0.3, 0.2, 0.1]))
    bodies = []
    for i in range(links):
        joint = JointSpec(type=Free(), frame=Pose((0.0, 0.0, 1.0)))
        if i:
            rub = JointFriction(0.3, 0.01, 0.02)
            hinge = Revolute(Y) if kind == "hinges" else Spherical()
            joint = JointSpec(type=hinge, frame=Pose((0.1, 0.0, 0.0)), friction=rub)
        bodies.append(
            BodySpec(
                name=f"link{i}", parent=f"link{i - 1}" if i else None, shape=Cuboid((0.1, 0.03, 0.03)),
                pose=Pose((0.05, 0.0, 0.0)), joint=joint,
            )
        )  # fmt: skip
    return SceneSpec(bodies=bodies)


@pytest.mark.parametrize(("kind", "links"), [("hinges", 20), ("hinges", 40), ("balls", 20), ("figure", 30)])
@pytest.mark.parametrize("rate", RATES)
def test_friction_that_nothing_loads_takes_no_work(rate: int, kind: str, links: int) -> None:
    """Two rounds at most, and two solves in each: what joints carry there is rounding noise."""
    model = compile_scene(falling(kind, links))
    steps: EulerSteps = euler(model, model.initial_state(), Options(h=1.0 / rate))
    for _ in range(10):
        next(steps)
        dry = steps.memory.report.dry
        assert dry is not None
        work = f"{dry.rounds} rounds, {dry.passes} solves, {dry.sweeps} sweeps"
        assert dry.rounds <= 2 and dry.passes <= 4 and dry.sweeps <= 40, work
    assert math.isfinite(float(np.abs(steps.state.qdot).max()))
