"""Motors, stops and loops with dry friction, and what cannot be."""

from __future__ import annotations

from math import cos

import numpy as np
import pytest
from friction_scenes import bar, chain, rub, steps_of

from redmax_blender.engine import compile_scene
from redmax_blender.engine.errors import InputError, SceneError
from redmax_blender.engine.integrators.euler import EulerSteps
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.run.simulate import simulate
from redmax_blender.engine.scene import (
    BodySpec,
    Constant,
    Cuboid,
    Fixed,
    Free,
    JointFriction,
    JointSpec,
    Limits,
    LoopHinge,
    Motor,
    Point,
    Pose,
    Prismatic,
    Revolute,
    SceneSpec,
)

# Motors and stops ------------------------------------------------------------------------------------------------


def test_a_motor_keeps_its_speed_and_stalls_at_its_torque():
    def turntable(torque: float, load: float) -> EulerSteps:
        scene = SceneSpec(
            gravity=(0.0, 0.0, 0.0),
            bodies=[
                bar(
                    "arm",
                    Revolute((0, 0, 1)),
                    motors=[Motor(Constant(3.0), torque)],
                    torque=[Constant(-load)],
                )
            ],
        )
        return steps_of(scene)

    strong, weak = turntable(50.0, 20.0), turntable(50.0, 60.0)
    for _ in range(400):
        a, b = next(strong), next(weak)
    assert a.qdot[0] == pytest.approx(3.0, abs=1e-12)
    assert strong.memory.report.dry.motor[0] == pytest.approx(20.0, rel=1e-9)
    assert b.qdot[0] < 0.0
    assert weak.memory.report.dry.motor[0] == pytest.approx(50.0, rel=1e-12)


def test_a_motor_pushes_against_a_stop_with_its_torque():
    scene = SceneSpec(
        gravity=(0.0, 0.0, 0.0),
        bodies=[
            bar(
                "arm",
                Revolute((0, 0, 1)),
                motors=[Motor(Constant(1.0), 7.0)],
                limits=Limits(upper=0.05),
                friction=rub(),
            )
        ],
    )
    steps = steps_of(scene)
    for _ in range(300):
        state = next(steps)
    assert state.q[0] == pytest.approx(0.05, abs=1e-9)
    assert state.qdot[0] == 0.0
    report = steps.memory.report
    assert report.dry.motor[0] == pytest.approx(7.0)


def test_friction_in_a_loop_holds_it():
    """Two bars that hold each other up like a tent slide apart, unless their joints rub."""

    def tent(mu: float) -> EulerSteps:
        friction = None if mu == 0.0 else JointFriction(mu, 0.2, 0.1)
        scene = SceneSpec(
            bodies=[
                bar("left", Revolute((0, 1, 0)), q=-0.1, friction=friction),
                bar("right", Revolute((0, 1, 0)), "left", q=0.2, friction=friction),
                BodySpec(
                    name="shoe",
                    shape=Cuboid((0.1, 0.1, 0.1)),
                    joint=JointSpec(type=Prismatic((1, 0, 0)), frame=Pose((2 * cos(0.1), 0.0, 0.0))),
                ),
            ],
            constraints=[
                LoopHinge(
                    a=Point(position=(0.5, 0.0, 0.0), body="right"),
                    b=Point(position=(0.0, 0.0, 0.0), body="shoe"),
                    axis=(0, 1, 0),
                    friction=friction,
                )
            ],
        )
        return steps_of(scene)

    free, held = tent(0.0), tent(2.5)
    for _ in range(40):
        a, b = next(free), next(held)
    assert abs(a.qdot[2]) > 0.1
    assert np.abs(b.qdot).max() < 1e-7
    assert held.memory.report.residual < 1e-6


# Errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("joint", "place", "problem"),
    [
        ({"type": Revolute(), "friction": JointFriction(-0.1, 0.1)}, "friction.coefficient", "-0.1"),
        ({"type": Revolute(), "friction": JointFriction(0.1, -0.1)}, "friction.radius", "-0.1 m"),
        ({"type": Revolute(), "friction": JointFriction(0.1)}, "friction.radius", "no lever"),
        ({"type": Revolute(), "friction": JointFriction(0.1, 0.1, -1.0)}, "friction.height", "-1.0 m"),
        ({"type": Revolute(), "friction": JointFriction(0.5, 0.1, static=0.4)}, "friction.static", "0.4"),
        ({"type": Prismatic(), "friction": JointFriction(0.5, sides=(1, 0, 1))}, "friction.sides", "above zero"),
        ({"type": Fixed(), "friction": JointFriction(0.5, 0.1)}, "joint.friction", "nothing rubs in a fixed joint"),
        ({"type": Revolute(), "motors": [None, None]}, "joint.motors", "2 motors"),
        ({"type": Revolute(), "motors": [Motor(Constant(1.0), -2.0)]}, "motors[0].torque", "-2.0"),
        (
            {"type": Revolute(), "motors": [Motor(Constant(1.0), 2.0)], "motion": [Constant(0.0)]},
            "motors[0]",
            "prescribed as well",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_is_named(joint, place, problem):
    scene = SceneSpec(bodies=[BodySpec(name="arm", shape=Cuboid((1, 1, 1)), joint=JointSpec(**joint))])
    with pytest.raises(SceneError) as error:
        compile_scene(scene)
    assert "bodies[0] 'arm'" in error.value.place
    assert place in error.value.place
    assert problem in str(error.value)


def test_a_free_joint_rubs_nowhere():
    scene = SceneSpec(
        bodies=[BodySpec(name="box", shape=Cuboid((1, 1, 1)), joint=JointSpec(type=Free(), friction=rub()))]
    )
    with pytest.raises(SceneError, match="nothing rubs in a free joint"):
        compile_scene(scene)


def test_only_euler_knows_friction():
    model = compile_scene(chain(2, rub()))
    with pytest.raises(InputError, match="friction"):
        simulate(model, Options(integrator="sdirk2"), end=1.0)
