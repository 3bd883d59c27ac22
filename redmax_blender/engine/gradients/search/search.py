"""The search for the parameters of a task, from several starts; the best so far is kept."""

from __future__ import annotations

import numpy as np

from ...model.records import Floats
from ..problem import Problem
from .methods import LIMIT, along_gradients, by_evolution, by_least_squares
from .trials import CancelledError, EnoughError, Search, Start, Trials, Watch

__all__ = ["Search", "Start", "Watch", "search"]


def search(problem: Problem, watch: Watch | None = None, begin: Floats | None = None) -> Search:
    """Minimise the task's objective, from its initial values, or those that it is to begin with, and then from random
    ones."""
    found = Search()
    task = problem.task
    rng = np.random.default_rng(task.seed)
    method = {"l-bfgs-b": along_gradients, "least-squares": by_least_squares, "cma-es": by_evolution}[
        task.method
    ]
    try:
        for k in range(1 + task.restarts):
            initial = problem.parameters.initial if begin is None else begin
            if k:
                initial = problem.parameters.drawn(task.spread, rng)
            trials = Trials(problem, found, watch)
            message = method(trials, initial, task.seed + k)
            found.starts.append(Start(initial, trials.best, trials.values, message, trials.count))
    except EnoughError:
        found.status = "converged"
        return found
    except (CancelledError, KeyboardInterrupt):
        found.status = "cancelled"
        return found
    lucky = min(found.starts, key=lambda s: s.objective)
    found.status = "stopped" if lucky.message == LIMIT else "converged"
    return found
