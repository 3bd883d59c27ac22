"""What the steps of a run report, summed up: solvers, iterations, and how well the constraints held."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..friction.tally import DryTally
from ..integrators.report import StepReport
from ..integrators.trees.run import TREE, TreeSteps
from ..model.records import Floats, Model
from ..step.taken import Taken

GROWN = 0.2
"""Energy out of nothing, as a fraction of the most that a run had in motion, from which on it is told."""


@dataclass
class Growth:
    """Energy that a run has made out of nothing, from frame to frame."""

    energy: Floats | None = None
    """Of the last frame [J], in the order of `energy.ENERGIES`, shape (3,)."""
    since: float = 0.0
    """When it last was as low as it may be [s]."""
    now: float = 0.0
    """What it has grown by since then [J]."""
    liveliest: float = 0.0
    """The largest kinetic energy [J]."""
    most: float = 0.0
    """Largest growth, as a fraction of that."""
    span: tuple[float, float] = (0.0, 0.0)
    """From when to when that was [s]."""

    def add(self, energy: Floats, t: float) -> None:
        """Count a frame at time t [s]. What is moved out of an overlap rises without moving: that does not count."""
        change = 0.0 if self.energy is None else float(energy.sum() - self.energy.sum())
        if self.energy is not None and change > 0.0:
            change = min(change, max(float(energy[0] - self.energy[0]), 0.0))
        self.now, self.energy = max(self.now + change, 0.0), energy
        if self.now == 0.0:
            self.since = t
        self.liveliest = max(self.liveliest, float(energy[0]))
        if self.now > self.most * self.liveliest:
            self.most, self.span = self.now / self.liveliest, (self.since, t)


@dataclass
class Tally:
    """Counts over the steps of a run."""

    steps: dict[str, int] = field(default_factory=dict)
    """Number of steps by the solver that did them."""
    solves: int = 0
    iterations: int = 0
    most: int = 0
    """Iterations of the longest solve."""
    residual: float = 0.0
    """Largest position error of the constraints, as a fraction of the scene's size."""
    dry: DryTally = field(default_factory=DryTally)
    divided: int = 0
    """Steps that were divided (`integrators/divide.py`)."""
    most_parts: int = 1
    """Into how many parts at most."""
    cause: str = ""
    """Why that was, and when."""
    growth: Growth = field(default_factory=Growth)

    def add(self, latest: StepReport | TreeSteps | Taken, t: float = 0.0) -> None:
        """Count a step, or steps, that ended at time t [s]."""
        if isinstance(latest, StepReport):
            self._add(latest, t)
            return
        if isinstance(latest, Taken):
            h, n = latest.run.options.h, len(latest)
            for i in range(n):
                self._add(latest.summary(i), t - (n - 1 - i) * h)
            self.dry.deepest = max(self.dry.deepest, latest.deepest)
            return
        n, solves = len(latest.counts), 1 + latest.run.options.corrections
        self.steps[TREE] = self.steps.get(TREE, 0) + n
        self.solves += n * solves
        self.iterations += n * solves
        self.most = max(self.most, 1)
        self.residual = max(
            self.residual, float(latest.counts[:, 3].max()) / latest.run.model.constraints.size
        )
        if latest.run.model.friction is not None:
            loops = latest.run.loops is not None
            self.dry.add_steps(latest.counts[:, :3], latest.asleep, loops, t)

    def _add(self, report: StepReport, t: float) -> None:
        self.steps[report.solver] = self.steps.get(report.solver, 0) + 1
        self.solves += len(report.iterations)
        self.iterations += sum(report.iterations)
        self.most = max(self.most, *report.iterations) if report.iterations else self.most
        self.residual = max(self.residual, report.residual)
        self.divided += report.parts > 1
        if report.parts > self.most_parts:
            self.most_parts, self.cause = report.parts, f"{report.cause} at t = {t:.4g} s"
        if report.dry is not None:
            self.dry.add(report.dry, t)

    def summary(self) -> dict[str, Any]:
        """For a report: solvers, iterations a solve, and the residual; empty when no step reported."""
        if not self.steps:
            return {}
        return {
            "steps_by_solver": self.steps,
            "solves": self.solves,
            "iterations_mean": self.iterations / max(self.solves, 1),
            "iterations_max": self.most,
            "constraint_residual": self.residual,
            **self.dry.summary(),
            "divided_steps": self.divided,
            "energy_growth": self.growth.most,
            "remarks": self.remarks(),
        }

    def remarks(self) -> list[str]:
        """What a user should know of a run that came to its end, and what to do about it."""
        said = []
        if self.divided:
            said.append(
                f"{self.cause}: {_steps(self.divided)} divided, into up to {self.most_parts} parts. "
                "Use more substeps, or masses that differ less."
            )
        if self.growth.most > GROWN:
            begin, end = self.growth.span
            said.append(
                f"energy came out of nothing from t = {begin:.4g} s to {end:.4g} s: {self.growth.most:.0%} of the "
                "most that was in motion. Use more substeps, or euler-midway."
            )
        if self.dry.unsettled:
            said.append(
                f"friction and contacts: {_steps(self.dry.unsettled)} left unsettled, the worst at "
                f"t = {self.dry.worst:.4g} s with a residual of {self.dry.residual:.2g}. "
                "Use more substeps, or masses that differ less."
            )
        return said


def _steps(count: int) -> str:
    return "1 step was" if count == 1 else f"{count} steps were"


def constraint_forces(model: Model, report: StepReport | None, h: float) -> Floats:
    """Size of the force, or torque, that each constraint exerted over the last step [N, N·m], shape (nc,)."""
    out: Floats = np.zeros(len(model.constraints.names))
    if report is None or report.rows is None or report.impulse is None:
        return out
    of_constraint = report.rows.owner >= 0
    force = report.impulse[of_constraint] / (h * report.share)
    np.add.at(out, report.rows.owner[of_constraint], force**2)
    return np.asarray(np.sqrt(out))


def contact_forces(report: StepReport | None, h: float) -> Floats:
    """Points where surfaces pressed on each other over a step of h [s], and the force there [m, N], shape (nc, 6)."""
    if report is None or report.dry is None:
        return np.zeros((0, 6))
    dry = report.dry
    if dry.contacts is None or not len(dry.impulse):
        return np.zeros((0, 6))
    presses = np.any(dry.impulse != 0.0, axis=1) & (dry.contacts.pair[:, 0] >= 0)  # not ropes
    middle = dry.contacts.x.mean(axis=1)
    return np.asarray(np.concatenate([middle, dry.impulse / (h * report.share)], axis=1)[presses])
