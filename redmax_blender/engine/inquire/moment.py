"""A moment of a run, and the impulses that a step from there would give: contacts, friction, motors, limits and ropes.

All that follows from a state is exact there. What no state tells, because it follows from the future of a step, is
taken from a step of the scene's own length that begins there and is thrown away.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..constraints.active import ActiveRows, is_active
from ..contact.contacts import Contacts
from ..errors import ConvergenceError, InputError
from ..friction.joints.loop_rows import loop_rows
from ..integrators.euler import Memory, step
from ..integrators.report import StepReport
from ..model.control import control_at
from ..model.records import Floats, Model
from ..model.state import Control, Options, State
from ..solvers.choose import SolverChoice
from ..tree.charts import leave_singularities
from ..tree.kinematics import Kinematics, forward_kinematics

CORRECTIONS = 2
"""As `euler_midway` has them."""
EXACT = 1e-10
"""Change of the bounds of friction with which they are settled, as a fraction of the largest. A run goes on from step
to step, and may be content with less."""
SHORTEST = 64
"""Into how many parts a step is divided at most where its impulses cannot be found in one piece."""


@dataclass(frozen=True)
class Moment:
    """A state, and what acts on it that only a step can tell."""

    model: Model
    state: State
    kin: Kinematics
    control: Control
    """Inputs at this time."""
    h: float
    """Length of the step that impulses are of [s]."""
    report: StepReport | None
    """Of that step; null where nothing is dry, limited, or takes hold over time."""
    bound: Floats
    """Largest friction of the surfaces inside joints, then of those in loops [N·m, N], shape (n,)."""

    @property
    def contacts(self) -> tuple[Contacts, Floats] | None:
        """Contacts and ropes, and the force on side 0 of each along world axes [N], shape (nc, 3)."""
        dry = None if self.report is None else self.report.dry
        if dry is None or dry.contacts is None or not len(dry.contacts):
            return None
        return dry.contacts, dry.impulse / self.h

    @property
    def rows(self) -> tuple[ActiveRows, Floats] | None:
        """Rows of constraints and limits of the step, and their forces [N, N·m]."""
        report = self.report
        if report is None or report.rows is None or report.impulse is None:
            return None
        return report.rows, report.impulse / self.h

    def limit_forces(self) -> Floats:
        """Force of each limit along its coordinate [N·m, N], shape (nh,)."""
        limits = self.model.constraints.limits
        out: Floats = np.zeros(len(limits.dof))
        if self.rows is not None:
            rows, force = self.rows
            which = -1 - rows.owner[rows.inequality]
            out[which] = limits.side[which] * force[rows.inequality]
        return out

    def dry_forces(self) -> Floats:
        """Generalized forces of friction and motors inside joints, and of limits, shape (nr,)."""
        out: Floats = np.zeros(self.model.nr)
        np.add.at(out, self.model.constraints.limits.dof, self.limit_forces())
        dry = None if self.report is None else self.report.dry
        if dry is None or self.model.friction is None:
            return out
        if len(dry.force):
            out += dry.force
        if len(dry.motor):
            np.add.at(out, self.model.friction.motors.speed.target, dry.motor)
        return out

    def loop_friction(self) -> Floats:
        """Wrenches on the links, in joint frames, of the friction in joints that close loops, shape (nl, 6)."""
        F: Floats = np.zeros((self.model.nl, 6))
        dry = None if self.report is None else self.report.dry
        if dry is None or self.model.friction is None or not len(dry.loop_rows):
            return F
        _, link, G = loop_rows(self.model.friction.loops, self.kin)
        for side in range(2):
            held = link[:, side] >= 0
            np.add.at(F, link[held, side], dry.loop_rows[held, None] * G[held, side])
        return F


def moment(model: Model, state: State, options: Options) -> Moment:
    """Look at a state. The options say how long a step is, and how it is taken; things that sleep are awakened.

    Raises ConvergenceError where no step is possible from there.
    """
    if model.flesh is not None:
        raise InputError(
            f"flesh '{model.flesh.names[0]}'" if model.flesh.names else "strands",
            "what flesh does to the bodies that carry it is not known to Inquire",
            "Inquire a scene without flesh and strands.",
        )
    if model.muscles is not None and model.muscles.has_mass:
        raise InputError(
            "muscles", "their moving mass is not known to Inquire", "Set the mass of the muscles to zero."
        )
    state, _ = leave_singularities(model, state)
    kin, control = forward_kinematics(model, state), control_at(model, state.t)
    if not _needs_step(model, state.t, options.h):
        return Moment(model, state, kin, control, options.h, None, np.zeros(0))
    corrections = 0 if options.integrator == "euler" else CORRECTIONS
    exact = {
        "friction_tolerance": EXACT,
        "friction_enough": EXACT,
        "contact_enough": options.contact_tolerance,
    }
    options = options.with_(sleep=False, corrections=corrections, **exact)
    h = options.h
    while True:
        memory = Memory(SolverChoice(options))
        if model.wakes is not None:
            memory.woken = np.full(model.wakes.count, np.inf)
        try:
            step(model, state, options.with_(h=h), memory)
            report = memory.report
            own = report.dry is not None and len(report.dry.bound) > 0
            bound = report.dry.bound if own and report.dry is not None else memory.dry.bound
            return Moment(model, state, kin, control, h, report, bound / h)
        except ConvergenceError:
            if h < 1.5 * options.h / SHORTEST:
                raise
            h *= 0.5


def _needs_step(model: Model, t: float, h: float) -> bool:
    c = model.constraints
    return (
        model.contact is not None
        or model.friction is not None
        or model.ropes is not None
        or len(c.limits.dof) > 0
        or takes_hold(model, t, h)
    )


def takes_hold(model: Model, t: float, h: float) -> bool:
    """Whether a constraint is on its way to where it will hold, so that its force is a matter of the step."""
    c = model.constraints
    if c.always:
        return False
    now = is_active(c, t + h)
    return any(
        on and any(a <= t < a + over for a, _, over in spans) for on, spans in zip(now, c.active, strict=True)
    )
