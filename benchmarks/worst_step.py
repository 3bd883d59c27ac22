"""Which step of a scene takes longest, and why: over all examples, the scenes of the oracle, and random ones.

A scene is run three times, step by step, kept awake; of each step the fastest time counts, so that what else the
machine does is left out. `ours` is the longest step, the rival the usual one (the median of the run), and the ratio its
time over that of the longest: wanted is above 0.1 in every row. The note says which step it was, and what it reported
that the usual one did not. A run before these compiles; the first step, which makes what a run keeps, is told apart.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.errors import FAILURES
from redmax_blender.engine.integrators import INTEGRATORS
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.scene import (
    BodySpec,
    Cuboid,
    Free,
    JointFriction,
    JointSpec,
    Pose,
    Revolute,
    SceneSpec,
    SelfCollision,
    Spherical,
)
from redmax_blender.engine.shots import SHOTS, samples, shot
from redmax_blender.engine.shots.figure import Skin, figure

from .timing import Row, row

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "engine"))

BENCH = "worst-step"
STEPS, TURNS = 240, 3
MANY = 10.0
"""Usual steps in the longest one, from which on a scene counts as one that stutters."""
RANDOM = 60


@dataclass(frozen=True)
class Scene:
    make: Callable[[], SceneSpec]
    h: float | None = None
    """The scene's own step when null."""
    integrator: str | None = None
    steps: int = STEPS


def chain(links: int, kind: Any, rubs: bool, root: Any) -> SceneSpec:
    """Let go from rest: what joints carry in free fall is rounding noise."""
    bodies = []
    for i in range(links):
        joint = JointSpec(root, frame=Pose((0.0, 0.0, 2.0)))
        if i:
            friction = JointFriction(0.3, 0.01, 0.02) if rubs else None
            joint = JointSpec(kind, frame=Pose((0.1, 0.0, 0.0)), friction=friction)
        bodies.append(
            BodySpec(
                name=f"link {i}", parent=f"link {i - 1}" if i else None, shape=Cuboid((0.1, 0.03, 0.02)),
                pose=Pose((0.05, 0.0, 0.0)), joint=joint,
            )
        )  # fmt: skip
    return SceneSpec(bodies=bodies)


def fall(seed: int, rubs: bool) -> SceneSpec:
    from oracle.case import GROUND

    turn = np.random.default_rng(seed).uniform(-1.0, 1.0, 3).tolist()
    bodies = figure(Skin(friction=0.6, joint_friction=0.2 if rubs else 0.0), [0.0, 0.0, 1.3, *turn])
    return SceneSpec(bodies=bodies, colliders=[GROUND], self_collision=SelfCollision())


def scenes() -> Iterator[tuple[str, Scene]]:
    from oracle.cases import all_cases
    from random_contact import random_scene

    for name in SHOTS:
        yield f"shot {name}", Scene(shot(name).spec)
    for make in (samples.springs, samples.strands, samples.loops, samples.turning, samples.muscles):
        yield f"sample {make.__name__}", Scene(make)
    for kind, named in ((Revolute((0.0, 1.0, 0.0)), "hinges"), (Spherical(), "balls")):
        for root, how in ((Free(), "falls"), (kind, "hangs")):
            for links in (20, 40):
                yield (
                    f"{links} {named} that rub, {how}",
                    Scene(partial(chain, links, kind, True, root), 1 / 240),
                )
    for seed in range(6):
        yield f"fall {seed}", Scene(partial(fall, seed, False), 1 / 240)
        yield f"fall {seed}, friction", Scene(partial(fall, seed, True), 1 / 240)
    for name, case in all_cases().items():
        if not name.startswith("random"):
            make = partial(replace, case.spec)
            yield name, Scene(make, case.h, case.integrator, min(2 * case.steps, STEPS))
    for seed in range(RANDOM):
        yield f"random contacts {seed}", Scene(partial(random_scene, seed), 1 / 240, "euler", 120)


def told(steps: Any) -> dict[str, float]:
    """What a step reported: how often things were solved, and for how many contacts."""
    report = steps.memory.report
    latest = type(steps.memory.latest).__name__
    out = {"parts": float(getattr(report, "parts", 1)), latest: 1.0}
    dry = report.dry
    if dry is not None:
        contacts = 0 if dry.contacts is None else len(dry.contacts)
        out |= {"rounds": dry.rounds, "passes": dry.passes, "sweeps": dry.sweeps, "contacts": contacts}
    return out


def timed(scene: Scene) -> tuple[np.ndarray, list[dict[str, float]], str]:
    """Fastest time of each step [s], what each reported, and how the run ended before its time."""
    spec = scene.make()
    model = compile_scene(spec)
    integrator = scene.integrator or spec.integrator
    if not integrator.startswith("euler"):
        integrator = "euler"
    h = spec.time.step if scene.h is None else scene.h
    best, reports, ended = np.full(scene.steps, np.inf), [], ""
    for turn in range(TURNS + 1):  # the first compiles, and asks for reports, which takes time
        steps = INTEGRATORS[integrator](model, model.initial_state(), Options(h=h, sleep=False))
        for k in range(scene.steps):
            begin = time.process_time()
            try:
                next(steps)
            except FAILURES as error:
                ended = f"; ends: {error}"
                best = best[:k]
                break
            spent = time.process_time() - begin
            if turn:
                best[k] = min(best[k], spent)
            else:
                reports.append(told(steps))
    return best, reports, ended


def explained(worst: dict[str, float], usual: dict[str, float]) -> str:
    names = dict.fromkeys([*worst, *usual])
    return ", ".join(
        f"{name} {worst.get(name, 0.0):g} (usually {usual.get(name, 0.0):g})"
        for name in names
        if worst.get(name, 0.0) != usual.get(name, 0.0)
    )


def measured(name: str, scene: Scene) -> Row | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        best, reports, ended = timed(scene)
    if len(best) < 2:
        return None
    k = 1 + int(np.argmax(best[1:]))
    usual = float(np.median(best))
    like = reports[int(np.argmin(np.abs(best - usual)))]
    note = f"step {k}: {explained(reports[k], like) or 'reports nothing unusual'}"
    note += f"; the first {1e3 * best[0]:.2g} ms{ended}"
    return row(BENCH, name, len(best), float(best[k]), "usual step", usual, note)


def rows() -> Iterator[Row]:
    ratios = []
    for name, scene in scenes():
        found = measured(name, scene)
        if found is not None:
            ratios.append(1.0 / found["ratio"])
            yield found
    over = sum(r > MANY for r in ratios)
    note = f"{over} of {len(ratios)} scenes have a step of more than {MANY:g} usual ones; the worst {max(ratios):.0f}"
    yield row(BENCH, "all", len(ratios), max(ratios), "usual step", 1.0, note)
