"""Linearly implicit Euler at the velocity level (paper, Eq. 2), with constraints and hybrid dynamics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..constraints.active import ActiveRows, active_rows, follows, passed_limits
from ..constraints.naming import check_limits
from ..constraints.projection import largest_error, project
from ..constraints.start import assemble
from ..errors import ConvergenceError
from ..forces.joint import joint_action
from ..friction.dry import DryStep
from ..friction.memory import DryMemory
from ..model.control import control_at
from ..model.records import Floats, Ints, Model
from ..model.state import Options, State
from ..run.wake import approached, struck, woken
from ..solvers.choose import SolverChoice
from ..solvers.constrained import LinearSolver, Multipliers, WarmStart, constrain
from ..solvers.coupled import couple
from ..solvers.implicit_system import implicit_system
from ..solvers.pcg import PCG, times
from ..step import run as step_run
from ..step.taken import Taken
from ..tree.centred_step import CentredStep, centred_kinematics
from ..tree.charts import leave_singularities
from ..tree.kinematics import Kinematics
from .divide import FINEST, GROWN, HARD, MOST, PART, TURN, Watch, whole
from .midway import astray_by, bias_change, fitting
from .report import StepReport, motor_forces
from .trees.pack import suits
from .trees.run import TreeRun, TreeSteps

__all__ = ["MIDWAY", "EulerSteps", "Memory", "StepReport", "euler", "euler_midway", "step"]

Mask = NDArray[np.bool_]
MIDWAY = 2
"""How often `euler_midway` solves again with the forces midway through a step."""


@dataclass
class Memory:
    """What one step hands to the next, apart from the state: warm starts and the choice of solver."""

    choice: SolverChoice
    warm: WarmStart = field(default_factory=WarmStart)
    dry: DryMemory = field(default_factory=DryMemory)
    woken: Floats = field(default_factory=lambda: np.zeros(0))
    """When each group of `Model.wakes` woke last [s], infinite before that."""
    latest: StepReport | TreeSteps | Taken = field(default_factory=StepReport)
    """What the last step was, or steps."""

    @property
    def report(self) -> StepReport:
        """Of the last step."""
        if not isinstance(self.latest, StepReport):
            self.latest = self.latest.report()
        return self.latest


def step(model: Model, state: State, options: Options, memory: Memory) -> State:
    """One step of options.h [s]."""
    h = options.h
    t = state.t + h
    control = control_at(model, t)
    action = joint_action(model, state, control, h, options.stabilisation)
    kin = centred_kinematics(model, state, action.free)
    dry = DryStep.of(model, state, kin, t, options, memory.dry)
    if dry is not None:
        if dry.all_asleep:
            memory.latest = StepReport(solver="asleep", dry=dry.report)
            return replace(state, t=t, qdot=np.zeros(model.nr), v=np.zeros_like(state.v))
        action = dry.freeze(action)
    centred = CentredStep(model, state, kin, action.free, h)
    system = implicit_system(model, state, kin, control, action, h, centred.couples)
    coupled = None if model.flesh is None else couple(system, model.flesh, state, options)
    solver: LinearSolver
    if coupled is None:
        solver = memory.choice(system)
    else:
        solver, system = coupled, system.with_b(coupled.c)

    def arrive(qdot: Floats) -> Floats:
        """Where a step with these velocities ends; prescribed coordinates land on their curves to the last digit."""
        q = centred.arrive(qdot)
        return q if system.free.all() else np.where(system.free, q, action.landing)

    # where something touches, velocities at a step's end are not those of its start
    ahead = centred.arrive if _curves(options, dry) else None
    found = active_rows(model, state, kin, t, h, options, system.free, None, ahead)
    bounded = found is not None or len(model.constraints.limits.dof) > 0
    guess, b = state.qdot, system.b
    rows, multipliers = found, None
    moved: list[float] = []
    astray = False
    for pass_ in range(options.corrections + 2):
        if pass_:
            if pass_ > options.corrections:  # the step has to do without them
                astray = model.contact is not None and astray_by(moved)
                if not astray:
                    break
            midway = centred.midway(0.5 * (fitting(state.qdot, rows, multipliers) + guess))
            b = system.b
            if pass_ <= options.corrections:
                b = system.b + h * bias_change(model, state, kin, midway, action.free)
        rows, multipliers = found, None
        qdot = solver.solve(b, system.known, guess)
        if bounded or dry is not None:
            hold = partial(_held, model, solver, qdot, memory.warm, t)
            if dry is not None:
                hold = partial(dry.hold, solver, replace(system, b=b), qdot)
            qdot, rows, multipliers = constrained(
                model, state, kin, t, options, system.free, hold, qdot, found, arrive, dry, centred
            )
        if options.corrections and model.contact is not None:
            change = qdot - guess if pass_ else qdot
            moved.append(float(times(system, change) @ change))
        guess = qdot
    system = system.with_b(b)
    residual, impulse = 0.0, None
    q = arrive(qdot)
    if dry is not None:
        mean = dry.mean(qdot)
        if mean is not qdot:
            q = arrive(mean)
            centred.after_blow(mean, qdot)
        q = dry.part(q)
    if rows is not None and multipliers is not None:
        impulse = multipliers.value
        if options.stabilisation is None:
            tangent = q
            q, residual = project(model, q, state, t, rows, multipliers, solver, options)
            if follows(model, rows, kin, options):
                qdot = qdot + (q - tangent) / h
        else:
            residual = largest_error(model, q, state.chart, t, rows)
    if isinstance(solver, PCG):
        memory.choice.learn(solver)
    memory.latest = StepReport(
        solver.iterations,
        type(solver).__name__.lower(),
        residual,
        rows,
        impulse,
        motor_forces(system, coupled, qdot, rows, impulse, h, dry),
        None if dry is None else dry.report,
        astray=astray,
    )
    end = State(t, q, centred.rates(qdot, q), state.chart)
    if system.muscles is not None and model.muscles is not None:
        end = replace(end, muscle=system.muscles.end(model.muscles, state, qdot, h))
    return end if coupled is None else coupled.advance(end, h)


def _curves(options: Options, dry: DryStep | None) -> bool:
    """Whether a step leads loops along their curved way."""
    return options.curved_loops and (dry is None or dry.contacts is None or not len(dry.contacts))


Hold = Callable[[ActiveRows | None], tuple[Floats, Multipliers | None]]
"""Velocities under rows, and their multipliers."""


def _held(
    model: Model,
    solver: LinearSolver,
    unconstrained: Floats,
    warm: WarmStart,
    t: float,
    rows: ActiveRows | None,
) -> tuple[Floats, Multipliers | None]:
    """Velocities under constraint rows alone."""
    return (unconstrained, None) if rows is None else constrain(model, solver, unconstrained, rows, warm, t)


def constrained(
    model: Model,
    state: State,
    kin: Kinematics,
    t: float,
    options: Options,
    free: Mask,
    hold: Hold,
    unconstrained: Floats,
    rows: ActiveRows | None,
    arrive: Callable[[Floats], Floats],
    dry: DryStep | None,
    centred: CentredStep,
) -> tuple[Floats, ActiveRows | None, Multipliers | None]:
    """Velocities under the constraints: solved again with every limit that turns out to be passed.

    A limit that was left out and is not passed would have had no part in the solution either.
    """
    limits = model.constraints.limits
    seen: Mask = np.zeros(len(limits.dof), bool)
    while True:
        qdot, multipliers = hold(rows)
        if rows is not None:
            check_limits(model, rows, qdot, unconstrained, t, 0.0 if dry is None else dry.report.blur)
        if not (len(seen) and options.limit_lookahead):
            break
        passed = passed_limits(limits, state.q, arrive(qdot), free) & ~seen
        if rows is not None:
            passed[-1 - rows.owner[rows.inequality]] = False
        if not passed.any():
            break
        seen |= passed
        ahead = centred.arrive if _curves(options, dry) else None
        rows = active_rows(model, state, kin, t, options.h, options, free, seen, ahead)
    return qdot, rows, multipliers


@dataclass(frozen=True)
class Piece:
    """A step, or a part of one that is divided."""

    start: State
    end: State
    h: float
    corrections: int


class EulerSteps:
    """The steps of a run, one a `next()`; `memory.report` tells about the last one."""

    def __init__(self, model: Model, state: State, options: Options) -> None:
        free = joint_action(model, state, control_at(model, state.t + options.h)).free
        state = replace(assemble(model, state, free, options), x=state.x, v=state.v)
        self.model, self.state, self.options = model, state, options
        self.memory = Memory(SolverChoice(options))
        self.trail: list[Piece] | None = None
        """Where something may touch, the pieces that the last step was taken in; null where nobody asks."""
        self.start, self.count = state.t, 0
        self.tree = TreeRun(model, options) if suits(model, options) else None
        self.watch = None if model.contact is None else Watch(model, state)
        """Where things touch."""
        self.touch: step_run.StepRun | None = None
        self._prepare_kernel()
        self.slow: Floats | None = None
        """Velocities of the last step, where nothing turns too far with them."""
        if model.wakes is not None:
            self.memory.woken = np.full(model.wakes.count, np.inf)

    def _prepare_kernel(self) -> None:
        """For the model as it is now: a blow may have woken some of it."""
        self.touch = None
        if self.tree is None and step_run.suits(self.model, self.options):
            watch = Watch(self.model, self.state) if self.watch is None else self.watch
            self.touch = step_run.StepRun(self.model, self.options, watch.turning)

    def rewake(self) -> None:
        """Let the joints that woke before a checkpoint be awake."""
        for group in np.flatnonzero(np.isfinite(self.memory.woken)):
            self.model = woken(self.model, np.array([group]), float(self.memory.woken[group]))
        self._prepare_kernel()

    def __iter__(self) -> Iterator[State]:
        return self

    def __next__(self) -> State:
        self.advance(1)
        return self.state

    def advance(self, most: int) -> int:
        """Take up to `most` steps, and one at least; returns how many."""
        if self.tree is not None:
            steps = self.tree.take(self.state, self.memory.dry, self.start, self.count, most)
            if steps is not None:
                self.memory.latest, self.state = steps, steps.state
                self.count += len(steps.counts)
                return len(steps.counts)
        taken = 1
        if self.watch is None:
            self.state, taken = self._whole(most, np.inf)
        else:
            self.state, taken = self._careful(self.watch, most)
        self.count += taken
        # Counting steps keeps the time exact where adding h would drift.
        t = self.start + self.count * self.options.h
        if self.state.t != t:
            self.state = replace(self.state, t=t)
        return taken

    def _whole(self, most: int, far: float = TURN) -> tuple[State, int]:
        """The state after a step in one piece, or up to so many by the kernel where it can; and how many."""
        if self.touch is not None:
            times = self.start + np.arange(self.count, self.count + most + 1) * self.options.h
            touched = self.touch.take(self.state, self.memory.dry, times, far)
            if touched is not None:
                self.memory.latest = touched
                return touched.state, len(touched)
        return self._one(self.options), 1

    def _one(self, options: Options) -> State:
        """The state after a step of options.h [s], by the general route."""
        before, _ = leave_singularities(self.model, self.state)
        state = step(self.model, before, options, self.memory)
        while self._wakes(before):  # the blow moves them only without their motions
            state = step(self.model, before, options, self.memory)
        return state

    def _careful(self, watch: Watch, most: int) -> tuple[State, int]:
        """The state after up to so many steps, and how many. One is divided where something turns too far in it, at its
        start or after a blow, or where impulses cannot be found."""
        h, parts, cause, taken = self.options.h, 1, "", 1
        if self.state.qdot is not self.slow:
            parts = watch.parts(self.state, h)
        if parts > 1:
            cause = watch.cause(self.state)
        else:
            try:
                after, taken = self._whole(most)
                if taken == 1 and not self._turns_little():  # of many, the kernel has seen to it
                    parts = watch.parts(after, h)
                if parts > 1:
                    cause = watch.cause(after)
                elif self._went_astray():
                    parts, cause = (
                        2,
                        f"forces of motion at '{self._fastest(after)}' were not found in one piece of a step",
                    )
            except ConvergenceError as error:
                parts, cause = HARD, f"the impulses at '{error.joint}' were not found in one piece of a step"
            if parts == 1:
                if self.trail is not None:
                    self._note(self.state, after, self.options)
                self.slow = after.qdot
                return after, taken
        return self._divided(watch, parts, cause), 1

    def _note(self, before: State, after: State, options: Options) -> None:
        start, _ = leave_singularities(self.model, before)
        assert self.trail is not None
        self.trail.append(Piece(start, after, options.h, options.corrections))

    def _turns_little(self) -> bool:
        """Whether the kernels found that nothing turns far at the velocities of the last step."""
        return isinstance(self.memory.latest, Taken) and self.memory.latest.turn <= TURN

    def _went_astray(self) -> bool:
        """Whether the last step had to do without corrections, or ought to."""
        return not isinstance(self.memory.latest, TreeSteps) and self.memory.latest.astray

    def _fastest(self, state: State) -> str:
        return self.model.joint_of(int(np.argmax(np.abs(state.qdot))))

    def _divided(self, watch: Watch, least: int, cause: str) -> State:
        """The state after a step in parts, `least` or more, each so short that nothing turns far in it, and with the
        forces midway through it. cause: why."""
        options = self.options.with_(corrections=max(self.options.corrections, MIDWAY))
        h = left = self.options.h
        shortest, longest, part = h / MOST, h / least, h
        reports: list[StepReport] = []
        before = h
        while left > 1e-9 * h:
            if part > longest or watch.parts(self.state, part, GROWN) > 1:
                part = max(min(left / watch.parts(self.state, left, PART), longest), shortest)
            part = min(part, left)
            if part != before:
                self.memory.dry.scale(part / before)
                before = part
            try:
                most = int(left / part + 1e-6) if self.trail is None else 1
                after, taken = self._parts(options.with_(h=part), part > shortest, most)
            except ConvergenceError as error:
                if part <= h / FINEST:
                    raise
                cause = f"the impulses at '{error.joint}' were not found in one piece of a step"
                shortest, longest = h / FINEST, 0.5 * part
                continue
            parts = 1 if taken > 1 or self._turns_little() else watch.parts(after, part)
            if part > shortest and (
                parts > 1 or self._went_astray() or watch.gained(self.state, after, taken * part / h)
            ):
                longest = part / max(parts, 2)
                continue
            if self.trail is not None:
                self._note(self.state, after, options.with_(h=part))
            self.state = after
            left -= taken * part
            done = not (left > 1e-9 * h and np.isfinite(after.qdot).all())
            latest = self.memory.latest
            if isinstance(latest, Taken):
                reports += [latest.summary(i) for i in range(taken - done)]
            if done or not isinstance(latest, Taken):
                reports.append(self.memory.report)
            if done:
                break
        self.memory.dry.scale(h / part)
        self.memory.latest = whole(reports, part / h, cause)
        return self.state

    def _parts(self, options: Options, may_fail: bool, most: int) -> tuple[State, int]:
        """The state after a part of a step, or up to so many by the kernel, and how many: where forces midway through
        them are found, or may not be, and the part is divided once more."""
        if self.touch is not None:
            times = self.state.t + np.arange(max(most, 1) + 1) * options.h
            touched = self.touch.by(options).take(self.state, self.memory.dry, times, GROWN)
            if touched is not None and (may_fail or not touched.astray):
                self.memory.latest = touched
                return touched.state, len(touched)
        return self._one(options), 1

    def _wakes(self, before: State) -> bool:
        """Wake what the last step, from a state, has struck; whether there was anything."""
        dry, t = self.memory.report.dry, before.t
        if self.model.wakes is None or dry is None:
            return False
        groups = struck(self.model, dry.contacts, dry.impulse, t)
        if not len(groups):
            groups = self._would_wake(before, approached(self.model, dry.contacts, t))
        if len(groups):
            self.memory.woken[groups] = t
            self.model = woken(self.model, groups, t)
            self._prepare_kernel()
        return len(groups) > 0

    def _would_wake(self, before: State, groups: Ints) -> Ints:
        """Those of these groups that would be struck in the last step if they were awake."""
        if not len(groups):
            return groups
        trial = Memory(SolverChoice(self.options))
        step(woken(self.model, groups, before.t), before, self.options, trial)
        dry = trial.report.dry
        if dry is None:
            return groups[:0]
        return np.intersect1d(groups, struck(self.model, dry.contacts, dry.impulse, before.t))


def euler(model: Model, state: State, options: Options) -> EulerSteps:
    """The paper's step: first order, stable at any stiffness of implicit forces. Forces that grow with the square of
    the velocities are explicit: a fast whip may gain energy at a long step."""
    return EulerSteps(model, state, options.with_(corrections=0))


def euler_midway(model: Model, state: State, options: Options) -> EulerSteps:
    """The same with those forces at the velocities midway through the step, by solving again: calm where a whip would
    make the plain step gain energy, for two or three times its cost."""
    return EulerSteps(model, state, options.with_(corrections=MIDWAY))
