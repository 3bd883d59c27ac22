"""Steps with contacts by the kernels for them (`run.py`): the same as by the general route."""

from __future__ import annotations

import numpy as np
import pytest

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.integrators.euler import EulerSteps
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.run.simulate import simulate
from redmax_blender.engine.scene import (
    BodySpec,
    Capsule,
    ColliderSpec,
    Constant,
    Cuboid,
    Fixed,
    Free,
    JointSpec,
    Limits,
    Plane,
    Pose,
    Revolute,
    SceneSpec,
    SelfCollision,
    Sine,
    Sphere,
    Surface,
)
from redmax_blender.engine.step.taken import Taken

GROUND = ColliderSpec(name="ground", shape=Plane(), friction=0.6)


def routes(scene: SceneSpec, **options: object) -> tuple[EulerSteps, EulerSteps]:
    """The same run, by the kernels and without them; impulses as exact as they get, so that the two can agree."""
    model = compile_scene(scene)
    exact = Options(h=1 / 240, contact_tolerance=1e-7, contact_enough=0.0, **options)
    both = [EulerSteps(model, model.initial_state(), exact) for _ in range(2)]
    assert both[0].touch is not None
    both[1].touch = None
    return both[0], both[1]


def loose(name: str, shape: object, at: tuple[float, float, float], **surface: float) -> BodySpec:
    return BodySpec(
        name=name,
        shape=shape,
        density=500.0,
        joint=JointSpec(type=Free(), frame=Pose(at), qdot=[0.3, -0.2, 0.0, 0.5, 1.0, -0.4]),
        surface=Surface(**surface),
    )


def arm(stiffness: float = 0.0) -> list[BodySpec]:
    """Two capsules that hang over the ground from a body that is let go, with hinges that have limits."""
    bodies = [loose("base", Cuboid((0.3, 0.3, 0.2)), (0.0, 0.0, 0.62))]
    for i, parent in enumerate(("base", "upper")):
        bodies.append(
            BodySpec(
                name=("upper", "lower")[i],
                parent=parent,
                shape=Capsule(0.04, 0.2),
                density=800.0,
                surface=Surface(friction=0.5),
                pose=Pose((0.0, 0.0, -0.15)),
                joint=JointSpec(
                    type=Revolute((0.0, 1.0, 0.0)),
                    frame=Pose((0.2 if i == 0 else 0.0, 0.0, -0.3 if i else 0.0)),
                    limits=Limits(lower=-0.6, upper=0.2),
                    stiffness=stiffness,
                    damping=0.1 * stiffness,
                ),
            )
        )
    return bodies


SCENES = {
    "spheres and boxes": SceneSpec(
        bodies=[
            loose("ball", Sphere(0.1), (0.0, 0.0, 0.12), friction=0.4, restitution=0.5),
            loose("box", Cuboid((0.3, 0.2, 0.2)), (0.05, 0.0, 0.35), friction=0.4),
            loose("rod", Capsule(0.05, 0.3), (0.5, 0.0, 0.06), friction=0.0),
        ],
        colliders=[GROUND],
    ),
    "an arm with limits": SceneSpec(bodies=arm(), colliders=[GROUND], self_collision=SelfCollision()),
    "an arm with springs": SceneSpec(bodies=arm(5.0), colliders=[GROUND]),
    "a floor that moves": SceneSpec(
        bodies=[loose("box", Cuboid((0.3, 0.2, 0.2)), (0.0, 0.0, 0.3), friction=0.9)],
        colliders=[
            ColliderSpec(
                name="floor",
                shape=Cuboid((2.0, 2.0, 0.2)),
                friction=0.9,
                motion=[Sine(0.2, 1.0), Constant(0.0), Sine(0.05, 2.0), *[Constant(0.0)] * 3],
            )
        ],
    ),
}


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize(("boxed", "corrections"), [(False, 0), (True, 0), (False, 2)])
def test_both_routes_take_the_same_steps(name: str, boxed: bool, corrections: int) -> None:
    fast, slow = routes(SCENES[name], boxed_friction=boxed, sleep=False, corrections=corrections)
    touched = 0
    for _ in range(60):
        before = fast.state
        slow.state = before
        next(fast), next(slow)
        assert isinstance(fast.memory.latest, Taken)
        np.testing.assert_allclose(fast.state.q, slow.state.q, atol=2e-8)
        np.testing.assert_allclose(fast.state.qdot, slow.state.qdot, atol=5e-6)
        mine, other = fast.memory.report, slow.memory.report
        if other.dry is not None and other.dry.contacts is not None:
            assert mine.dry is not None and mine.dry.contacts is not None
            np.testing.assert_array_equal(mine.dry.contacts.key, other.dry.contacts.key)
            pushed = mine.dry.impulse.sum(axis=0), other.dry.impulse.sum(axis=0)
            np.testing.assert_allclose(*pushed, atol=1e-5)
            touched += len(mine.dry.impulse)
        held = [
            np.zeros(0) if each.impulse is None else each.impulse[each.impulse > 1e-6]
            for each in (mine, other)
        ]
        np.testing.assert_allclose(*held, atol=1e-5)
    assert touched > 30


def test_both_routes_divide_the_same_steps() -> None:
    """A light rod that whirls on the ground, with an arm on it that goes from stop to stop."""
    rod = BodySpec(
        name="rod",
        shape=Capsule(0.02, 0.1),
        density=500.0,
        joint=JointSpec(type=Free(), frame=Pose((0.0, 0.0, 0.06)), qdot=[0.5, 0.0, -1.0, 30.0, 90.0, 40.0]),
        surface=Surface(friction=0.5),
    )
    tip = BodySpec(
        name="tip",
        parent="rod",
        shape=Capsule(0.015, 0.05),
        density=500.0,
        pose=Pose((0.0, 0.0, 0.05)),
        surface=Surface(friction=0.5),
        joint=JointSpec(
            type=Revolute((0.0, 1.0, 0.0)), frame=Pose((0.0, 0.0, 0.08)), limits=Limits(lower=-0.6, upper=0.6)
        ),
    )
    fast, slow = routes(SceneSpec(bodies=[rod, tip], colliders=[GROUND]), sleep=False)
    divided = 0
    for _ in range(24):
        slow.state = fast.state
        next(fast), next(slow)
        parts = [each.memory.report.parts for each in (fast, slow)]
        assert parts[0] == parts[1]
        divided += parts[0] > 1
        np.testing.assert_allclose(fast.state.q, slow.state.q, atol=1e-7)
        np.testing.assert_allclose(fast.state.qdot, slow.state.qdot, atol=2e-4)
    assert divided > 5
    assert fast.touch is not None and fast.touch.other is not None  # which took the parts


def test_what_comes_to_rest_falls_asleep_by_either_route() -> None:
    box = BodySpec(
        name="box",
        shape=Cuboid((0.3, 0.2, 0.2)),
        density=500.0,
        joint=JointSpec(type=Free(), frame=Pose((0.0, 0.0, 0.105))),
        surface=Surface(friction=0.5),
    )
    asleep = []
    for steps in routes(SceneSpec(bodies=[box], colliders=[GROUND])):
        for k in range(240):
            next(steps)
            if steps.memory.report.solver == "asleep":
                asleep.append(k)
                break
    assert len(asleep) == 2 and abs(asleep[0] - asleep[1]) <= 1


def test_where_nothing_can_move_nothing_does() -> None:
    """A body that is fixed, above the ground or in it, has contact and no coordinates."""
    for z in (0.5, 0.05):
        fixed = BodySpec(
            name="post",
            shape=Cuboid((0.2, 0.2, 0.2)),
            density=500.0,
            joint=JointSpec(type=Fixed(), frame=Pose((0.0, 0.0, z))),
            surface=Surface(),
        )
        scene = SceneSpec(bodies=[fixed], colliders=[GROUND], self_collision=SelfCollision())
        for steps in (*routes(scene), *routes(scene, corrections=2)):
            for _ in range(3):
                next(steps)
            assert steps.state.q.shape == (0,) and steps.state.t == pytest.approx(3 / 240)


def test_an_impossible_place_is_an_error_that_names_the_joint() -> None:
    model = compile_scene(SCENES["spheres and boxes"])
    for place in (1e200, np.inf, np.nan):
        state = model.initial_state()
        state.q[6] = place  # the first coordinate of the box
        frames = simulate(model, Options(h=0.01), end=0.05, state=state)
        with pytest.raises(Exception, match=r"diverged at t = .* at joint|not finite"):
            list(frames)
