"""From a scene with a task to the shot: the search, and how near it came."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module

import numpy as np
from msgspec.structs import replace

from ...gradients.problem import Problem
from ...gradients.search.search import Search, search
from ...scene import SceneSpec


def aimed(spec: SceneSpec, seed: int | None = None) -> tuple[SceneSpec, Search, Problem]:
    """A scene with what the search has found for its task, from where the task begins, or from random values."""
    assert spec.task is not None
    problem = Problem(spec)
    found = search(
        problem,
        begin=None
        if seed is None
        else problem.parameters.drawn(spec.task.spread, np.random.default_rng(seed)),
    )
    assert found.best is not None
    return replace(problem.parameters.scene(found.best.values), task=None), found, problem


@lru_cache(maxsize=8)
def shot_of(name: str) -> SceneSpec:
    """The shot of a module here, found from where its task begins."""
    return aimed(import_module(f".{name}", __package__).task())[0]
