"""A run's steps by the kernel for trees (`trees/kernel.py`): when it may take them, and what they tell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...constraints.active import active_rows
from ...friction.joints.extrapolate import CHANGES
from ...friction.joints.in_tree import tell
from ...friction.memory import DryMemory, DryReport
from ...friction.sleep import Sleepers
from ...model.records import PRESCRIBED, Floats, Model
from ...model.state import Options, State
from ...step.switching import Switching
from ...tree.kinematics import forward_kinematics
from ..report import StepReport
from .kernel import tree_steps
from .pack import Mask, pack

TREE = "pcg"
"""What reports call the solver: on a tree its preconditioner is exact."""
_NO_FLOATS: Floats = np.zeros(0)
_NO_MASK: Mask = np.zeros(0, bool)


@dataclass
class TreeSteps:
    """Steps that the kernel took, and what their reports are made of when somebody asks."""

    run: TreeRun
    state: State
    """At the end of the last one."""
    out: Floats
    force: Floats
    row_value: Floats
    """Impulses of the rows of loops, and of their pins."""
    counts: Floats
    """Of each step: rounds, passes, the last change of the friction bounds, and the largest position error [m], shape
    (n, 4)."""
    free: Mask
    asleep: int
    """Number of trees that sleep."""

    def report(self) -> StepReport:
        """Of the last step."""
        m, options = self.run.model, self.run.options
        h = options.h
        report = StepReport([1] * (1 + options.corrections), TREE)
        stops = self.force[m.sources.rubs + m.sources.motors :]
        if not m.constraints.is_empty:
            before = State(self.state.t - h, self.out[2], self.out[3], self.state.chart)
            kin = forward_kinematics(m, before)
            report.rows = active_rows(m, before, kin, self.state.t, h, options, self.free, stops != 0.0)
        if report.rows is not None:
            equal = len(report.rows.index)
            which = -1 - report.rows.owner[equal:]
            report.impulse = np.concatenate(
                [self.row_value[:equal], m.constraints.limits.side[which] * stops[which]]
            )
            report.residual = float(self.counts[-1, 3]) / m.constraints.size
        if not self.free.all():
            report.motor = self.out[4] / h
        if m.friction is not None:
            rounds, passes, change, _ = self.counts[-1]
            report.dry = DryReport(int(rounds), int(passes), change=float(change), asleep=self.asleep)
            tell(m, m.sources, self.force, h, report.dry)
            report.dry.loop = np.abs(self.row_value[len(m.constraints.rows.type) :]) / h
        return report


_NEAR_SWITCH = 2.0
"""Steps around a switch for the general route: what is keyed begins and ends with velocities of its own."""


class TreeRun:
    """The kernel for one model and one set of options, for which it must be suited (`pack.suits`)."""

    def __init__(self, model: Model, options: Options) -> None:
        self.model, self.options = model, options
        self.packed = pack(model, options)
        self.nr, self.ns = model.nr, len(model.sources)
        self.sleepless = np.zeros(int(np.count_nonzero(model.tree.parent < 0)), bool)
        self.masks = np.concatenate([model.switchable, np.zeros(model.nr, bool), self.sleepless])
        self.asleep, self.begun = 0, False
        self.free = model.joints.free
        self.row_count = len(model.constraints.rows.type)
        self.loops = np.zeros(0, np.int64) if self.row_count else None
        self.row_count += 0 if model.friction is None else len(model.friction.loops)
        held = len(model.sources) + self.row_count + CHANGES * len(model.constraints.rows.type) + 1
        self.steps = held if self.loops is not None else 0
        self.switching = Switching(model, options.h, _NEAR_SWITCH)

    def take(self, state: State, memory: DryMemory, start: float, count: int, most: int) -> TreeSteps | None:
        """Up to `most` steps after `count` of them since `start` [s]; null where the next needs the general route."""
        m, p = self.model, self.packed
        if m.joints.switches:
            left, changed = self.switching.until(state.t)
            if changed:
                self._set_modes(state.t)
            most = min(most, left)
            if most < 1:
                return None
        bound, at_rest, calm = _NO_FLOATS, _NO_MASK, _NO_FLOATS
        if m.friction is not None:
            sleepers = memory.prepare(m)
            bound, at_rest, calm = memory.bound, memory.at_rest, sleepers.calm
            if np.count_nonzero(sleepers.asleep) != self.asleep or not self.begun:
                self._look_who_sleeps(sleepers)
            if self.asleep == len(self.sleepless):
                return None
        if not self.begun:
            self._set_modes(state.t)
            self.begun = True
        if len(memory.held) != self.steps:
            memory.held = np.zeros(self.steps)
        out, force, row_value = np.empty((5, self.nr)), np.empty(self.ns), np.empty(self.row_count)
        counts: Floats = np.empty((most, 4))
        done = tree_steps(
            p.ints, p.floats, p.at, self.masks, self.loops, state.chart, state.q, state.qdot, bound, at_rest, calm,
            memory.held, memory.trend, start, count, most, out, force, row_value, counts,
        )  # fmt: skip
        if not done:
            return None
        t = start + (count + done) * self.options.h
        state = State(t, out[0], out[1], state.chart, state.x, state.v)
        return TreeSteps(self, state, out, force, row_value, counts[:done], self.free, self.asleep)

    def _set_modes(self, t: float) -> None:
        self.packed.modes[:] = self.switching.modes(t)
        self.packed.turn_limit[:] = self.switching.turn_limits(t)
        self._set_free()

    def _look_who_sleeps(self, sleepers: Sleepers) -> None:
        m = self.model
        assert m.friction is not None
        self.asleep = int(np.count_nonzero(sleepers.asleep))
        rubbing = np.zeros(len(sleepers.asleep), bool)
        rubbing[sleepers.of_link[m.friction.rubs.link]] = True
        self.masks[m.nl : m.nl + m.nr] = sleepers.coordinates
        self.masks[m.nl + m.nr :] = sleepers.may & rubbing & ~sleepers.asleep
        self._set_free()

    def _set_free(self) -> None:
        m = self.model
        free = np.ones(m.nr, bool)
        free[m.joints.motion.target[self.packed.modes == PRESCRIBED]] = False
        self.free = free & ~self.masks[m.nl : m.nl + m.nr]
