"""The search for what meets the goals: in this process, or in one of its own that can be ended at any moment."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, Queue
from threading import Thread
from typing import Any

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


def solve_here(scene: SceneSpec, watch: Callable[[Found], None]) -> Found:
    """Search in this process; `watch` is told after every step of the search."""
    from ...engine.gradients.problem import Problem  # loads Numba
    from ...engine.gradients.search import Search, search

    problem = Problem(scene)
    first: list[float] = []
    latest: list[Found] = []

    def tell(state: Search) -> None:
        assert state.best is not None
        if not first:
            first.append(state.best.objective)
        values = [float(x) for x in state.best.values]
        latest[:] = [Found(state.best.objective, first[0], values, problem.simulations)]
        watch(latest[0])

    search(problem, tell)
    return latest[0]


class SolveProcess:
    """A search in a process of its own; `found` is the best that has arrived."""

    def __init__(self, scene: SceneSpec) -> None:
        from ..run.engine_run import start_process

        self.found: Found | None = None
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

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
