"""Paths by the trained network: near the exact ones, derivatives of their own, and a word where it knows nothing."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from muscle_scenes import arm, over

from redmax_blender.engine import compile_scene, simulate
from redmax_blender.engine.algebra.se3 import exp, pose_matrix, pose_row
from redmax_blender.engine.errors import SceneError
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.muscles.paths import exact
from redmax_blender.engine.muscles.paths.network import evaluate as network
from redmax_blender.engine.muscles.paths.network import plane
from redmax_blender.engine.muscles.records import MusclePath, PathPoint, Side, Surface, Wrap, WrapSurface
from redmax_blender.engine.scene import MusclePoint, MuscleSpec

CENTRE = np.array([0.01, 0.02, 0.0])


def path(o, i, radius=0.1, side=Side.COUNTER_CLOCKWISE) -> MusclePath:
    ball = WrapSurface(
        "c", Surface.CYLINDER, (radius, 0.0, 0.0), 1, (1, 0, 0, 0, 1, 0, 0, 0, 1), (0.01, 0.02, 0.0)
    )
    return MusclePath(
        "m", (PathPoint(0, tuple(o)), PathPoint(1, tuple(i))), (ball,), (Wrap(0, 0, 1, side),), True
    )


def frames(rng) -> np.ndarray:
    turns = rng.normal(size=(2, 6)) * [0.3, 0.3, 0.3, 0.05, 0.05, 0.05]
    return np.array([pose_row(exp(turn)) for turn in turns])


def test_points_and_lengths_are_within_a_hundredth_of_the_exact_ones_inside_the_range():
    rng = np.random.default_rng(11)
    n = 4000
    near, far = np.exp(rng.uniform(np.log(plane.NEAREST), np.log(plane.FARTHEST), (2, n)))
    turn, alpha = rng.uniform(plane.LEAST_TURN, plane.MOST_TURN, n), rng.random(n)
    x, length, _ = plane.exact(near, far, turn, alpha)
    found, long = network.path_in_plane(near, far, turn, alpha)
    off = np.linalg.norm(found - x, axis=1) / length
    assert off.max() < 0.01 and off.mean() < 1e-3
    assert np.abs(long / length - 1.0).max() < 0.01


def test_the_circle_that_it_learned_is_the_exact_path_on_any_cylinder():
    rng = np.random.default_rng(4)
    for side in (Side.COUNTER_CLOCKWISE, Side.CLOCKWISE, Side.SHORTEST):
        a = rng.uniform(-3.0, 3.0)
        turn = {Side.COUNTER_CLOCKWISE: 2.6, Side.CLOCKWISE: -2.6, Side.SHORTEST: 1.5}[side]
        o = np.array([0.25 * np.cos(a), 0.25 * np.sin(a), 0.1])
        i = np.array([0.15 * np.cos(a + turn), 0.15 * np.sin(a + turn), -0.05])
        given = path(o + CENTRE, i + CENTRE, side=side)
        poses = np.array([pose_row(np.eye(4))] * 2)
        poses = np.array(
            [pose_row(exp(np.array([0.4, -0.2, 0.3, 1.0, 2.0, 3.0])) @ pose_matrix(E)) for E in poses]
        )
        alphas = np.linspace(0.0, 1.0, 9)
        ours, theirs = network.evaluate(given, poses, alphas), exact.evaluate(given, poses, alphas)
        assert ours.length == pytest.approx(theirs.length, rel=3e-3)
        assert np.abs(ours.points - theirs.points).max() < 3e-3 * theirs.length
        assert np.abs(ours.points[[0, -1]] - theirs.points[[0, -1]]).max() < 1e-12


def test_derivatives_are_those_of_the_network_itself():
    rng = np.random.default_rng(2)
    given, poses = path((0.3, 0.05, 0.1), (-0.1, 0.2, -0.1)), frames(np.random.default_rng(8))
    alphas, twists, h = np.array([0.2, 0.5, 0.9]), rng.normal(size=(2, 6)), 1e-6
    here = network.evaluate(given, poses, alphas, twists=twists)

    def moved(k):
        return np.array(
            [pose_row(pose_matrix(E) @ exp(k * h * V)) for E, V in zip(poses, twists, strict=True)]
        )

    ahead, behind = (network.evaluate(given, moved(k), alphas) for k in (1, -1))
    speed = np.einsum("acld,ld->ac", here.jacobian, twists)
    assert (ahead.points - behind.points) / (2 * h) == pytest.approx(speed, abs=1e-7)
    assert (ahead.length - behind.length) / (2 * h) == pytest.approx(np.sum(here.gradient * twists), abs=1e-7)
    assert (ahead.jacobian - behind.jacobian) / (2 * h) == pytest.approx(here.jacobian_rate, abs=1e-5)


def test_a_pendulum_moves_as_with_the_smooth_path():
    ends = {}
    for by in (False, True):
        model = compile_scene(arm([over(mass=0.8, mass_points=6, network=by)]))
        ends[by] = list(simulate(model, Options(h=0.01, integrator="euler-midway"), end=0.2))[-1].state.q
    assert ends[True] == pytest.approx(ends[False], abs=0.03)
    assert not np.allclose(ends[True], ends[False], atol=1e-12)


def test_outside_its_range_a_warning_names_muscle_and_value():
    network._warned.clear()
    poses = np.array([pose_row(np.eye(4))] * 2)
    with pytest.warns(network.OutsideTrainingWarning, match=r"muscle 'm': its origin is at 43\.\d* radii"):
        network.evaluate(path((0.3, 0.34, 0.0), (-0.02, 0.02, 0.0), radius=0.01), poses, ())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        network.evaluate(path((0.3, 0.34, 0.0), (-0.02, 0.02, 0.0), radius=0.01), poses, ())  # once is enough
        network.evaluate(replace(path((0.3, 0.05, 0.1), (-0.1, 0.2, -0.1)), name="other"), poses, ())


def test_paths_that_it_does_not_know_are_errors():
    with pytest.raises(SceneError, match="two points over one cylinder"):
        points = [MusclePoint((-0.1, 0.04, 0.0), "upper"), MusclePoint((0.0, 0.03, 0.0), "lower")]
        compile_scene(arm([MuscleSpec(name="m", points=points, network=True)]))
    with pytest.raises(SceneError, match="no tendons"):
        compile_scene(arm([over(mass=0.1, insertion_tendon=0.01, network=True)]))
