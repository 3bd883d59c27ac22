"""The hagfish: the knot it is led into, and the contact with itself that holds it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from redmax_blender.engine import Result, compile_scene, scene_options, simulate
from redmax_blender.engine.errors import InputError
from redmax_blender.engine.scene import Revolute, SceneSpec, Universal
from redmax_blender.engine.shots.hagfish import Hagfish, centreline, check, closest, spec
from redmax_blender.engine.shots.knot import CLEARANCE, REACH, determinant, knot


@pytest.fixture(scope="module")
def scene() -> SceneSpec:
    return spec()


def run(scene: SceneSpec) -> Result:
    model = compile_scene(scene)
    frames = simulate(model, scene_options(scene), end=scene.time.end, record=scene.time.record)
    return Result.from_frames(model, frames)


@pytest.fixture(scope="module")
def knotted(scene: SceneSpec) -> Result:
    return run(scene)


def test_the_curve_is_an_overhand_knot_seen_from_anywhere() -> None:
    s = np.linspace(-1.5 * REACH, 1.5 * REACH, 500)
    points, tangents = knot(s)
    views = np.random.default_rng(0).normal(size=(40, 3))
    assert {determinant(points, tuple(view)) for view in views} == {3}
    loop = np.stack([np.cos(s), np.sin(s), 0.1 * s], axis=1)[100:260]
    assert {determinant(loop, tuple(view)) for view in views} == {1}
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    assert distance[np.abs(s[:, None] - s[None]) > 3.0].min() >= CLEARANCE
    bend = np.linalg.norm(np.gradient(tangents, s, axis=0), axis=1)
    assert bend.max() < 1.0 and bend[np.abs(s) > REACH + 0.2].max() < 1e-9


def test_joints_are_as_many_as_published_and_alternate(scene: SceneSpec) -> None:
    kinds = [type(body.joint.type) for body in scene.bodies[1:]]
    assert kinds == [Revolute, Universal] * 50
    assert compile_scene(scene).nr == 150


def test_the_motion_ties_the_knot_without_touching_and_then_asks_for_too_much(scene: SceneSpec) -> None:
    fish = Hagfish()
    assert determinant(fish.shape(0.0)) == 1
    assert determinant(fish.shape(fish.slides)) == 3
    for t in np.linspace(0.0, fish.slides, 30):
        assert closest(fish.shape(float(t)), fish) > 1.05
    assert closest(fish.shape(fish.end), fish) < 0.9


def test_it_ties_itself_into_a_knot_without_going_through_itself(knotted: Result) -> None:
    check(knotted)
    assert determinant(centreline(knotted)[0]) == 1


def test_it_is_contact_that_holds_the_knot_open(scene: SceneSpec, knotted: Result) -> None:
    """Without it the muscles pull the body into itself."""
    fish = Hagfish()
    loose = run(structs.replace(scene, tubes=[]))
    assert closest(centreline(loose)[-1], fish) < 0.9
    assert closest(centreline(knotted)[-1], fish) > 0.98


def test_the_check_sees_what_is_wrong(knotted: Result) -> None:
    fish = Hagfish()
    straight = replace(knotted, joint_pose=np.repeat(knotted.joint_pose[:1], len(knotted), axis=0))
    with pytest.raises(AssertionError, match="no knot"):
        check(straight, fish)
    q = knotted.q.copy()
    q[10, 0] = 1.1
    with pytest.raises(AssertionError, match="beyond its limit"):
        check(replace(knotted, q=q), fish)
    with pytest.raises(AssertionError, match="into itself"):
        check(knotted, fish, through=-0.2)


def test_a_knot_that_does_not_fit_is_an_error() -> None:
    with pytest.raises(InputError, match="hang over an end"):
        Hagfish(length=0.3)
