"""Digests: what a step from a given state gives, by the public API alone, so that any version can tell."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redmax_blender.engine import compile_scene, simulate
from redmax_blender.engine.errors import FAILURES
from redmax_blender.engine.model.state import Options, State
from redmax_blender.engine.run.tally import Tally
from redmax_blender.engine.scene import SceneSpec

from .case import Case

Arrays = dict[str, NDArray[Any]]

TIGHT = {
    "tolerance": 1e-13, "position_tolerance": 1e-10, "friction_tolerance": 1e-9, "friction_enough": 1e-9,
    "contact_tolerance": 1e-9, "contact_enough": 0.0,
}  # fmt: skip
"""Tolerances at which two ways to solve a step agree in all digits that the problem has."""
KINDS = ("step", "tight", "frame")
"""One step with the case's options; one with tight tolerances; and some steps in one call."""


@dataclass
class Routes(Tally):
    """A tally that also knows which kinds of steps were taken."""

    taken: list[str] = field(default_factory=list)

    def add(self, latest: Any, t: float = 0.0) -> None:
        kind = type(latest).__name__
        solver = str(getattr(latest, "solver", ""))
        self.taken.append(f"{kind} {solver}".strip())
        super().add(latest, t)


def options_of(case: Case, kind: str = "step") -> Options:
    """Options of a case; names that this version of the engine does not have are left out."""
    known = {each.name for each in fields(Options)}
    wanted = {"h": case.h, "integrator": case.integrator} | case.options | (TIGHT if kind == "tight" else {})
    return Options(**{name: value for name, value in wanted.items() if name in known})


def pack_state(state: State) -> Arrays:
    return {each.name: np.asarray(getattr(state, each.name)) for each in fields(State)}


def unpack_state(arrays: Arrays) -> State:
    known = {each.name for each in fields(State)}
    return State(
        **{name: float(a) if name == "t" else a.copy() for name, a in arrays.items() if name in known}
    )


def run(case: Case) -> dict[int, State]:
    """States of the run from which steps are looked at; those that come after a failure are left out."""
    model, options = compile_scene(case.spec), options_of(case)
    found = {}
    try:
        for k, frame in enumerate(simulate(model, options, end=model.t0 + case.steps * case.h)):
            if k in case.at:
                found[k] = frame.state
    except FAILURES as error:
        print(f"  the run ends after {max(found, default=-1)} steps: {error}")
    return found


def digest(spec: SceneSpec, case: Case, state: State, kind: str) -> tuple[Arrays, dict[str, Any]]:
    """What a step, or a frame of steps, makes of a state: arrays, and what was reported."""
    model, options, routes = compile_scene(spec), options_of(case, kind), Routes()
    steps = case.frame if kind == "frame" else 1
    try:
        *_, last = simulate(
            model, options, end=state.t + steps * case.h, record=steps, state=state, tally=routes
        )
    except FAILURES as error:
        return {}, {"error": str(error)}
    push = last.contact[:, 3:]
    return {
        **pack_state(last.state),
        "constraint_force": last.constraint_force,
        "friction": last.friction,
        "torque": last.torque,
        "contact_push": push.sum(axis=0),
        "contact_moment": np.cross(last.contact[:, :3], push).sum(axis=0),
    }, {
        "routes": sorted(set(routes.taken)),
        "unsettled": int(routes.dry.unsettled),
        "divided": int(routes.divided),
        "residual": float(routes.dry.residual),
    }
