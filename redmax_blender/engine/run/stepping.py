"""Single strides of a run: the options that a scene asks for, and the next states, or what went wrong."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..errors import DivergedError, InputError
from ..integrators import INTEGRATORS
from ..integrators.euler import EulerSteps
from ..model.records import Model
from ..model.state import Options, State
from ..scene import SceneSpec
from ..solvers.choose import SOLVERS


def scene_options(spec: SceneSpec) -> Options:
    """The step, the integrator and the solver that a scene asks for."""
    options = Options(
        h=spec.time.step,
        integrator=spec.integrator,
        solver=spec.solver,
        boxed_friction=spec.self_collision.cone == "boxed",
    )
    check_options(options, "integrator")
    return options


def check_options(options: Options, place: str = "options.integrator") -> None:
    if options.integrator not in INTEGRATORS:
        raise InputError(
            place,
            f"there is no integrator '{options.integrator}'",
            f"Choose one of {', '.join(INTEGRATORS)}.",
        )
    if options.solver not in SOLVERS:
        raise InputError(
            "solver", f"there is no solver '{options.solver}'", f"Choose one of {', '.join(SOLVERS)}."
        )
    if not (options.h > 0.0 and np.isfinite(options.h)):
        raise InputError("h", f"the step is {options.h} s", "Give a step above zero.")


def next_states(
    model: Model, states: Iterator[State], before: State, step: int, most: int
) -> tuple[State, int]:
    """The state up to `most` steps after step number `step`, and how many they are; or a DivergedError."""
    taken = 1
    try:
        with np.errstate(all="ignore"):  # overflows on the way to infinity are reported once, below
            if isinstance(states, EulerSteps):
                taken = states.advance(most)
                state = states.state
            else:
                state = next(states)
    except np.linalg.LinAlgError:  # a system that has become singular
        raise diverged_at_the_fastest(model, before, step + 1) from None
    finite = np.isfinite(state.q) & np.isfinite(state.qdot)
    if not finite.all():
        raise DivergedError(state.t, step + taken, model.joint_of(int(np.argmin(finite))))
    return state, taken


def diverged_at_the_fastest(model: Model, state: State, step: int) -> DivergedError:
    fastest = model.joint_of(int(np.argmax(np.abs(state.qdot)))) if model.nr else model.joints.names[0]
    return DivergedError(state.t, step, fastest)
