"""Ways to search, each a library's. They try values in scales, from an initial point, and say why they have ended."""

from __future__ import annotations

import warnings

import numpy as np

from ...model.records import Floats
from .trials import Trials

LIMIT = "all steps of the search are done"
"""Why a search ends that might have gone on."""
_ALIKE = 1e-9
"""Spread of the values drawn, in scales, below which they are all the same."""


def along_gradients(trials: Trials, initial: Floats, _seed: int) -> str:
    """L-BFGS-B of SciPy, with bounds."""
    from scipy.optimize import minimize  # a tenth of a second

    task = trials.problem.task
    result = minimize(
        trials.gradient, initial / trials.scale, jac=True, method="L-BFGS-B", bounds=np.stack(trials.bounds, axis=1),
        options={
            "maxiter": task.iterations, "maxfun": 20 * task.iterations, "ftol": task.tolerance, "gtol": 1e-14,
            "maxcor": 20,
        },
    )  # fmt: skip
    return LIMIT if "LIMIT" in str(result.message).upper() else str(result.message)


def by_least_squares(trials: Trials, initial: Floats, _seed: int) -> str:
    """Trust regions of SciPy: how each of the things that are squared changes with the values is found by differences,
    a run for each of them."""
    from scipy.optimize import least_squares

    task = trials.problem.task
    low, high = trials.bounds
    inside = np.nextafter(low, np.inf), np.nextafter(high, -np.inf)
    result = least_squares(
        trials.residuals, np.clip(initial / trials.scale, *inside), bounds=(low, high),
        diff_step=trials.problem.distance, max_nfev=task.iterations, ftol=task.tolerance, xtol=1e-12, gtol=1e-14,
    )  # fmt: skip
    return LIMIT if result.status == 0 else str(result.message)


def by_evolution(trials: Trials, initial: Floats, seed: int) -> str:
    """CMA-ES: values are drawn at random about the best ones, and those that do well say where to draw next."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that nothing can be plotted
        import cma

    task = trials.problem.task
    low, high = trials.bounds
    if (
        len(initial) == 1
    ):  # a second number, which changes nothing, since the library has no room for one alone
        low, high, initial = np.append(low, -1.0), np.append(high, 1.0), np.append(initial, 0.0)
    first = initial / np.append(trials.scale, 1.0)[: len(initial)]
    options = {
        "bounds": [low, high],
        "seed": seed + 1,  # 0 stands for a random one
        "verbose": -9,
        "maxiter": task.iterations,
        "tolfun": 0.0,
        "tolfunhist": 0.0,
        "tolfunrel": task.tolerance,
        "tolx": _ALIKE,
    }
    search = cma.CMAEvolutionStrategy(first, task.spread / 3.0, options)
    while not search.stop():
        tried = search.ask()
        search.tell(tried, [trials.objective(np.asarray(x)[: len(trials.scale)]) for x in tried])
    return LIMIT if "maxiter" in search.stop() else ", ".join(search.stop())
