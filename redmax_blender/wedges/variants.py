"""What a wedge varies: numbers of the scene over ranges, and seeds that jolt the start."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import msgspec
import numpy as np

from ..engine.errors import InputError
from ..engine.gradients.paths import get, mutable, put
from ..engine.scene import SceneSpec

LARGEST = 10_000
"""Runs of a wedge."""
ALL = "*"
"""On a path: every entry of a list that has the number."""


class Vary(msgspec.Struct, forbid_unknown_fields=True):
    """Numbers of the scene that get one value after the other."""

    path: str
    """Such as `bodies.arm.joint.stiffness`, or with * for every entry: `bodies.*.surface.friction`."""
    values: list[float]
    factor: bool = False
    """The values multiply what the scene has."""
    name: str = ""
    """What tables call it; the end of the path when empty."""

    @property
    def label(self) -> str:
        return self.name or " ".join(self.path.split(".")[-2:])


class Variant(msgspec.Struct, forbid_unknown_fields=True):
    """One run of a wedge."""

    number: int
    """From 1 on."""
    values: list[float]
    """One for each thing that is varied."""
    seed: int = 0
    """0 for the start as it is."""


def parse_vary(text: str, factor: bool) -> Vary:
    """`PATH=FIRST:LAST:COUNT` or `PATH=VALUE,VALUE,…`."""
    path, equals, numbers = text.rpartition("=")
    option = "--scale" if factor else "--vary"
    if not equals or not path:
        raise InputError(
            option,
            f"'{text}' says no path and values",
            "Write PATH=FIRST:LAST:COUNT, or PATH=VALUE,VALUE.",
        )
    try:
        if ":" in numbers:
            first, last, count = numbers.split(":")
            if int(count) < 1:
                raise ValueError("a range needs one value at least")
            if not (np.isfinite(float(first)) and np.isfinite(float(last))):
                raise ValueError("a range goes from one finite number to another")
            values = np.linspace(float(first), float(last), int(count)).tolist()
        else:
            values = [float(number) for number in numbers.split(",")]
    except ValueError as error:
        raise InputError(
            option, f"'{numbers}': {error}", "Write FIRST:LAST:COUNT, or values with commas."
        ) from None
    if not np.isfinite(values).all():
        raise InputError(option, f"'{numbers}' is not all numbers", "Give finite numbers.")
    return Vary(path, values, factor)


def variants(varied: Sequence[Vary], seeds: int) -> list[Variant]:
    """Every value of each with every value of the others, and each of that with every seed."""
    tried = range(1, seeds + 1) if seeds > 0 else range(1)
    count = int(np.prod([len(vary.values) for vary in varied], dtype=float)) * len(tried)
    if count > LARGEST:
        raise InputError("wedge", f"it has {count} runs", f"Vary less: {LARGEST} runs are the most.")
    grid = product(*(vary.values for vary in varied), tried)
    return [Variant(i, list(entry[:-1]), int(entry[-1])) for i, entry in enumerate(grid, 1)]


def varied_scene(spec: SceneSpec, varied: Sequence[Vary], variant: Variant, jolt: float) -> SceneSpec:
    """The scene of a run.

    jolt: standard deviation of what a seed adds to the start velocities of free coordinates [rad/s, m/s].
    """
    scene: SceneSpec = mutable(spec)
    for vary, value in zip(varied, variant.values, strict=True):
        for path in expanded(scene, vary.path):
            number = value * get(spec, path, vary.path) if vary.factor else value
            put(scene, path, number, vary.path)
    if variant.seed and jolt > 0.0:
        _jolt(scene, variant.seed, jolt)
    return scene


def expanded(scene: SceneSpec, path: str) -> list[list[str | int]]:
    """The paths that one with * stands for: those that lead to a number."""
    steps: list[str | int] = [int(s) if s.lstrip("-").isdigit() else s for s in path.split(".")]
    found: list[list[str | int]] = [[]]
    for step in steps:
        found = [[*way, each] for way in found for each in (_entries(scene, way) if step == ALL else [step])]
    if ALL not in steps:
        get(scene, found[0], path)  # says what is wrong with it
        return found
    numbers = [way for way in found if _leads_to_number(scene, way)]
    if not numbers:
        raise InputError(path, "no entry of the scene has such a number", "See `info` for what there is.")
    return numbers


def _entries(scene: SceneSpec, way: list[str | int]) -> range:
    thing = _inside(scene, way)
    return range(len(thing)) if isinstance(thing, (list, tuple)) else range(0)


def _inside(thing: object, way: list[str | int]) -> object:
    for step in way:
        if isinstance(thing, (list, tuple)):
            names = [getattr(entry, "name", None) for entry in thing]
            index = step if isinstance(step, int) else names.index(step) if step in names else len(thing)
            thing = thing[index] if -len(thing) <= index < len(thing) else None
        else:
            thing = getattr(thing, str(step), None)
    return thing


def _leads_to_number(scene: SceneSpec, way: list[str | int]) -> bool:
    if _inside(scene, way[:-1]) is None:
        return False
    try:
        get(scene, way, "")
    except InputError:
        return False
    return True


def _jolt(scene: SceneSpec, seed: int, size: float) -> None:
    """Add to the start velocities of all joints that follow no motion."""
    from ..engine.compile.scene import compile_scene  # loads Numba

    widths = np.diff(compile_scene(scene).joints.dof, axis=1).ravel().tolist()
    random = np.random.default_rng(seed)
    for body, width in zip(scene.bodies, widths, strict=True):
        kick = random.normal(0.0, size, width)
        if width and not any(curve is not None for curve in body.joint.motion):
            now = 0.0 if body.joint.qdot is None else np.array(body.joint.qdot, float)
            body.joint.qdot = (now + kick).tolist()
