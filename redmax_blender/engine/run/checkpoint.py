"""Checkpoints: all that the rest of a run depends on, as plain arrays, so that it can go on as if nothing happened.

Next to the state these are the warm starts and counters of the steps. Whatever those consist of is found by walking
their attributes: numbers, arrays, and objects made of such. Only Euler's steps can be taken up again; runs of other
integrators begin anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..integrators.euler import EulerSteps
from ..model.state import State

Arrays = dict[str, NDArray[Any]]

_DERIVED = {"model", "options", "structure", "latest"}
"""What a step looks at but never changes, and what it only tells."""


@dataclass
class Checkpoint:
    """Where a run is: filled in by `simulate` after every frame, and taken as the place to go on from."""

    step: int = 0
    """Steps since the start."""
    arrays: Arrays = field(default_factory=dict)
    """Empty where there is nothing to go on from."""


def capture(steps: Iterator[State]) -> Arrays:
    """What the next steps depend on; nothing where they cannot be taken up again."""
    if not isinstance(steps, EulerSteps):
        return {}
    found: Arrays = {
        f"state.{each.name}": np.array(getattr(steps.state, each.name)) for each in fields(State)
    }
    found["count"] = np.array(steps.count)
    for path, value in _leaves(steps.memory, "memory"):
        found[path] = np.array(value)
    return found


def restore(steps: Iterator[State], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Put steps of the same model and options where others were; ValueError where the arrays do not fit."""
    if not isinstance(steps, EulerSteps):
        raise ValueError("these steps cannot be taken up again")
    now = steps.state
    kept = {each.name: arrays[f"state.{each.name}"] for each in fields(State) if each.name != "muscle"}
    kept["muscle"] = arrays.get("state.muscle", now.muscle)  # which older files lack
    for name, value in kept.items():
        if np.shape(value) != np.shape(getattr(now, name)):
            raise ValueError(f"the state has another shape: {name}")
    steps.state = State(float(kept.pop("t")), **{name: value.copy() for name, value in kept.items()})
    steps.count = int(arrays["count"])
    steps.memory.woken = arrays["memory.woken"].copy()
    steps.rewake()
    steps.memory.dry.prepare(steps.model)
    for path, value in arrays.items():
        if path.startswith("memory."):
            _put(steps.memory, path.split(".")[1:], value)


def _leaves(thing: object, path: str) -> Iterator[tuple[str, Any]]:
    for name, value in vars(thing).items():
        if name in _DERIVED or value is None:
            continue
        if isinstance(value, (bool, int, float, np.ndarray, np.generic)):
            yield f"{path}.{name}", value
        elif hasattr(value, "__dict__"):
            yield from _leaves(value, f"{path}.{name}")


def _put(thing: Any, names: list[str], value: NDArray[Any]) -> None:
    for name in names[:-1]:
        thing = getattr(thing, name, None)
        if thing is None:
            raise ValueError(f"there is no {name} to put it into")
    old = getattr(thing, names[-1])
    setattr(thing, names[-1], type(old)(value) if isinstance(old, (bool, int, float)) else value.copy())
