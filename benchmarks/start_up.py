"""From the command to the first step: with an empty cache of kernels, with a warm one, and the imports alone.

Each is a process of its own; the rival is the time that we allow ourselves.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from redmax_blender.engine.scene.file import encode_scene
from tests.engine.random_trees import random_scene

from .timing import Row, row

BENCH = "start-up"
ROOT = Path(__file__).resolve().parents[1]
COLD, WARM = 40.0, 2.0
"""Allowed [s]: the first time ever, and afterwards."""
INTEGRATORS = ("euler", "bdf2", "rk-recursive")
KINDS = ("revolute", "spherical", "universal", "prismatic", "free")
LIMIT = 600.0
"""A process that takes longer than this [s] has failed."""


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="redmax-start-up-") as folder:
        scene = Path(folder) / "scene.json"
        scene.write_bytes(encode_scene(random_scene(np.random.default_rng(0), 10, KINDS)))
        imports = [sys.executable, "-c", "import redmax_blender.engine.run.simulate"]
        _run(imports, folder)  # compiles the modules to bytecode
        yield _row("imports alone", min(_run(imports, folder) for _ in range(5)), "allowed, warm", WARM)
        for integrator in INTEGRATORS:
            cache = Path(folder) / integrator
            one_step = [
                sys.executable, "-m", "redmax_blender", "run", str(scene), "--until", "0.001", "--h", "0.001",
                "--integrator", integrator,
            ]  # fmt: skip
            yield _row(f"{integrator}, empty cache", _run(one_step, cache), "allowed, cold", COLD)
            best = min(_run(one_step, cache) for _ in range(5))
            yield _row(f"{integrator}, warm cache", best, "allowed, warm", WARM)


def _row(case: str, times: tuple[float, float], budget: str, allowed: float) -> Row:
    wall, processor = times
    return row(BENCH, case, 1, wall, budget, allowed, f"{processor:.1f} s of processor time")


def _run(command: list[str], cache: str | Path) -> tuple[float, float]:
    """Wall time and processor time [s] of a process whose kernels are kept in a folder."""
    environment = {**os.environ, "REDMAX_CACHE": str(cache)}
    begin, before = time.perf_counter(), os.times()
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=LIMIT)
    wall, after = time.perf_counter() - begin, os.times()
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
    processor = after.children_user + after.children_system - before.children_user - before.children_system
    return wall, processor
