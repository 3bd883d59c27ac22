"""The search for the parameters of a task: L-BFGS-B with bounds, from several starts; the best so far is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..errors import FAILURES
from ..model.records import Floats
from .problem import Evaluation, Problem

_FAILED = 10.0
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


class _CancelledError(Exception):
    pass


Watch = Callable[[Search], bool | None]
"""Called after each evaluation; True cancels the search."""


def search(problem: Problem, watch: Watch | None = None) -> Search:
    """Minimise the task's objective, from its initial values and then from random ones."""
    found = Search()
    task = problem.task
    rng = np.random.default_rng(task.seed)
    try:
        for k in range(1 + task.restarts):
            initial = problem.parameters.initial
            if k:
                spread = task.spread * problem.parameters.scale * rng.uniform(-1.0, 1.0, len(initial))
                initial = np.clip(initial + spread, problem.parameters.lower, problem.parameters.upper)
            _from(problem, initial, found, watch)
    except (_CancelledError, KeyboardInterrupt):
        found.status = "cancelled"
        return found
    lucky = min(found.starts, key=lambda s: s.objective)
    found.status = "stopped" if "LIMIT" in lucky.message.upper() else "converged"
    return found


def _from(problem: Problem, initial: Floats, found: Search, watch: Watch | None) -> None:
    from scipy.optimize import minimize  # a tenth of a second

    scale, task = problem.parameters.scale, problem.task
    worst, count = 1.0, 0

    def evaluate(p: Floats) -> tuple[float, Floats]:
        nonlocal worst, count
        count += 1
        try:
            e = problem.evaluate(p * scale)
        except FAILURES:
            if found.best is None:
                raise  # not even where it begins
            found.failures += 1
            return _FAILED * worst, np.zeros_like(p)
        worst = max(worst, abs(e.objective))
        if found.best is None or e.objective < found.best.objective:
            found.best = e
        found.history.append(found.best.objective)
        if watch is not None and watch(found):
            raise _CancelledError
        return e.objective, e.gradient * scale

    bounds = np.stack([problem.parameters.lower / scale, problem.parameters.upper / scale], axis=1)
    result = minimize(
        evaluate, initial / scale, jac=True, method="L-BFGS-B", bounds=bounds,
        options={
            "maxiter": task.iterations, "maxfun": 20 * task.iterations, "ftol": task.tolerance, "gtol": 1e-14,
            "maxcor": 20,
        },
    )  # fmt: skip
    found.starts.append(Start(initial, float(result.fun), result.x * scale, str(result.message), count))
