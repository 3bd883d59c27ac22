"""Implicit forces at a film's step, from limp to rigid: nothing blows up over nine orders of magnitude."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mechanisms import end_of, point_of, rod

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.integrators import INTEGRATORS
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.run.energy import energies
from redmax_blender.engine.scene import (
    BodySpec,
    Constant,
    Guide,
    Limits,
    SceneSpec,
    Sine,
    SmoothStep,
    Spherical,
    Switch,
    Universal,
)
from redmax_blender.engine.scene.constraints import PrescribedPoint
from redmax_blender.engine.scene.forces import Point, Spring
from redmax_blender.engine.tree.kinematics import forward_kinematics

H = 1.0 / 48.0
STIFFNESSES = [10.0**k for k in range(10)]
GUIDED = [Switch(time=-1.0, mode="guided")]


def chain(kinds: list[Any] | None = None, **root: Any) -> list[BodySpec]:
    """Four rods of 20 cm; what little friction there is keeps the loose end from whirling."""
    bodies = []
    for k in range(4):
        at = (0.0, 0.0, 0.0) if k == 0 else (0.2, 0.0, 0.0)
        body = rod(
            f"rod{k}", 0.2, None if k == 0 else f"rod{k - 1}", at, 0.2, 0.5, **(root if k == 0 else {})
        )
        if kinds:
            body.joint.type = kinds[k]
        body.joint.damping = 0.02
        bodies.append(body)
    return bodies


TIP = end_of(0.2, "rod3")


def joint_springs(k: float) -> SceneSpec:
    bodies = chain()
    for body in bodies:
        body.joint.stiffness = k
    return SceneSpec(bodies=bodies)


def spring_to_the_world(k: float) -> SceneSpec:
    spring = Spring(points=[TIP, Point(position=(0.9, 0.0, 0.4))], stiffness=k)
    return SceneSpec(bodies=chain(), forces=[spring])


def spring_between_bodies(k: float) -> SceneSpec:
    return SceneSpec(
        bodies=chain(), forces=[Spring(points=[TIP, end_of(0.2, "rod0")], stiffness=k, damping=0.1)]
    )


def cable(k: float) -> SceneSpec:
    """Over two bodies and a nail, on ball and universal joints."""
    kinds = [Spherical(), Universal(), Spherical(), Universal()]
    points = [TIP, Point(body="rod1", position=(0.0, 0.0, 0.05)), Point(position=(0.0, 0.1, 0.6))]
    return SceneSpec(bodies=chain(kinds), forces=[Spring(points=points, stiffness=k, tension_only=True)])


def springy_stops(k: float) -> SceneSpec:
    bodies = chain()
    for body in bodies:
        body.joint.limits = Limits(lower=-0.1, upper=0.2, stiffness=k)
    return SceneSpec(bodies=bodies)


def guided_joint(k: float) -> SceneSpec:
    motion = [Sine(amplitude=0.4, frequency=0.5)]
    return SceneSpec(bodies=chain(motion=motion, modes=GUIDED, guide=Guide(stiffness=k, damping=0.0)))


def guided_point(k: float) -> SceneSpec:
    model = compile_scene(SceneSpec(bodies=chain()))
    x, y, z = map(float, point_of(model, model.initial_state(), TIP))
    inwards = SmoothStep(t0=0.0, t1=1.5, start=x, end=x - 0.2)  # a point beyond reach would be another matter
    path: list[Any] = [inwards, Constant(value=y), Constant(value=z)]
    guide = Guide(stiffness=k, damping=0.0)
    spec = SceneSpec(bodies=chain())
    spec.constraints = [PrescribedPoint(point=TIP, path=path, modes=GUIDED, guide=guide)]
    return spec


SCENES: dict[str, Callable[[float], SceneSpec]] = {
    "joint springs": joint_springs,
    "spring to the world": spring_to_the_world,
    "spring between bodies": spring_between_bodies,
    "cable": cable,
    "springy stops": springy_stops,
    "guided joint": guided_joint,
    "guided point": guided_point,
}


@pytest.mark.parametrize("integrator", ["euler", "euler-midway"])
@pytest.mark.parametrize("name", SCENES)
def test_no_stiffness_blows_up_at_a_step_of_a_frame(name: str, integrator: str) -> None:
    for k in STIFFNESSES if integrator == "euler" else STIFFNESSES[::3]:
        model = compile_scene(SCENES[name](k))
        state = model.initial_state()
        start = energies(model, state, forward_kinematics(model, state))
        # all of the weight falling by the whole length, and what a guide may add
        most = start[0] + start[1] + 4 * 0.5 * 9.81 * 0.8 + (20.0 if name.startswith("guided") else 0.0)
        steps = INTEGRATORS[integrator](model, state, Options(h=H))
        for _ in range(96):
            state = next(steps)
            kinetic, gravity, _ = energies(model, state, forward_kinematics(model, state))
            assert kinetic + gravity < most, f"{name} at {k:g} after {state.t:.2f} s"
            assert np.abs(state.qdot).max() < 60.0, f"{name} at {k:g} after {state.t:.2f} s"


@pytest.mark.parametrize("solver", ["direct", "pcg"])
def test_a_spring_that_is_stiff_enough_is_a_rod(solver: str) -> None:
    """Its length changes by no more than a chord differs from its arc in a step; a soft one gives to the weight."""
    for k, most in ((1e2, np.inf), (1e9, 2e-3)):
        model = compile_scene(spring_to_the_world(k))
        rest = float(model.springs.rest[0])
        steps = INTEGRATORS["euler"](model, model.initial_state(), Options(h=H, solver=solver))
        worst = 0.0
        for _ in range(96):
            tip = point_of(model, next(steps), TIP)
            worst = max(worst, abs(float(np.linalg.norm(tip - (0.9, 0.0, 0.4))) - rest))
        assert worst < most
        if k < 1e3:
            assert worst > 1e-2
