"""The search for what meets the goals: in this process, or in one of its own that can be ended at any moment."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import Empty, Queue
from threading import Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import InputError
from ...engine.scene import SceneSpec
from ...engine.scene.file import encode_scene


@dataclass(frozen=True)
class Found:
    """The best so far."""

    objective: float
    first: float
    """The objective at the beginning."""
    values: list[float]
    runs: int
    terms: dict[str, float] = field(default_factory=dict)
    """What each objective adds, by its name."""
    ghost: list[float] = field(default_factory=list)
    """How it looks, three numbers [m] a point, two points a line; empty for as before."""


SECONDS_PER_GHOST = 0.5
"""A new one takes a simulation."""


def solve_here(scene: SceneSpec, watch: Callable[[Found], None], ghosts: bool = False) -> Found:
    """Search in this process; `watch` is told after every step of the search, from time to time with a ghost of the
    best."""
    from ...engine.gradients.problem import Problem
    from ...engine.gradients.search.ghost import ghost
    from ...engine.gradients.search.search import Search, search

    problem = Problem(scene)
    first: list[float] = []
    latest: list[Found] = []
    seen = (np.inf, -np.inf)
    """The objective of the last ghost, and when it was."""

    def tell(state: Search) -> None:
        assert state.best is not None
        if not first:
            first.append(state.best.objective)
        nonlocal seen
        best, lines = state.best, []
        if ghosts and best.objective < seen[0] and time.monotonic() - seen[1] > SECONDS_PER_GHOST:
            lines = [float(x) for x in ghost(problem, best.values).ravel()]
            seen = (best.objective, time.monotonic())
        values = [float(x) for x in best.values]
        latest[:] = [Found(best.objective, first[0], values, problem.simulations, best.terms, lines)]
        watch(latest[0])

    search(problem, tell)
    return latest[0]


class SolveProcess:
    """A search in a process of its own; `found` is the best that has arrived."""

    def __init__(self, scene: SceneSpec) -> None:
        from ..run.engine_process import start_process

        self.found: Found | None = None
        self.ghost: NDArray[np.float64] | None = None
        """The last that has arrived, segments [m]."""
        self._lines: Queue[dict[str, Any] | None] = Queue()
        self._process = start_process("goals.worker")
        Thread(target=self._write, args=(encode_scene(scene),), daemon=True).start()
        Thread(target=self._read, daemon=True).start()

    def _write(self, data: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(data)
            self._process.stdin.close()
        except OSError:  # it has ended, and says why
            pass

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(json.loads(line))
        self._lines.put(None)

    def advance(self) -> bool:
        """Take what has arrived; False at the end. Raises InputError with what went wrong."""
        while True:
            try:
                message = self._lines.get_nowait()
            except Empty:
                return True
            if message is None:
                raise InputError(
                    "Goals", "the search ended unexpectedly", "See the system console for the reason."
                )
            if "error" in message:
                self.stop()
                raise InputError("Goals", message["error"].rstrip("."), "Change the goals or the scene.")
            if "end" in message:
                self.stop()
                return False
            self.found = Found(**message)
            if self.found.ghost:
                self.ghost = np.array(self.found.ghost).reshape(-1, 2, 3)

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
