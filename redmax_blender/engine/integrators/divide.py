"""Steps in which something would turn too far are taken in parts.

Coriolis and gyroscopic forces are those at the start of a step, or midway through it, and where a contact will be is
foreseen along a parabola. Both hold as long as bodies turn by a fraction of a radian in a step. A light body that is
struck, or hangs on a heavy one, soon turns farther at a long step, gains energy from forces that ought to do no work,
and turns faster still. Such a step is divided, by as much as is needed and no more.

Forces midway through a blow are those of a velocity that nothing ever had. Where the blow is small for the step they
are found as others are; where it is not, every correction makes them larger. Such a step is divided as well.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..energy import energies
from ..friction.memory import DryReport
from ..kinematics import forward_kinematics
from ..model import Floats, Model
from ..state import State
from .report import StepReport

TURN = 0.3
"""Angle [rad] by which a body may turn in a step."""
PART = 0.15
"""And in a part of one that is divided: it goes on for many steps, as a rule, and errors add up."""
MOST = 64
"""A step is not divided into more parts than this."""
HARD = 8
"""Into so many at least where its impulses are not found."""
FINEST = 1024
"""And into so many at most: a part is halved as long as they are not found in it."""
GAIN = 0.01
"""Energy that may come out of nothing in a step, as a fraction of the kinetic energy."""


def turning_coordinates(model: Model, state: State) -> NDArray[np.bool_]:
    """Coordinates that turn something, shape (nr,)."""
    return np.asarray(np.any(forward_kinematics(model, state).S[:, :3] != 0.0, axis=1))


def parts_needed(
    model: Model, state: State, turning: NDArray[np.bool_], h: float, most: float = TURN
) -> tuple[int, str]:
    """Into how many parts a step of h [s] is divided at the velocities of a state, and why.

    most: the turn [rad] from which on it is. turning: see `turning_coordinates`; where the sums of their rates in all
    trees are small, nothing more is looked at.
    """
    rates = np.bincount(model.tree_of_coordinate, np.abs(state.qdot) * turning)
    if h * float(rates.max(initial=0.0)) <= most:
        return 1, ""
    spin = np.linalg.norm(forward_kinematics(model, state).V[:, :3], axis=1)
    link = int(np.argmax(spin))
    turn = h * float(spin[link])
    if turn <= most:
        return 1, ""
    joint = model.joint_of(min(int(model.tree.dof[link]), model.nr - 1))
    parts = int(np.ceil(turn / PART)) if turn < MOST * PART else MOST
    return parts, f"'{joint}' turned by more than {TURN:g} rad in a step"


class Energy:
    """What a scene has of it in which it never grows, from one part of a step to the next."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.known: list[tuple[State, Floats]] = []
        """Of the last two states that were asked about."""

    def _of(self, state: State) -> Floats:
        for other, energy in self.known:
            if other is state:
                return energy
        energy = energies(self.model, state, forward_kinematics(self.model, state))
        self.known = [*self.known[-1:], (state, energy)]
        return energy

    def gained(self, before: State, after: State, share: float) -> bool:
        """Whether it grew by more than it may in a share of a step."""
        old, new = self._of(before), self._of(after)
        return bool(new.sum() - old.sum() > GAIN * share * new[0])


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
