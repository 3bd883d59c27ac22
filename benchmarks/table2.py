"""The experiment of the paper's Table 2: a second of a scene with each linear solver, at growing sizes.

Everything runs in one thread, LAPACK too: on a machine that is busy, its threads wait for each other.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from redmax_blender.engine.integrators.euler import euler
from redmax_blender.engine.model.records import Floats, Model
from redmax_blender.engine.model.state import Options

from .timing import Row, row

STEP = 0.01
"""[s], as published."""
SPAN = 1.0
"""Simulated time of a measurement [s]."""
SECONDS = 4.0
"""Time to spend on the repeats of one solver [s]."""
LARGEST_DIRECT = 1300
"""Coordinates up to which the direct solver is run."""


def in_one_thread(module: str) -> Iterator[Row]:
    """The rows that `module`, run as a program, prints by `print_rows`."""
    one = dict.fromkeys(
        ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
    )
    command = [sys.executable, "-m", module]
    root = Path(__file__).resolve().parents[1]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=os.environ | one, cwd=root
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            yield json.loads(line)
    if process.returncode:
        raise RuntimeError(f"{module} ended with exit code {process.returncode}")


def print_rows(rows: Callable[[], Iterable[Row]]) -> None:
    for line in rows():
        print(json.dumps(line), flush=True)


@dataclass
class Run:
    steps: Floats
    """Wall time of every step [s]."""
    iterations: list[int]
    """Of every solve."""


def simulate(model: Model, solver: str, span: float = SPAN, stabilisation: float | None = None) -> Run:
    """A span of simulated time [s] from the scene's start.

    stabilisation: as in `Options`; null for positions that are projected, which is the engine's default.
    """
    run = euler(model, model.initial_state(), Options(h=STEP, solver=solver, stabilisation=stabilisation))
    times, iterations = [], list[int]()
    for _ in range(round(span / STEP)):
        begin = time.perf_counter()
        next(run)
        times.append(time.perf_counter() - begin)
        iterations += run.memory.report.iterations
    return Run(np.array(times), iterations)


def race(
    model: Model, solvers: Collection[str], span: float = SPAN, stabilisation: float | None = None
) -> dict[str, float]:
    """Wall time of a span by each solver [s], run in turns, each as often as `SECONDS` allow.

    A run takes the same steps every time, and noise only ever adds: the best time of every step counts.
    """
    for solver in solvers:
        simulate(model, solver, STEP, stabilisation)  # compiles what is new
    first = {solver: simulate(model, solver, span, stabilisation).steps for solver in solvers}
    turns = {solver: int(np.clip(SECONDS / times.sum(), 1, 30)) for solver, times in first.items()}
    best = {solver: np.full_like(times, np.inf) for solver, times in first.items()}
    for turn in range(max(turns.values())):
        for solver in best:
            if turn < turns[solver]:
                best[solver] = np.minimum(best[solver], simulate(model, solver, span, stabilisation).steps)
    return {solver: float(times.sum()) for solver, times in best.items()}


@dataclass(frozen=True)
class Measured:
    n: int
    """Coordinates."""
    iterations: float
    """Mean number of PCG iterations a solve."""
    seconds: dict[str, float]
    """Wall time of the span by solver [s]."""


def measure(model: Model, stabilisation: float | None) -> Measured:
    solvers = ["pcg", "auto"] + (["direct"] if model.nr <= LARGEST_DIRECT else [])
    seconds = race(model, solvers, SPAN, stabilisation)
    iterations = simulate(model, "pcg", SPAN, stabilisation).iterations
    return Measured(model.nr, float(np.mean(iterations)), seconds)


def solver_row(bench: str, case: str, m: Measured) -> Row:
    """PCG against the direct solver, with what `auto` makes of it."""
    best = min(s for name, s in m.seconds.items() if name != "auto")
    note = f"{m.iterations:.2f} iterations a solve; auto {m.seconds['auto'] / best:.2f} of the better"
    line = row(bench, case, m.n, m.seconds["pcg"], "direct", m.seconds.get("direct"), note)
    return line | {
        "iterations": m.iterations,
        "auto_s": m.seconds["auto"],
        "auto_over_best": m.seconds["auto"] / best,
    }


def exponent(measured: Iterable[Measured], solver: str) -> float:
    """Of wall time in the number of coordinates, by least squares on logarithms."""
    points = [(m.n, m.seconds[solver]) for m in measured if solver in m.seconds]
    x, y = np.log(points).T
    return float(np.polyfit(x, y, 1)[0])


def exponent_rows(bench: str, measured: list[Measured], wanted: float) -> Iterator[Row]:
    for solver in ("pcg", "direct"):
        sizes = [m.n for m in measured if solver in m.seconds]
        found = exponent(measured, solver)
        goal = f", wanted: {wanted} at most" if solver == "pcg" else ""
        note = f"{found:.2f} from {sizes[0]} to {sizes[-1]}{goal}"
        yield {
            "bench": bench,
            "case": f"exponent of {solver}",
            "n": sizes[-1],
            "ours_s": None,
            "rival": "",
            "rival_s": None,
            "ratio": None,
            "exponent": found,
            "note": note,
        }
