"""Steps in which something would turn too far are taken in parts.

Coriolis and gyroscopic forces are those at the start of a step, or midway through it, and where a contact will be is
foreseen along a parabola. Both hold as long as bodies turn by a fraction of a radian in a step. A light body that is
struck, or hangs on a heavy one, soon turns farther at a long step, gains energy from forces that ought to do no work,
and turns faster still. Such a step is divided, by as much as is needed and no more.

Forces midway through a blow are those of a velocity that nothing ever had. Where the blow is small for the step they
are found as others are; where it is not, every correction makes them larger. Such a step is divided as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..friction.memory import DryReport
from ..model.records import Floats, Model
from ..model.state import State
from ..run.energy import energies, is_passive
from ..tree.kinematics import Kinematics, forward_kinematics
from .report import StepReport

Mask = NDArray[np.bool_]
TURN = 0.3
"""Angle [rad] by which a body may turn in a step."""
PART = 0.15
"""And in a part of one that is divided: it goes on for many steps, as a rule, and errors add up."""
GROWN = 0.2
"""And from which on it is divided anew."""
MOST = 64
"""A step is not divided into more parts than this."""
HARD = 8
"""Into so many at least where its impulses are not found."""
FINEST = 1024
"""And into so many at most: a part is halved as long as they are not found in it."""
GAIN = 0.01
"""Energy that may come out of nothing in a step, as a fraction of the kinetic energy."""


@dataclass
class _Known:
    """What was found out about a state."""

    state: State
    kin: Kinematics
    link: int = -1
    """The one that turns fastest, -1 before somebody asks."""
    spin: float = 0.0
    """How fast [rad/s]."""
    energy: Floats | None = None


class Watch:
    """How far bodies turn in a step from a state, and what energy it has; the last two states are remembered."""

    def __init__(self, model: Model, state: State) -> None:
        self.model = model
        self.turning: Mask = np.any(forward_kinematics(model, state).S[:, :3] != 0.0, axis=1)
        """Coordinates that turn something, shape (nr,)."""
        self.passive = is_passive(model)
        self.known: list[_Known] = []

    def _of(self, state: State) -> _Known:
        for known in self.known:
            if known.state is state:
                return known
        known = _Known(state, forward_kinematics(self.model, state))
        self.known = [*self.known[-1:], known]
        return known

    def _fastest(self, state: State) -> _Known:
        known = self._of(state)
        if known.link < 0:
            w = known.kin.V[:, :3]
            squares = np.einsum("li,li->l", w, w)
            known.link = int(np.argmax(squares))
            known.spin = float(np.sqrt(squares[known.link]))
        return known

    def parts(self, state: State, h: float, most: float = TURN) -> int:
        """Into how many parts a step of h [s] is divided at the velocities of a state: one where nothing turns by more
        than `most` [rad]. Where the sums of the rates in all trees are small, nothing more is looked at."""
        rates = np.bincount(self.model.tree_of_coordinate, np.abs(state.qdot) * self.turning)
        if h * float(rates.max(initial=0.0)) <= most:
            return 1
        turn = h * self._fastest(state).spin
        if turn <= most:
            return 1
        return int(np.ceil(turn / PART)) if turn < MOST * PART else MOST

    def cause(self, state: State) -> str:
        """Why a step from a state is divided, or one that leads to it."""
        first = int(self.model.tree.dof[self._fastest(state).link])
        return f"'{self.model.joint_of(min(first, self.model.nr - 1))}' turned by more than {TURN:g} rad in a step"

    def gained(self, before: State, after: State, share: float) -> bool:
        """Whether energy grew by more than it may in a share of a step, where it never grows."""
        if not self.passive:
            return False
        old, new = self._energy(before), self._energy(after)
        return bool(new.sum() - old.sum() > GAIN * share * new[0])

    def _energy(self, state: State) -> Floats:
        known = self._of(state)
        if known.energy is None:
            known.energy = energies(self.model, state, known.kin)
        return known.energy


def whole(parts: list[StepReport], share: float, cause: str) -> StepReport:
    """The report of a step from those of its parts: that of the last, which took a `share` of the step, with the work
    and the largest errors of all. cause: why it was divided."""
    dry = [part.dry for part in parts if part.dry is not None]
    return replace(
        parts[-1],
        iterations=[n for part in parts for n in part.iterations],
        residual=max(part.residual for part in parts),
        dry=_all_of(parts[-1].dry, dry),
        parts=len(parts),
        share=share,
        cause=cause,
    )


def _all_of(last: DryReport | None, every: list[DryReport]) -> DryReport | None:
    if last is None:
        return None
    return replace(
        last,
        rounds=sum(each.rounds for each in every),
        passes=sum(each.passes for each in every),
        sweeps=sum(each.sweeps for each in every),
        change=max(each.change for each in every),
        residual=max(each.residual for each in every),
        shift=max(each.shift for each in every),
        touched=any(each.touches for each in every),
    )
