"""Runs that a search tries: what they gave, the best so far, and when it is to end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ...errors import FAILURES
from ...model.records import Floats
from ..problem import Evaluation, Problem

FAILED = 10.0
"""A run that diverges counts as this times the worst objective so far, so that the search steps back from it."""


@dataclass
class Start:
    """What one search found."""

    initial: Floats
    objective: float
    values: Floats
    message: str
    evaluations: int


@dataclass
class Search:
    """A search under way, or done."""

    best: Evaluation | None = None
    status: str = "running"
    """running, converged, stopped or cancelled."""
    history: list[float] = field(default_factory=list)
    """The least objective after each evaluation."""
    starts: list[Start] = field(default_factory=list)
    failures: int = 0
    """Evaluations whose run diverged."""


class CancelledError(Exception):
    """The search is to end."""


class EnoughError(Exception):
    """The objective is as small as it has to be."""


Watch = Callable[[Search], bool | None]
"""Called after each evaluation; True cancels the search."""


class Trials:
    """The runs of one start. Values are in scales: as the search has them."""

    def __init__(self, problem: Problem, found: Search, watch: Watch | None) -> None:
        self.problem, self._found, self._watch = problem, found, watch
        self.count, self.best = 0, np.inf
        self.values: Floats = problem.parameters.initial
        """Those of the best, not in scales."""
        self._worst = 1.0
        self._residuals = 0

    @property
    def scale(self) -> Floats:
        return self.problem.parameters.scale

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        p = self.problem.parameters
        return p.lower / p.scale, p.upper / p.scale

    def gradient(self, x: Floats) -> tuple[float, Floats]:
        """The objective, and its gradient."""
        found = self._try(lambda: self.problem.evaluate(x * self.scale))
        if found is None:
            return FAILED * self._worst, np.zeros_like(x)
        return found.objective, found.gradient * self.scale

    def objective(self, x: Floats) -> float:
        """The objective alone."""
        found = self._try(lambda: self.problem.measure(x * self.scale))
        return FAILED * self._worst if found is None else found.objective

    def residuals(self, x: Floats) -> Floats:
        """What is squared and halved in it."""
        kept: list[Floats] = []

        def measure() -> Evaluation:
            found, residuals = self.problem.residuals(x * self.scale)
            kept.append(residuals)
            return found

        if self._try(measure) is None:
            return np.full(self._residuals, np.sqrt(2.0 * FAILED * self._worst / max(self._residuals, 1)))
        self._residuals = len(kept[0])
        return kept[0]

    def _try(self, measure: Callable[[], Evaluation]) -> Evaluation | None:
        """What a run gave; null where it diverged."""
        found = self._found
        self.count += 1
        try:
            e = measure()
        except FAILURES:
            if found.best is None:
                raise  # not even where it begins
            found.failures += 1
            return None
        self._worst = max(self._worst, abs(e.objective))
        if e.objective < self.best:
            self.best, self.values = e.objective, e.values
        if found.best is None or e.objective < found.best.objective:
            found.best = e
        found.history.append(found.best.objective)
        if self._watch is not None and self._watch(found):
            raise CancelledError
        enough = self.problem.task.enough
        if enough is not None and found.best.objective <= enough:
            raise EnoughError
        return e
