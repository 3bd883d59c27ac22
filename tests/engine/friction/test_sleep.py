"""What has come to rest sleeps, flesh too; what only seems to rest does not, and what is touched wakes."""

from __future__ import annotations

import numpy as np
import pytest

from redmax_blender.engine import compile_scene
from redmax_blender.engine.fem.bar import bar
from redmax_blender.engine.integrators.euler import EulerSteps, euler
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.scene import (
    Attachment,
    BodySpec,
    ColliderSpec,
    Cuboid,
    FleshSpec,
    Free,
    JointFriction,
    JointSpec,
    MaterialSpec,
    Plane,
    Pose,
    Revolute,
    SceneSpec,
    Surface,
)


def run(steps: EulerSteps, seconds: float) -> EulerSteps:
    for _ in range(round(seconds / steps.options.h)):
        next(steps)
    return steps


def asleep(steps: EulerSteps) -> int:
    dry = steps.memory.report.dry
    return 0 if dry is None else dry.asleep


def pole(off: float, friction: float) -> SceneSpec:
    """A rod of a metre that stands on a hinge, off the vertical by an angle [rad]."""
    body = BodySpec(
        name="pole",
        shape=Cuboid((0.02, 0.02, 1.0)),
        pose=Pose((0.0, 0.0, 0.5)),
        joint=JointSpec(
            type=Revolute((0.0, 1.0, 0.0)), q=[off], friction=JointFriction(friction, 0.01, 0.02)
        ),
    )
    return SceneSpec(bodies=[body])


@pytest.mark.parametrize("touching", [False, True], ids=["kernel", "general"])
def test_a_pole_that_begins_to_topple_is_not_put_to_sleep(touching: bool) -> None:
    """For more than half a second it is as slow as things that rest: 1e-4 rad off, at first it goes 0.06 mm."""
    scene = pole(1e-4, 1e-9)
    if touching:
        scene.colliders = [ColliderSpec(name="ground", shape=Plane(), pose=Pose((0.0, 0.0, -2.0)))]
        scene.bodies[0].surface = Surface()
    steps = run(euler(compile_scene(scene), compile_scene(scene).initial_state(), Options(h=1 / 240)), 4.0)
    assert abs(steps.state.q[0]) > 1.0


def test_a_pole_that_friction_holds_sleeps() -> None:
    model = compile_scene(pole(1e-3, 0.5))
    steps = run(euler(model, model.initial_state(), Options(h=1 / 240)), 1.0)
    assert asleep(steps) == 1 and steps.state.q[0] == 1e-3


def soft_box() -> SceneSpec:
    """A plate on a block of flesh, which it carries, above the ground; and a brick far above that strikes it later."""
    X, corner = bar((2, 2, 1), (0.2, 0.2, 0.1))
    top = np.flatnonzero(X[:, 2] > 0.1 - 1e-9)
    flesh = FleshSpec(
        name="pad",
        vertices=[(float(x) - 0.1, float(y) - 0.1, float(z) + 0.01) for x, y, z in X],
        tets=[tuple(map(int, t)) for t in corner],
        material=MaterialSpec(young=5e4, stiffness_damping=0.02),
        mass=2.0,
        attachments=[Attachment("plate", top.tolist())],
        surface=Surface(friction=0.6),
    )
    plate = BodySpec(
        name="plate",
        shape=Cuboid((0.2, 0.2, 0.02)),
        mass=2.0,
        joint=JointSpec(type=Free(), frame=Pose((0.0, 0.0, 0.12))),
    )
    brick = BodySpec(
        name="brick",
        shape=Cuboid((0.08, 0.08, 0.08)),
        mass=1.0,
        joint=JointSpec(type=Free(), frame=Pose((0.12, 0.0, 20.0))),
        surface=Surface(),
    )
    return SceneSpec(
        bodies=[plate, brick],
        flesh=[flesh],
        colliders=[ColliderSpec(name="ground", shape=Plane(), friction=0.6)],
    )


def test_flesh_sleeps_with_what_carries_it_and_wakes_when_it_is_struck() -> None:
    model = compile_scene(soft_box())
    steps = run(euler(model, model.initial_state(), Options(h=1 / 120)), 1.8)
    assert asleep(steps) >= 1  # the brick is still falling
    before = steps.state.x.copy()
    run(steps, 0.1)
    assert np.abs(steps.state.x - before).max() < 1e-4  # and flesh does not creep off meanwhile
    run(steps, 0.3)  # it strikes at t = 2 s
    assert np.abs(steps.state.x - before).max() > 1e-3
    run(steps, 3.0)
    assert steps.memory.report.solver == "asleep"
    assert not steps.state.v.any() and not steps.state.qdot.any()
    now = steps.state.x.copy()
    assert np.array_equal(run(steps, 0.5).state.x, now)
