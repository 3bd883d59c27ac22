"""Dry friction, motors and contacts of a step: which solver takes them, and what they did."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ..constraints.active import ActiveRows
from ..constraints.ropes import rope_contacts
from ..contact.contacts import Contacts
from ..contact.find import find_contacts, joined
from ..contact.near.carry import lost
from ..forces.joint import JointAction
from ..model.records import Floats, Model
from ..model.state import Options, State
from ..solvers.constrained import LinearSolver, Multipliers
from ..solvers.implicit_system import ImplicitSystem
from ..tree.kinematics import Kinematics
from .contacts.depenetrate import within_stops
from .general import Outcome, solve_general
from .joints import in_tree
from .joints.driven import led_friction
from .memory import DryMemory, DryReport
from .sleep import Mask

_DIVERGED = 1e4
"""Turn [rad], or way in sizes of the scene, that nothing covers in a step."""


@dataclass
class DryStep:
    model: Model
    state: State
    kin: Kinematics
    t: float
    options: Options
    memory: DryMemory
    contacts: Contacts | None
    asleep: Mask
    """Coordinates of trees that sleep, shape (nr,)."""
    report: DryReport
    pushed: Floats = field(default_factory=lambda: np.zeros(0))
    """Generalized impulses of all that is solved for here, apart from constraint rows, shape (nr,)."""
    outcome: Outcome | None = None

    @staticmethod
    def of(
        model: Model, state: State, kin: Kinematics, t: float, options: Options, memory: DryMemory
    ) -> DryStep | None:
        """For a step that ends at time t [s]; null where nothing is dry and nothing touches."""
        if model.friction is None and model.contact is None and model.ropes is None:
            return None
        _check_speed(model, kin, options.h)
        sleepers = memory.prepare(model)
        moved = sleepers.colliders_moved(t)
        if sleepers.asleep.all() and not moved:
            return DryStep(
                model,
                state,
                kin,
                t,
                options,
                memory,
                None,
                sleepers.coordinates,
                DryReport(asleep=len(sleepers.asleep)),
            )
        contacts = _contacts(model, state, kin, t, options.h)
        sleepers.wake(contacts, moved, kin, state.v, options.h)
        if options.sleep:
            sleepers.settle(kin, contacts, options.h, state.v)
        asleep = sleepers.coordinates
        if contacts is not None and asleep.any():
            awake = np.append(~sleepers.asleep, False)[sleepers.of_link[contacts.link]] | (contacts.tet >= 0)
            contacts = contacts.only(awake.any(axis=1))
        touch = contacts is not None and len(contacts) > 0
        if model.friction is None and not touch and not asleep.any():
            return None
        return DryStep(
            model,
            state,
            kin,
            t,
            options,
            memory,
            contacts,
            asleep,
            DryReport(asleep=int(sleepers.asleep.sum())),
        )

    @property
    def all_asleep(self) -> bool:
        sleepers = self.memory.sleepers
        return len(self.asleep) > 0 and sleepers is not None and bool(sleepers.asleep.all())

    def freeze(self, action: JointAction) -> JointAction:
        """What acts in the joints' coordinates, with those prescribed that sleep."""
        return frozen(action, self.asleep, self.state.q) if self.asleep.any() else action

    def hold(
        self, solver: LinearSolver, system: ImplicitSystem, x: Floats, rows: ActiveRows | None
    ) -> tuple[Floats, Multipliers | None]:
        """Velocities under constraint rows, from the free motion x; and the multipliers of the rows."""
        m, touch = self.model, self.contacts is not None and len(self.contacts) > 0
        if m.friction is not None and not touch and in_tree.applies(m, system, rows):
            asleep = self.report.asleep
            qdot, multipliers, self.report, self.pushed = in_tree.solve_in_tree(
                m, system, rows, self.state.qdot, self.t, self.options, self.memory
            )
            self.report.asleep = asleep
            return qdot, multipliers
        asleep = self.report.asleep
        found = solve_general(
            m, solver, system, rows, self.contacts, x, self.state.v, self.t, self.options, self.memory
        )
        self.outcome, self.report, self.pushed = found, found.report, found.pushed
        self.report.asleep = asleep
        return found.qdot, found.multipliers(rows)

    def rubs_when_led(self, free: Mask, qdot: Floats, lack: Floats) -> Floats:
        """Generalized impulses of friction inside joints that are led, of what their motion needs, shape (nr,); zero
        where they are among those of the solution."""
        if self.model.friction is None or self.outcome is None:
            return np.zeros_like(lack)
        rubs, blocks = self.model.friction.rubs, self.outcome.blocks

        def rows_of(i: int) -> Floats:
            b, k = blocks.rubs.start + i, rubs.dof[i]
            return blocks.others[blocks.first[b] : blocks.first[b + 1], k : k + rubs.dofs[i]]

        return led_friction(rubs, self.memory.bound, rows_of, free, qdot, lack)

    def mean(self, qdot: Floats) -> Floats:
        """Velocities that lead to where the step ends: others than those at its end where something bounces in it."""
        if self.outcome is None or self.outcome.blows is None:
            return qdot
        return self.outcome.blows.mean(qdot)

    def part(self, q: Floats) -> Floats:
        """Positions at the end of the step, moved apart where surfaces overlap."""
        if self.outcome is None:
            return q
        return within_stops(self.model.constraints.limits, q, self.outcome.part(q))


def frozen(action: JointAction, asleep: Mask, q: Floats) -> JointAction:
    """The same with coordinates prescribed that sleep, as a mask (nr,), and stay where they are."""
    return replace(
        action,
        free=action.free & ~asleep,
        known=np.where(asleep, 0.0, action.known),
        landing=np.where(asleep, q, action.landing),
    )


def _check_speed(model: Model, kin: Kinematics, h: float) -> None:
    """Stop a run that is diverging before collision detection has to follow it across the universe."""
    size = max(model.constraints.size, 1e-300)
    if lost(kin.E_wj, size):
        raise np.linalg.LinAlgError("the positions are beyond all bounds")
    farthest = h * np.abs(kin.V).max(axis=0, initial=0.0)
    if not (farthest[:3].max() < _DIVERGED and farthest[3:].max() < _DIVERGED * size):
        raise np.linalg.LinAlgError("the velocities are beyond all bounds")


def _contacts(model: Model, state: State, kin: Kinematics, t: float, h: float) -> Contacts | None:
    """What touches, or may touch in a step of h [s] that ends at time t [s]; and ropes, which are contacts too."""
    found = None if model.contact is None else find_contacts(model, state, kin, h)
    ropes = rope_contacts(model, kin, t)
    if found is None or ropes is None:
        return ropes if found is None else found
    return joined(found, ropes)
