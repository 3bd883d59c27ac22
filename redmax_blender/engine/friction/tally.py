"""What friction and contacts report over the steps of a run, summed up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model.records import Floats
from .memory import DryReport

_SETTLED, _LOOPED = 1e-4, 2e-3
"""Change of bounds with which a step still counts as settled; and in a tree with loops, where `friction_tolerance`
allows half of it by default."""
_FOUND = 1e-2
"""Residual of impulses with which it does, and change of bounds where contacts press on joints: what
`Options.contact_enough` and `friction_enough` allow."""


@dataclass
class DryTally:
    """Counts over the steps of a run."""

    steps: int = 0
    rounds: int = 0
    most_rounds: int = 0
    passes: int = 0
    sweeps: int = 0
    unsettled: int = 0
    """Steps whose friction or contacts did not converge."""
    residual: float = 0.0
    """The largest of all steps."""
    worst: float = 0.0
    """When that step ended [s]."""
    deepest: float = 0.0
    """Deepest overlap of surfaces at the start of a step [m]."""
    slept: int = 0
    """Steps in which something slept."""

    def add(self, report: DryReport, t: float = 0.0) -> None:
        """Count a step that ended at time t [s]."""
        self.steps += 1
        self.rounds += report.rounds
        self.most_rounds = max(self.most_rounds, report.rounds)
        self.passes += report.passes
        self.sweeps += report.sweeps
        change = max(report.change, report.shift)
        if max(change, report.residual) > self.residual:
            self.residual, self.worst = max(change, report.residual), t
        self.unsettled += change > (_FOUND if report.touches else _SETTLED) or report.residual > _FOUND
        self.slept += report.asleep > 0
        if report.contacts is not None and len(report.contacts):
            self.deepest = max(self.deepest, -float(report.contacts.gap.min()))

    def add_steps(self, counts: Floats, asleep: int, loops: bool, t: float = 0.0) -> None:
        """Count steps, the last of which ended at time t [s], by their rounds, passes and last changes of the bounds,
        shape (n, 3); loops: of a tree that has some."""
        rounds, passes, change = counts.T
        self.steps += len(counts)
        self.rounds += int(rounds.sum())
        self.most_rounds = max(self.most_rounds, int(rounds.max()))
        self.passes += int(passes.sum())
        if change.max() > self.residual:
            self.residual, self.worst = float(change.max()), t
        self.unsettled += int(np.count_nonzero(change > (_LOOPED if loops else _SETTLED)))
        self.slept += len(counts) if asleep else 0

    def summary(self) -> dict[str, Any]:
        """For a report; empty when there was nothing dry."""
        if not self.steps:
            return {}
        return {
            "friction_rounds_mean": self.rounds / self.steps,
            "friction_rounds_max": self.most_rounds,
            "friction_solves_mean": self.passes / self.steps,
            "friction_sweeps": self.sweeps,
            "friction_unsettled_steps": self.unsettled,
            "friction_residual": self.residual,
            "deepest_overlap": self.deepest,
            "steps_with_sleepers": self.slept,
        }
