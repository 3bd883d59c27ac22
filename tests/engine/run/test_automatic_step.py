"""The step that a scene needs: few for what swings, more for what touches, and close to what small steps give."""

from dataclasses import replace

import numpy as np
import pytest
from msgspec.structs import replace as with_

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.run.automatic_step import MOST, automatic_substeps
from redmax_blender.engine.run.simulate import scene_options, simulate
from redmax_blender.engine.scene.spec import (
    BodySpec,
    Capsule,
    ColliderSpec,
    Fixed,
    JointSpec,
    LoopPoint,
    Plane,
    Point,
    Pose,
    Revolute,
    SceneSpec,
    Spherical,
    Surface,
)

FRAME = 1 / 24


def tail(
    stiffness: float = 0.0, damping: float = 0.0, length: float = 0.1, count: int = 6, **more
) -> SceneSpec:
    """Thin bones one after the other, level at the start."""
    bodies = []
    for k in range(count):
        turn = [0.0, np.pi / 2, 0.0] if not k else [0.0, 0.0, 0.0]
        at = (0.0, 0.0, length if k else 1.0)
        bodies.append(
            BodySpec(
                name=f"b{k}",
                parent=f"b{k - 1}" if k else None,
                shape=Capsule(0.1 * length, 0.8 * length),
                pose=Pose(position=(0.0, 0.0, 0.5 * length)),
                joint=JointSpec(
                    type=Spherical(),
                    frame=Pose(position=at, rotation=turn),
                    stiffness=stiffness,
                    damping=damping,
                ),
            )
        )
    return SceneSpec(bodies=bodies, **more)


def tips(spec: SceneSpec, substeps: int, seconds: float) -> np.ndarray:
    """Where the last joint is at each frame, shape (nf, 3)."""
    options = replace(scene_options(spec), h=FRAME / substeps)
    return np.array(
        [
            frame.joint_pose[-1, 9:]
            for frame in simulate(compile_scene(spec), options, end=seconds, record=substeps)
        ]
    )


@pytest.mark.parametrize(("stiffness", "damping"), [(0.0, 2e-5), (0.02, 2e-4)])
def test_a_tail_takes_few_steps_and_moves_as_with_many(stiffness, damping):
    """Until it is chaotic, a swing by few steps is that by a hundred to a small part of its length."""
    spec = tail(stiffness, damping)
    count, _ = automatic_substeps(spec, FRAME)
    assert 3 <= count <= 16
    many, few = tips(spec, 100, 1.0), tips(spec, count, 1.0)
    assert np.abs(few - many).max() < 0.06 * 0.6
    assert np.abs(few - many).max() < 0.6 * np.abs(tips(spec, 2, 1.0) - many).max(), "two would do"
    assert np.ptp(many, axis=0).max() > 0.3, "it moves"


def test_what_a_scene_has_decides():
    def chosen(spec: SceneSpec) -> tuple[int, str]:
        return automatic_substeps(spec, FRAME)

    plain = chosen(tail())
    assert chosen(tail(length=0.01)) > plain  # small things swing faster
    assert chosen(tail(gravity=(0.0, 0.0, 0.0))) == (2, "")  # nothing needs any
    stiff = chosen(tail(stiffness=10.0))
    assert stiff[0] == 16 and stiff[1].startswith(
        "the spring of 'b"
    )  # faster than can be seen, whatever the stiffness
    assert chosen(tail(stiffness=1000.0))[0] == 16

    lying = tail()
    for body in lying.bodies:
        body.surface = Surface()
    assert chosen(with_(lying, colliders=[ColliderSpec(name="ground", shape=Plane())])) == (10, "contacts")

    hung = [Point(body="b5"), Point(position=(0.6, 0.0, 1.0))]
    assert chosen(tail(constraints=[LoopPoint(*hung)])) == (40, "loops")

    motor = tail()
    motor.bodies[0].joint = JointSpec(type=Revolute(), motion=[None], limits=None)
    assert chosen(motor)[0] == plain[0]
    held = tail(stiffness=10.0)
    for body in held.bodies:
        body.joint.type = Fixed()
    assert chosen(held)[0] == 2, "what does not move needs nothing"


def test_it_stays_within_bounds():
    assert automatic_substeps(tail(length=1e-4), FRAME)[0] == MOST
    assert automatic_substeps(tail(), 1 / 240)[0] == 2
