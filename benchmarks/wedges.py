"""Wedges: 64 falls of a figure on a Dask cluster of this machine's cores, against as many plain processes.

    python -m redmax_blender bench wedges

Both begin with kernels compiled. The second row has two of the workers killed on the way: every run must be there, and
its frames be those of a run by hand to the last byte.
"""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import psutil
from msgspec.structs import replace

from redmax_blender.engine.shots import ragdoll
from redmax_blender.wedges.cluster import run_all
from redmax_blender.wedges.folder import Plan, prepare, read_report
from redmax_blender.wedges.one_run import run_one
from redmax_blender.wedges.variants import Vary, variants

from .timing import Row

RUNS = 64
SECONDS = 4.0
"""Of the fall."""


def rows() -> Iterator[Row]:
    cores = os.cpu_count() or 1
    varied = [Vary("bodies.*.surface.friction", [0.1 * i for i in range(1, 9)])]
    plan = Plan(varied=varied, jolt=0.05, runs=variants(varied, RUNS // 8))
    numbers = [run.number for run in plan.runs]
    spec = ragdoll.spec()
    spec = replace(spec, time=replace(spec.time, end=SECONDS))
    with tempfile.TemporaryDirectory() as temporary:
        folders = {name: Path(temporary) / name for name in ("warm", "hand", "cluster", "killed")}
        for folder in folders.values():
            prepare(folder, spec, plan)
        run_one(str(folders["warm"]), 1)
        hand = _timed(partial(_by_hand, folders["hand"], numbers, cores))
        for name, deaths in (("cluster", ()), ("killed", (10, 40))):
            wall = _timed(partial(_on_cluster, folders[name], numbers, cores, deaths))
            alike = all(_bytes(folders[name], n) == _bytes(folders["hand"], n) for n in numbers)
            note = "" if alike else "FRAMES DIFFER from those of runs by hand"
            yield {
                "bench": "wedges",
                "case": f"two workers killed of {cores}" if deaths else f"{cores} workers",
                "n": RUNS,
                "ours_s": wall,
                "rival": f"{cores} plain processes",
                "rival_s": hand,
                "ratio": hand / wall,
                **({"note": note} if note else {}),
            }


def _timed(call: Any) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def _by_hand(folder: Path, numbers: Sequence[int], cores: int) -> None:
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as pool:
        list(pool.map(partial(run_one, str(folder)), numbers))


def _on_cluster(folder: Path, numbers: Sequence[int], cores: int, deaths: Sequence[int]) -> None:
    told: list[int] = []

    def watch(report: dict[str, Any]) -> None:
        told.append(report["number"])
        if len(told) in deaths:
            children = psutil.Process().children(recursive=True)
            next(c for c in children if "spawn_main" in " ".join(c.cmdline())).send_signal(signal.SIGKILL)

    run_all(folder, numbers, watch, cores)
    assert sorted(told) == sorted(numbers), "every run is told of once"


def _bytes(folder: Path, number: int) -> bytes:
    report = read_report(folder, number)
    assert report is not None
    return (folder / report["frames_file"]).read_bytes()
