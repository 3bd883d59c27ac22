"""The adjoint of a run: derivatives of an objective by everything that the run is made of.

Forwards, the states at the ends of steps are kept, some kilobytes each; all else is computed again on the way back, a
step at a time, so that ten thousand steps of a figure take a few dozen megabytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields

import numpy as np

from ..errors import DivergedError
from ..forces.joint import joint_action
from ..integrators import INTEGRATORS
from ..integrators.bdf import ALPHA, stage
from ..integrators.euler import MIDWAY, EulerSteps, Piece
from ..model.control import control_at
from ..model.records import Floats, Model
from ..model.state import Options, State
from ..tree.charts import leave_singularities
from . import reparameterise
from .arrays import bars_of
from .bars import ModelBars
from .euler import held
from .euler import step as euler_step
from .euler.step import EulerAdjoint
from .implicit_stage import Stage, StageAdjoint
from .objectives import Objective

TOLERANCE = 1e-12
"""Residual, and error of positions as a fraction of the scene's size, to which steps are solved for a gradient."""
TOUCH, TOUCH_ENOUGH = 1e-12, 1e-11
"""Residual of the impulses of contacts, and that with which a solver ends that does not get there at once."""

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Run:
    """The states at the ends of all steps, the initial one first, and the states that the steps began with.

    Those are the same, but for coordinates of rotations that were changed in between."""

    states: list[State]
    starts: list[State]
    pieces: list[list[Piece]] = field(default_factory=list)
    """Of every step where something may touch."""


@dataclass(frozen=True)
class Gradient:
    value: float
    terms: Floats
    """The weighted objectives."""
    arrays: dict[str, Floats]
    """Derivatives by the arrays of the model, by their paths (`arrays.py`)."""


def run(
    model: Model,
    options: Options,
    steps: int,
    progress: Progress | None = None,
    keep_starts: bool = True,
    exact: bool = True,
    needed: Sequence[int] | None = None,
) -> Run:
    """All steps, each solved as far as rounding lets it where they are `exact`. Only the adjoint needs the `starts`.

    needed: numbers of the steps whose ends count, all when null; in place of the others' is the one needed before them.
    """
    if exact:  # what the steps leave, differences would show
        options = _tight(options).with_(solver=options.solver if _solves_trees_only(model) else "direct")
    state = model.initial_state()
    integrator = INTEGRATORS[options.integrator](model, state, options)
    if isinstance(integrator, EulerSteps):
        state = integrator.state  # its loops closed
    states, starts = [state], []
    pieces: list[list[Piece]] = []
    before: State | None = None
    stops = list(range(1, steps + 1)) if needed is None or keep_starts else sorted({*needed, steps} - {0})
    for n in stops:
        start = state
        if keep_starts:
            start, _ = leave_singularities(model, state, before if options.integrator == "bdf2" else None)
            starts.append(start)
            before = start
            if model.contact is not None and isinstance(integrator, EulerSteps):
                integrator.trail = []
                pieces.append(integrator.trail)
        after = _advance(model, integrator, state, len(states) - 1, n)
        states += [state] * (n - len(states))
        state = after
        states.append(state)
        if progress is not None:
            progress(n)
    return Run(states, starts, pieces)


def _tight(options: Options) -> Options:
    """With steps solved as far as rounding lets them."""
    return options.with_(
        newton_tolerance=min(options.newton_tolerance, TOLERANCE),
        position_tolerance=min(options.position_tolerance, TOLERANCE),
        contact_tolerance=min(options.contact_tolerance, TOUCH),
        contact_enough=min(options.contact_enough, TOUCH_ENOUGH),
        sleep=False,  # what sleeps has no derivative
    )


def _solves_trees_only(model: Model) -> bool:
    """Whether all that a step solves is a tree, which any route does to rounding."""
    c = model.constraints
    held = len(c.rows.type) + len(c.gears.offset) + len(c.limits.dof)
    return not held and model.ropes is None and (not len(model.springs.rest) or model.springs_within_links)


def _advance(model: Model, integrator: Iterator[State], state: State, taken: int, until: int) -> State:
    """The state after so many steps, from that after those `taken`."""
    while taken < until:
        try:
            with np.errstate(all="ignore"):
                if isinstance(integrator, EulerSteps):
                    taken += integrator.advance(until - taken)
                    state = integrator.state
                else:
                    state = next(integrator)
                    taken += 1
        except np.linalg.LinAlgError:  # a system that has become singular
            fastest = (
                model.joint_of(int(np.argmax(np.abs(state.qdot)))) if model.nr else model.joints.names[0]
            )
            raise DivergedError(state.t, taken + 1, fastest) from None
        if not (np.isfinite(state.q).all() and np.isfinite(state.qdot).all()):
            bad = int(np.argmin(np.isfinite(state.q) & np.isfinite(state.qdot)))
            raise DivergedError(state.t, taken, model.joint_of(bad))
    return state


SUPPORTED = ("euler", "euler-midway", "bdf1", "bdf2", "sdirk2")


_KNOWN = {
    "gravity", "tree", "bodies", "joints", "q0", "qdot0", "springs", "constraints", "external", "guides", "ropes",
    "reduction", "t0", "flesh", "contact", "friction", "wakes",
}  # fmt: skip
"""Fields of a model with which a run is differentiated, or which are refused by name."""


def what_prevents(model: Model, options: Options) -> str | None:
    """Why there is no adjoint of a run; null where there is one."""
    if options.integrator not in SUPPORTED:
        return (
            f"there is no adjoint of the integrator '{options.integrator}' ({', '.join(SUPPORTED)} have one)"
        )
    for thing, what in (
        (model.flesh, "flesh"),
        (None if options.integrator.startswith("euler") else model.contact, "contact"),
        (model.friction, "friction and motors inside joints"),
        (model.muscles, "muscles"),
        (model.ropes, "ropes and struts"),
    ):
        if thing is not None:
            return f"there is no adjoint of {what}"
    for each in fields(model):  # what is added to the engine must not be left out in silence
        if each.name not in _KNOWN and getattr(model, each.name) is not None:
            return f"there is no adjoint of {each.name}"
    return euler_step.what_prevents(model, options) if options.integrator.startswith("euler") else None


def differentiate(model: Model, options: Options, objective: Objective, path: Run) -> Gradient:
    """The objective of a run, and its derivatives."""
    bars = ModelBars.of(model)
    terms, by_state = objective.measure(path.states, bars)
    last = min(objective.last, len(path.states) - 1)
    if options.integrator.startswith("euler"):
        corrections = MIDWAY if options.integrator == "euler-midway" else 0
        q0, qdot0 = _euler(EulerAdjoint(model, _tight(options), bars, corrections), path, by_state, last)
    else:
        back = {"bdf1": _bdf1, "bdf2": _bdf2, "sdirk2": _sdirk2}[options.integrator]
        q0, qdot0 = back(StageAdjoint(model, bars), options, path, by_state, last)
    bars.q0 += q0
    bars.qdot0 += qdot0
    arrays = bars_of(model, bars)
    return Gradient(float(terms.sum()), terms, arrays)


ByState = dict[int, tuple[Floats, Floats]]


def _own(by_state: ByState, n: int, nr: int) -> tuple[Floats, Floats]:
    return by_state.get(n, (np.zeros(nr), np.zeros(nr)))


def _euler(adjoint: EulerAdjoint, path: Run, by_state: ByState, last: int) -> tuple[Floats, Floats]:
    model = adjoint.model
    q_bar, v_bar = _own(by_state, last, model.nr)
    for n in range(last, 0, -1):
        if path.pieces:
            q_bar, v_bar = _pieces(adjoint, path.states[n - 1], path.pieces[n - 1], q_bar, v_bar)
        else:
            start = path.starts[n - 1]
            a, b = adjoint.back(start, path.states[n], q_bar, v_bar)
            q_bar, v_bar = reparameterise.back(model, path.states[n - 1], start, a, b)
        own = _own(by_state, n - 1, model.nr)
        q_bar, v_bar = q_bar + own[0], v_bar + own[1]
    adjoint.finish()
    first = path.states[0]
    action = joint_action(model, first, control_at(model, first.t + adjoint.h))
    q_bar = held.assembled_back(model, adjoint.options, action.free, first, q_bar, adjoint.bars)
    return q_bar, v_bar


def _pieces(
    adjoint: EulerAdjoint, before: State, pieces: list[Piece], q_bar: Floats, v_bar: Floats
) -> tuple[Floats, Floats]:
    """Derivatives by the state before a step that was taken in pieces."""
    ends = [before, *(piece.end for piece in pieces[:-1])]
    for end, piece in zip(reversed(ends), reversed(pieces), strict=True):
        a, b = adjoint.back_piece(piece, q_bar, v_bar)
        q_bar, v_bar = reparameterise.back(adjoint.model, end, piece.start, a, b)
    return q_bar, v_bar


def _bdf1(
    adjoint: StageAdjoint, options: Options, path: Run, by_state: ByState, last: int
) -> tuple[Floats, Floats]:
    model, h = adjoint.model, options.h
    q_bar, v_bar = _own(by_state, last, model.nr)
    for n in range(last, 0, -1):
        start = path.starts[n - 1]
        end = Stage(path.states[n], h, start.q + h * start.qdot)
        a, b = adjoint.back(end, q_bar, v_bar)
        q_bar, v_bar = reparameterise.back(model, path.states[n - 1], start, a + b, h * b)
        own = _own(by_state, n - 1, model.nr)
        q_bar, v_bar = q_bar + own[0], v_bar + own[1]
    return q_bar, v_bar


def _sdirk2_back(
    adjoint: StageAdjoint, options: Options, start: State, end: State, q_bar: Floats, v_bar: Floats
) -> tuple[Floats, Floats]:
    """Derivatives by the start of an SDIRK2 step. Its first stage is solved again."""
    h, c = options.h, ALPHA * options.h
    q, v = start.q, start.qdot
    tight = options.with_(newton_tolerance=min(options.newton_tolerance, TOLERANCE))
    q_m, v_m = stage(adjoint.model, start.t + c, q, q + c * v, c, q + c * v, start.chart, tight)
    past = q + (2.0 * ALPHA - 1.0) * h * v + 2.0 * (1.0 - ALPHA) * h * v_m
    a, b = adjoint.back(Stage(end, c, past), q_bar, v_bar)
    middle = Stage(State(start.t + c, q_m, v_m, start.chart), c, q + c * v)
    x, y = adjoint.back(middle, np.zeros_like(a), (1.0 - ALPHA) * h * (a + 2.0 * b))
    return a + b + x + y, (2.0 * ALPHA - 1.0) * h * b + c * y


def _sdirk2(
    adjoint: StageAdjoint, options: Options, path: Run, by_state: ByState, last: int
) -> tuple[Floats, Floats]:
    model = adjoint.model
    q_bar, v_bar = _own(by_state, last, model.nr)
    for n in range(last, 0, -1):
        start = path.starts[n - 1]
        q_bar, v_bar = _sdirk2_back(adjoint, options, start, path.states[n], q_bar, v_bar)
        q_bar, v_bar = reparameterise.back(model, path.states[n - 1], start, q_bar, v_bar)
        own = _own(by_state, n - 1, model.nr)
        q_bar, v_bar = q_bar + own[0], v_bar + own[1]
    return q_bar, v_bar


def _bdf2(
    adjoint: StageAdjoint, options: Options, path: Run, by_state: ByState, last: int
) -> tuple[Floats, Floats]:
    model, h = adjoint.model, options.h
    zero: Floats = np.zeros(model.nr)
    q_bar, v_bar = _own(by_state, last, model.nr)
    carried = (zero, zero)  # by the start of the step in hand, from the step after it
    for n in range(last, 0, -1):
        start = path.starts[n - 1]
        if n == 1:
            a, b = _sdirk2_back(adjoint, options, start, path.states[1], q_bar, v_bar)
            q_bar, v_bar = a + carried[0], b + carried[1]
            q_bar, v_bar = reparameterise.back(model, path.states[0], start, q_bar, v_bar)
        else:
            before = path.starts[n - 2]
            # The start of the step before, in this step's coordinates.
            moved = leave_singularities(model, path.states[n - 1], before)[1]
            assert moved is not None
            past = (4.0 * start.q - moved.q) / 3.0 + h * (8.0 * start.qdot - 2.0 * moved.qdot) / 9.0
            a, b = adjoint.back(Stage(path.states[n], 2.0 * h / 3.0, past), q_bar, v_bar)
            both = a + b
            now = (4.0 / 3.0 * both + carried[0], 8.0 * h / 9.0 * b + carried[1])
            q_bar, v_bar = reparameterise.back(model, path.states[n - 1], start, *now)
            carried = reparameterise.back(model, before, moved, -both / 3.0, -2.0 * h / 9.0 * b)
        own = _own(by_state, n - 1, model.nr)
        q_bar, v_bar = q_bar + own[0], v_bar + own[1]
    return q_bar, v_bar
