"""The experiment of the paper's Table 2: a second of a scene with each linear solver, at growing sizes.

Everything runs in one thread, LAPACK too: on a machine that is busy, its threads wait for each other.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from redmax_blender.engine.integrators.euler import euler
from redmax_blender.engine.model import Model, Options

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


def simulate(
    model: Model, solver: str, span: float = SPAN, stabilisation: float | None = None
) -> tuple[float, list[int]]:
    """Wall time [s] of a span from the scene's start, and the iterations of every solve in it.

    stabilisation: as in `Options`; null for positions that are projected, which is the engine's default.
    """
    steps = euler(model, model.initial_state(), Options(h=STEP, solver=solver, stabilisation=stabilisation))
    iterations: list[int] = []
    begin = time.perf_counter()
    for _ in range(round(span / STEP)):
        next(steps)
        iterations += steps.memory.report.iterations
    return time.perf_counter() - begin, iterations


@dataclass
class Measured:
    n: int
    """Coordinates."""
    iterations: float
    """Mean number of PCG iterations a solve."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Best wall time of the span by solver [s]."""


def measure(model: Model, stabilisation: float | None) -> Measured:
    """All solvers in turns, as often as `SECONDS` allow: noise only ever adds, so that the best counts."""

    def run(solver: str, span: float = SPAN) -> tuple[float, list[int]]:
        return simulate(model, solver, span, stabilisation)

    solvers = ["pcg", "auto"] + (["direct"] if model.nr <= LARGEST_DIRECT else [])
    for solver in solvers:
        run(solver, 2 * STEP)
    seconds, iterations = run("pcg")
    found = Measured(model.nr, float(np.mean(iterations)), {"pcg": seconds})
    turns = {s: max(1, min(20, int(SECONDS / run(s, 0.1 * SPAN)[0] / 10))) for s in solvers}
    for turn in range(max(turns.values())):
        for solver in solvers:
            if turn < turns[solver]:
                found.seconds[solver] = min(found.seconds.get(solver, np.inf), run(solver)[0])
    return found


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
