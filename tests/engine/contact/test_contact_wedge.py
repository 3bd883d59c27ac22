"""What is wedged in by friction does not bounce off: no impulses, however large, could do that."""

from __future__ import annotations

import math

import numpy as np
import pytest

from redmax_blender.engine import compile_scene
from redmax_blender.engine.errors import ConvergenceError
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.run.simulate import simulate
from redmax_blender.engine.run.tally import Tally
from redmax_blender.engine.scene import (
    BodySpec,
    ColliderSpec,
    Constant,
    Cuboid,
    Free,
    JointSpec,
    Plane,
    Pose,
    Sampled,
    SceneSpec,
    Sphere,
    Surface,
)

RADIUS, MASS, SPEED, STEEP = 0.1, 2.0, 3.0, 0.35


def wedge(friction: float) -> SceneSpec:
    """A ball falls into a notch between two walls that are STEEP [rad] off the vertical."""
    walls = [
        ColliderSpec(
            name=f"wall {side:+d}",
            shape=Cuboid((0.2, 1.0, 2.0)),
            pose=Pose((side * (0.1 + 0.08) / math.cos(STEEP), 0.0, 0.0), rotation=[0.0, side * STEEP, 0.0]),
            friction=friction,
        )
        for side in (-1, 1)
    ]
    ball = BodySpec(
        name="ball",
        shape=Sphere(RADIUS),
        mass=MASS,
        joint=JointSpec(type=Free(), frame=Pose((0.0, 0.0, 0.35)), qdot=[0.0, 0.0, -SPEED, 0.0, 0.0, 0.0]),
        surface=Surface(friction=friction, restitution=0.5),
    )
    return SceneSpec(bodies=[ball], colliders=walls)


@pytest.mark.parametrize("integrator", ["euler", "euler-midway"])
@pytest.mark.parametrize("friction", [0.0, 1.5])
def test_a_ball_that_is_wedged_in_by_friction_stays_there_and_one_that_is_not_bounces(friction, integrator):
    h, tally = 1 / 60, Tally()
    frames = list(
        simulate(compile_scene(wedge(friction)), Options(h=h, integrator=integrator), end=0.5, tally=tally)
    )
    fastest = max(frame.state.qdot[2] for frame in frames)
    hardest = h * max(np.abs(frame.contact[:, 3:]).max(initial=0.0) for frame in frames)
    # Each wall has to stop it with its share of the impulse over the sine of the wedge at most.
    assert 0.0 < hardest < 2.0 * MASS * (SPEED + 1.0) / math.sin(STEEP)
    assert not tally.remarks()
    if friction > math.tan(STEEP):
        assert fastest < 1e-3
    else:
        assert fastest > 0.4 * SPEED


def test_a_ball_between_the_ground_and_a_press_that_does_not_stop_ends_the_run_by_name_and_time():
    """However short the parts of a step are: nothing can be in less room than it takes."""
    ball = BodySpec(
        name="ball",
        shape=Sphere(RADIUS),
        mass=MASS,
        joint=JointSpec(type=Free(), frame=Pose((0.0, 0.0, RADIUS))),
        surface=Surface(friction=0.5),
    )
    down = [
        Constant(0.0),
        Constant(0.0),
        Sampled([0.0, 0.1], [0.35, 0.2]),
        *(Constant(0.0) for _ in range(3)),
    ]
    press = ColliderSpec(name="press", shape=Cuboid((1.0, 1.0, 0.2)), motion=down)
    spec = SceneSpec(bodies=[ball], colliders=[ColliderSpec(name="ground", shape=Plane()), press])
    with pytest.raises(ConvergenceError, match=r"t = 0\.0[0-9]+ s .*'ball'"):
        list(simulate(compile_scene(spec), Options(h=1 / 60), end=0.1))
