"""Steps that the kernel of `steps.py` took, and the report of the last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..constraints.active import ActiveRows, active_rows
from ..contact.contacts import Contacts
from ..friction.joints.driven import led_friction
from ..friction.memory import DryReport
from ..integrators.report import StepReport
from ..integrators.trees.run import TREE
from ..model.control import control_at
from ..model.records import Floats, Ints
from ..model.state import State
from ..solvers.implicit_system import implicit_system
from ..solvers.pcg import times
from ..tree.jacobian import jacobian_transpose_times
from ..tree.kinematics import forward_kinematics
from .joint_friction import InnerFriction
from .step import ASTRAY, CONTACTS, DEEPEST, OPEN, RESIDUAL, SHIFT, STEPS, SWEEPS, TURN

if TYPE_CHECKING:
    from .run import StepRun

Mask = NDArray[np.bool_]


@dataclass
class Taken:
    """n steps, and what the report of the last is made of when somebody asks; to be asked before the next step."""

    run: StepRun
    before: State
    """Where the last step began, and where it ended; so for all that follows."""
    state: State
    pairs: Ints
    X: Floats
    which: Ints
    """Contacts, as `contact/narrow/pieces.py` gives them."""
    impulse: Floats
    """Of each contact [N·s], shape (nc, 3)."""
    bonds: Floats
    """Of the rows of loops, of gears and of ropes [N·s, N·m·s], zero for those that do not hold."""
    holding: Mask
    """Stops that had a row, shape (nh,)."""
    stop_value: Floats
    """Speed of each stop, and impulses of those that had a row, shape (2, nh)."""
    tell: Floats
    """What `step.answer` tells of each step, shape (n, TOLD)."""
    told: Floats
    """Rounds of each, and the last change of the bounds of friction inside joints, shape (n, 2)."""
    asleep: int
    inner: InnerFriction
    """What friction inside joints did."""
    motor: Floats
    """Impulses of motors [N·m·s, N·s]."""
    passed: bool
    """Whether the kernel has begun with the next step, so that only summaries are left."""

    @property
    def deepest(self) -> float:
        """Deepest overlap of surfaces at the start of a step [m]."""
        return -float(self.tell[:, DEEPEST].min())

    @property
    def turn(self) -> float:
        """Angle [rad] that no body turns by in a step with the velocities at the end of this one: the largest sum over
        a tree."""
        return self.run.options.h * float(self.tell[-1, TURN])

    @property
    def astray(self) -> bool:
        """Whether forces midway through the last step were not found."""
        return bool(self.tell[-1, ASTRAY])

    @property
    def newton_steps(self) -> int:
        """That the impulses of all took."""
        return int(self.tell[:, STEPS].sum())

    def __len__(self) -> int:
        return len(self.tell)

    def summary(self, i: int = -1) -> StepReport:
        """The report of step i without what only a frame needs: contacts, rows and forces."""
        tell, rounds, change = self.tell[i].tolist(), 1, 0.0
        if len(self.inner.dof):
            rounds, change = int(self.told[i, 0]), float(self.told[i, 1])
        dry = DryReport(
            rounds,
            int(tell[STEPS]),
            int(tell[SWEEPS]),
            change=change,
            residual=tell[RESIDUAL],
            shift=tell[SHIFT],
            asleep=self.asleep,
            touched=tell[CONTACTS] > 0.0,
        )
        return StepReport([1], TREE, tell[OPEN] / self.run.model.constraints.size, dry=dry)

    def _friction(self) -> Floats:
        """Generalized forces of friction inside joints, shape (nr,)."""
        out: Floats = np.zeros(self.run.model.nr)
        inner = self.inner
        row = np.cumsum(inner.dofs) - inner.dofs
        single = inner.dofs == 1
        out[inner.dof[single]] = inner.force[row[single]]
        k, i = (first[~single, None] + np.arange(3) for first in (inner.dof, row))  # of balls, shape (n, 3)
        out[k] = np.einsum("nka,na->nk", self.run.kin.S[k, :3], inner.force[i])
        return out / self.run.options.h

    def _rubs_when_led(self, free: Mask, lack: Floats) -> Floats:
        """Generalized impulses of friction inside joints that are led, of what their motion needs, shape (nr,)."""
        inner, friction = self.inner, self.run.model.friction
        if friction is None:
            return np.zeros_like(lack)

        def rows_of(i: int) -> Floats:
            k, n = inner.dof[i], inner.dofs[i]
            return np.eye(1) if n == 1 else self.run.kin.S[k : k + n, :3].T

        return led_friction(friction.rubs, inner.bound, rows_of, free, self.state.qdot, lack)

    def report(self) -> StepReport:
        m, run, h = self.run.model, self.run, self.run.options.h
        report = self.summary()
        if self.passed:
            return report
        assert report.dry is not None
        action = run.acting_at(self.before, self.state.t)
        contacts, impulse = run.with_ropes(
            run.describe(self.pairs, self.X, self.which), self.impulse, self.bonds, self.state.t
        )
        dry = report.dry
        dry.contacts, dry.impulse, dry.force = contacts, impulse, self._friction()
        dry.motor = self.motor / h
        free = action.free
        report.rows = self._rows(free)
        if report.rows is not None:
            equal = len(run.bonds.type) + len(run.bonds.gear_offset)
            report.impulse = np.concatenate(
                [self.bonds[:equal][run.bonds.on[:equal]], self._of_stops(report.rows)]
            )
        if not free.all():
            system = implicit_system(m, self.before, run.kin, control_at(m, self.state.t), action, h)
            lack = times(system, self.state.qdot) - system.b - self._pushed(contacts, impulse)
            lack -= run.impulses - run.impulse_of(action, self.before)
            if report.rows is not None and report.impulse is not None:
                lack -= report.rows.G.T @ report.impulse
            rubs = self._rubs_when_led(free, lack)
            report.motor = np.where(free, 0.0, (lack - rubs) / h)
            report.dry.force += rubs / h
        return report

    def _pushed(self, contacts: Contacts, impulse: Floats) -> Floats:
        """Generalized impulses of the contacts, shape (nr,)."""
        m, kin = self.run.model, self.run.kin
        F: Floats = np.zeros((m.nl, 6))
        for side, sign in ((0, 1.0), (1, -1.0)):
            links = contacts.link[:, side]
            mine = links >= 0
            R = kin.E_wj[links[mine], :9].reshape(-1, 3, 3)
            f = sign * np.einsum("cij,ci->cj", R, impulse[mine])
            arm = np.einsum("cij,ci->cj", R, contacts.x[mine, side] - kin.E_wj[links[mine], 9:])
            np.add.at(F, links[mine], np.concatenate([np.cross(arm, f), f], axis=1))
        return jacobian_transpose_times(m, kin, F)

    def _rows(self, free: Mask) -> ActiveRows | None:
        """Loops and gears, and the stops that had a row."""
        m, h = self.run.model, self.run.options.h
        if m.constraints.is_empty:
            return None
        kin = forward_kinematics(m, self.before)
        return active_rows(m, self.before, kin, self.state.t, h, self.run.options, free, self.holding)

    def _of_stops(self, rows: ActiveRows) -> Floats:
        """Impulses of stops, of those that are rows, zero where they had none in the kernel."""
        value: Floats = np.zeros(len(self.holding))
        which = np.flatnonzero(self.holding)
        value[which] = self.stop_value[1, : len(which)]
        return np.asarray(value[-1 - rows.owner[rows.inequality]])
