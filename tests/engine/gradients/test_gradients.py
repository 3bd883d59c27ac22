"""Gradients of whole runs against differences of fourth order, on random scenes of everything smooth."""

from __future__ import annotations

import os

import numpy as np
import pytest
from gradient_scenes import loop_scene, random_scene

from redmax_blender.engine.errors import FAILURES
from redmax_blender.engine.gradients.problem import Problem
from redmax_blender.engine.gradients.run import SUPPORTED

SCENES = int(os.environ.get("REDMAX_GRADIENT_SCENES", "12"))
"""Random scenes for each integrator."""
AGREE = 1e-6
BLOWN_UP = 1e12
"""An objective of scenes some metres in size that no solution has: the step has lost it."""
LOOP_SCENES = int(os.environ.get("REDMAX_GRADIENT_SCENES", "16"))
WILD = 1e5
"""Contributions to a derivative beyond which a scene with a loop is one that hardly moves in some direction, where
differences have few digits."""


def slopes(problem: Problem, seed: int) -> tuple[float, float, float]:
    """The derivative along a random direction by the adjoint, by differences, and the size of what is summed in it."""
    x = problem.parameters.initial
    along = np.random.default_rng(seed).uniform(0.5, 1.0, len(x)) * np.abs(x)
    found = problem.evaluate(x)
    size = float(np.abs(found.gradient * along).sum()) + 1e-3 * abs(found.objective)
    best = np.inf
    for d in (
        1e-3,
        1e-4,
        1e-5,
    ):  # a spring that becomes slack within the longest is none of the gradient's business
        f = [problem.objective(x + k * d * along) for k in (-2, -1, 1, 2)]
        difference = (8.0 * (f[2] - f[1]) - (f[3] - f[0])) / (12.0 * d)
        if abs(difference - found.gradient @ along) < abs(best - found.gradient @ along):
            best = difference
    return float(found.gradient @ along), best, size


@pytest.mark.parametrize("integrator", SUPPORTED)
def test_gradients_agree_with_differences_on_random_scenes(integrator: str) -> None:
    checked = 0
    for seed in range(SCENES):
        problem = Problem(random_scene(seed, integrator))
        if not problem.by_adjoint:
            continue
        try:
            exact, difference, size = slopes(problem, seed)
        except FAILURES:
            continue  # some draw more than the step can do
        if size > BLOWN_UP:
            continue
        assert abs(exact - difference) <= AGREE * size, (seed, exact, difference, size)
        checked += 1
    assert checked > 0.8 * SCENES


@pytest.mark.parametrize("integrator", ["euler", "euler-midway"])
def test_gradients_agree_with_differences_with_loops(integrator: str) -> None:
    checked = 0
    for seed in range(LOOP_SCENES):
        problem = Problem(loop_scene(seed, integrator))
        if not problem.by_adjoint:
            assert "others are fixed to" in str(problem.reason)
            continue
        try:
            exact, difference, size = slopes(problem, seed)
        except FAILURES:
            continue  # a loop that cannot be closed, or tears apart what is drawn
        if size > WILD:
            continue
        assert abs(exact - difference) <= AGREE * size, (seed, exact, difference, size)
        checked += 1
    assert checked > 0.4 * LOOP_SCENES
