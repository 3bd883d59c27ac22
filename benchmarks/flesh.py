"""Cost of a step of bones and flesh together against the size of the cage: the Starfish in finer and finer cages.

Times are of one processor, whatever else it does meanwhile.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.integrators.euler import EulerSteps, euler
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.shots.starfish import Starfish, spec

from .table2 import in_one_thread, print_rows
from .timing import Row, race, row

BENCH = "flesh"
CAGES = (110, 221, 480, 1000, 2100, 5400)
"""Vertices; about 200 to 20,000 tetrahedra."""
STEP = 1.0 / 96.0
"""[s]; four a frame."""
SETTLED = 36
"""Steps before the first that is timed: it stands up."""
MOST_DIRECT = 6000
"""Vertices up to which the factor is timed."""
WANTED = 1.3


@dataclass(frozen=True)
class Timed:
    tets: int
    seconds: dict[str, float]
    """Of a step, by solver [s]."""
    iterations: float
    """Of PCG, mean a solve."""


def rows() -> Iterator[Row]:
    yield from in_one_thread(f"{__package__}.flesh")


def _rows() -> Iterator[Row]:
    yield shot_row()
    timed = []
    for vertices in CAGES:
        timed.append(time_cage(vertices))
        best = min(s for name, s in timed[-1].seconds.items() if name != "auto")
        note = (
            f"{vertices} vertices wanted; PCG {timed[-1].iterations:.0f} iterations; "
            f"auto {timed[-1].seconds['auto'] / best:.2f} of the better"
        )
        yield row(
            BENCH,
            "PCG, a step",
            timed[-1].tets,
            timed[-1].seconds["pcg"],
            "direct",
            timed[-1].seconds.get("direct"),
            note,
        )
    yield exponent_row(timed)


def shot_row() -> Row:
    """The whole shot, against the time that it lasts. The best time of every step counts, of three runs."""
    scene = spec()
    model, steps = compile_scene(scene), round(scene.time.end / scene.time.step)
    best = np.full(steps, np.inf)
    for _ in range(3):
        run = euler(model, model.initial_state(), Options(h=scene.time.step))
        for n in range(steps):
            begin = time.process_time()
            next(run)
            best[n] = min(best[n], time.process_time() - begin)
    note = f"240 frames, {steps} steps of {1e3 * best.mean():.2f} ms; bake and checks apart"
    assert model.flesh is not None
    return row(
        BENCH,
        "starfish, the shot",
        model.flesh.tets.nt,
        float(best.sum()),
        "its length",
        scene.time.end,
        note,
    )


def time_cage(vertices: int) -> Timed:
    """A step by every solver, and how many iterations PCG takes."""
    model = compile_scene(spec(Starfish(cage_vertices=vertices)))
    assert model.flesh is not None
    solvers = ["auto", "pcg"] + (["direct"] if vertices <= MOST_DIRECT else [])
    runs = {solver: _standing_up(model, solver) for solver in solvers}
    seconds = race({solver: run.__next__ for solver, run in runs.items()}, 2.0, time.process_time)
    iterations = []
    for _ in range(5):
        next(runs["pcg"])
        iterations += runs["pcg"].memory.report.iterations
    return Timed(model.flesh.tets.nt, seconds, float(np.mean(iterations)))


def _standing_up(model: Model, solver: str) -> EulerSteps:
    run = euler(model, model.initial_state(), Options(h=STEP, solver=solver))
    for _ in range(SETTLED):
        next(run)
    return run


def exponent_row(timed: list[Timed]) -> Row:
    x, y = np.log([(t.tets, t.seconds["auto"]) for t in timed]).T
    found = float(np.polyfit(x, y, 1)[0])
    note = f"{found:.2f} from {timed[0].tets} to {timed[-1].tets} tetrahedra, wanted: below {WANTED}"
    empty = {"ours_s": None, "rival": "", "rival_s": None, "ratio": None}
    return {
        "bench": BENCH,
        "case": "exponent of auto",
        "n": timed[-1].tets,
        **empty,
        "note": note,
        "exponent": found,
    }


if __name__ == "__main__":
    print_rows(_rows)
