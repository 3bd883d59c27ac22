"""Up to which time two scenes are the same."""

from math import inf

import pytest
from msgspec.structs import replace

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.run.same_until import same_until
from redmax_blender.engine.run.simulate import scene_options, simulate
from redmax_blender.engine.scene.spec import (
    BodySpec,
    Cuboid,
    JointSpec,
    Pose,
    Revolute,
    Sampled,
    SceneSpec,
    Switch,
    TimeSpec,
)

TIMES = [0.1 * i for i in range(21)]


def scene(values: dict[int, float], kind: str = "cubic", end: float = 2.0, **more) -> SceneSpec:
    """A driven link and one that hangs on it; `values` of the motion by sample."""
    curve = Sampled(TIMES, [values.get(i, 0.02 * i) for i in range(21)], kind)
    driven = JointSpec(type=Revolute(), motion=[curve], **more)
    hung = JointSpec(type=Revolute(), frame=Pose(position=(0.5, 0.0, 0.0)))
    shape = Cuboid(sides=(0.5, 0.1, 0.1))
    bodies = [
        BodySpec(name="a", shape=shape, joint=driven),
        BodySpec(name="b", shape=shape, parent="a", joint=hung),
    ]
    return SceneSpec(bodies=bodies, gravity=(0.0, -9.81, 0.0), time=TimeSpec(end=end, step=0.01, record=10))


@pytest.mark.parametrize(("kind", "reach"), [("cubic", 8), ("linear", 1), ("step", 1)])
def test_samples_matter_a_little_before_they_change(kind, reach):
    a, b = scene({}, kind), scene({15: 1.0}, kind)
    assert same_until(a, a) == inf
    assert same_until(a, scene({15: 0.3 + 1e-9}, kind)) == inf
    assert same_until(a, b) == same_until(b, a) == pytest.approx(TIMES[15 - reach])
    frames = [list(simulate(compile_scene(s), scene_options(s), end=2.0, record=10)) for s in (a, b)]
    apart = [abs(x.joint_pose - y.joint_pose).max() for x, y in zip(*frames)]
    assert max(apart[: 16 - reach]) < 1e-4 < 1e-2 < max(apart)


def test_what_is_no_curve_matters_from_the_start():
    a = scene({})
    assert same_until(a, replace(a, gravity=(0.0, -1.0, 0.0))) == -inf
    assert same_until(a, replace(a, name="another")) == inf
    assert same_until(a, scene({0: 1.0})) == -inf
    assert same_until(a, replace(a, bodies=a.bodies[:1])) == -inf


def test_ranges_and_switches():
    assert same_until(scene({}), scene({}, end=1.0)) == 1.0
    free = [Switch(0.5, "free")]
    both = [Switch(0.5, "free"), Switch(1.5, "prescribed")]
    assert same_until(scene({}, modes=free), scene({}, modes=both)) == 1.5
    assert same_until(scene({}, modes=free), scene({}, modes=[Switch(0.8, "free")])) == 0.5
    assert same_until(scene({}, modes=[Switch(0.0, "free")]), scene({}, modes=both)) == -inf
