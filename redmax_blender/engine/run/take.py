"""A scene that changes while it runs, and at which hands pull, simulated: a take of a live run is one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from ..errors import SceneError
from ..integrators.report import StepReport
from ..model.records import Model
from ..model.state import Options, State
from ..scene import SceneSpec
from ..scene.change_values import later, plain, spec_of
from .live import LiveRun

NEAR = 1e-9
"""Time [s] that is rounding."""


@dataclass(frozen=True)
class Now:
    """A frame of such a run."""

    step: int
    state: State
    model: Model
    report: StepReport | None


def replayed(spec: SceneSpec, options: Options, steps: int, record: int) -> Iterator[Now]:
    """All frames but the first: what a live run of the scene is when these things are done to it."""
    _check(spec)
    if record != spec.time.record:
        spec = msgspec.structs.replace(spec, time=msgspec.structs.replace(spec.time, record=record))
    run = LiveRun(spec, options=options)
    changes = sorted(spec.changes, key=lambda change: change.time)
    pulls = sorted(spec.pulls, key=lambda pull: pull.times[0])
    scene, at = plain(spec), 0
    done = 0
    while done < steps:
        t = run.t + NEAR
        if pulls and run.held is not None and pulls[0].times[-1] <= t:
            run.let_go()
            pulls.pop(0)
        while changes and changes[0].time <= t:
            change = changes.pop(0)
            scene = later(scene, change)
            run.change(spec_of(scene, f"changes at {change.time:.6g} s"), change.over)
        if pulls and run.held is None and pulls[0].times[0] <= t:
            run.grab(pulls[0].body, pulls[0].place)
            at = 0
        if pulls and run.held is not None:
            while at < len(pulls[0].places) and pulls[0].times[at + 1] <= t:
                run.pull(pulls[0].places[at])
                at += 1
        run.per_frame = min(record, steps - done)
        done += run.per_frame
        run.advance()
        yield Now(done, run.steps.state, run.steps.model, run.steps.memory.report)


def _check(spec: SceneSpec) -> None:
    """Raise SceneError where pulls are not in an order that a hand can do."""
    until = float("-inf")
    for i, pull in enumerate(sorted(spec.pulls, key=lambda each: each.times[0])):
        place = f"pulls[{i}] of '{pull.body}'"
        if len(pull.places) != len(pull.times) - 2:
            raise SceneError(
                place,
                f"{len(pull.times)} times go with {len(pull.times) - 2} places, not {len(pull.places)}",
                "Give a place for each time but the first and the last.",
            )
        if any(b < a for a, b in zip(pull.times, pull.times[1:])) or pull.times[0] < until - NEAR:
            raise SceneError(
                place, "its times are not in order, or another hand is still there", "Order them."
            )
        until = pull.times[-1]
