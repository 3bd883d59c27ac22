"""Static optimisation: activations that make given torques, and no more of them than needed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from muscle_scenes import THROUGH, arm, over

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.model.records import Floats, Model
from redmax_blender.engine.model.state import State
from redmax_blender.engine.muscles.activations import static_optimisation
from redmax_blender.engine.scene import HillActuator, MusclePoint, MuscleSpec, SpringActuator

EXTENSOR = [MusclePoint((-0.09, -0.05, 0.0), "upper"), MusclePoint((-0.08, -0.03, 0.0), "lower")]


def flexed(muscles: list[MuscleSpec]) -> tuple[Model, State]:
    model = compile_scene(arm(muscles))
    return model, replace(model.initial_state(), q=np.array([-0.3, 0.4]), qdot=np.array([0.3, -0.5]))


def hill(force: float) -> HillActuator:
    return HillActuator(force, rigid_tendon=True, damping=0.0)


def torque(model: Model, state: State, a: Floats) -> Floats:
    from redmax_blender.engine.muscles.accelerate import muscle_forces
    from redmax_blender.engine.tree.kinematics import forward_kinematics

    there = replace(state, muscle=np.column_stack([a, state.muscle[:, 1]]))
    return muscle_forces(model, there, forward_kinematics(model, state))


def test_activations_make_the_torques_with_the_least_squares() -> None:
    muscles = [
        over(actuator=hill(500.0)),
        replace_name(over(actuator=hill(250.0)), "second"),
        MuscleSpec(name="third", points=THROUGH, actuator=hill(400.0)),
        MuscleSpec(name="extensor", points=EXTENSOR, actuator=hill(300.0)),
    ]
    model, state = flexed(muscles)
    wanted = torque(model, state, np.array([0.5, 0.1, 0.3, 0.2]))
    found = static_optimisation(model, state, wanted)
    assert np.abs(found.missing).max() < 1e-6
    a = found.activation
    assert (a >= 0.0).all()
    assert (a <= 1.0).all()
    assert torque(model, state, a) == pytest.approx(wanted, abs=1e-6)
    assert a @ a < 0.5**2 + 0.1**2 + 0.3**2 + 0.2**2
    # two muscles on one path share in proportion to their strength
    assert a[1] == pytest.approx(0.5 * a[0], abs=1e-6)


def replace_name(muscle: MuscleSpec, name: str) -> MuscleSpec:
    import msgspec

    return msgspec.structs.replace(muscle, name=name)


def test_what_muscles_cannot_do_is_missing() -> None:
    model, state = flexed(
        [over(actuator=SpringActuator(max_force=100.0, activation_time=0.01, deactivation_time=0.04))]
    )
    full = torque(model, state, np.array([1.0]))
    found = static_optimisation(model, state, 2.0 * full)
    assert found.activation == pytest.approx([1.0])
    assert found.missing == pytest.approx(full, abs=1e-9)
    backwards = static_optimisation(model, state, -full)
    assert backwards.activation == pytest.approx([0.0])
    assert backwards.missing == pytest.approx(-full, abs=1e-9)
