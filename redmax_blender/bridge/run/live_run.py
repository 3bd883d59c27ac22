"""A live run as Blender sees it, in this process or in one of its own: frames come, and commands go.

Both kinds give the frames that there are since they were last asked, and take the same commands. In this process a
frame is made each time; apart, as many as have arrived.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from queue import Empty, Queue
from threading import Thread
from time import perf_counter
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import InputError
from ...engine.scene import SceneSpec
from ...engine.scene.file import encode_scene
from .engine_run import rebuilt, start_process
from .live_worker import execute

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Shown:
    """One frame of a live run."""

    joint_pose: Floats
    """World pose of each joint's frame, shape (nj, 12)."""
    x: Floats
    """Positions of the vertices of flesh [m], shape (nv, 3)."""
    busy: float
    """Time that the engine took for it [s]."""


class Playing(Protocol):
    """What a live run can do."""

    refused: str
    """Why the last grab could not be; empty when it could."""

    def take(self) -> list[Shown]:
        """The frames since the last time, the start first. Raises what the engine raised."""

    def tell(self, command: dict[str, Any]) -> None:
        """Send a command, see `live_worker`."""

    def stop(self) -> None:
        """No more frames are wanted."""


class LiveHere:
    """A live run in this process, without a clock: one frame each time."""

    def __init__(self, spec: SceneSpec) -> None:
        from ...engine.run.live import LiveRun  # loads Numba, which takes a moment

        self.run = LiveRun(spec)
        self.begun = False
        self.refused = ""

    def take(self) -> list[Shown]:
        begin = perf_counter()
        frame = self.run.advance() if self.begun else self.run.frame()
        self.begun = True
        return [Shown(frame.joint_pose, frame.x, perf_counter() - begin)]

    def tell(self, command: dict[str, Any]) -> None:
        try:
            self.refused = ""
            execute(self.run, command)
        except InputError as error:
            self.refused = str(error)

    def stop(self) -> None:
        pass


class LiveApart:
    """A live run in a process of its own, at the pace of the clock."""

    def __init__(self, spec: SceneSpec) -> None:
        self.refused = ""
        self._messages: Queue[tuple[dict[str, Any], bytes] | None] = Queue()
        self._commands: Queue[bytes | None] = Queue()
        self._process = start_process("run.live_worker")
        scene = encode_scene(spec)
        self._commands.put(json.dumps({"bytes": len(scene)}).encode() + b"\n" + scene)
        # Threads, because pipes block; they touch nothing but the pipes and the queues.
        Thread(target=self._write, daemon=True).start()
        Thread(target=self._read, daemon=True).start()

    def take(self) -> list[Shown]:
        frames = []
        with contextlib.suppress(Empty):
            while True:
                frame = self._frame(self._messages.get_nowait())
                if frame is not None:
                    frames.append(frame)
        return frames

    def tell(self, command: dict[str, Any]) -> None:
        self.refused = ""
        self._commands.put(json.dumps(command).encode() + b"\n")

    def stop(self) -> None:
        self._commands.put(None)
        self._process.kill()
        self._process.wait()

    def _frame(self, received: tuple[dict[str, Any], bytes] | None) -> Shown | None:
        if received is None:
            raise InputError(
                "Engine",
                f"its process ended unexpectedly (exit code {self._process.wait()})",
                "See the system console for the reason; starting again may help.",
            )
        message, payload = received
        if "error" in message:
            self.stop()
            raise rebuilt(message)
        if "refused" in message:
            self.refused = message["refused"]
            return None
        numbers, poses = np.frombuffer(payload, dtype=np.float64), 12 * message["joints"]
        return Shown(numbers[:poses].reshape(-1, 12), numbers[poses:].reshape(-1, 3), message["busy"])

    def _write(self) -> None:
        with contextlib.suppress(OSError), self._process.stdin as pipe:  # it may have died: `_read` finds out
            while (data := self._commands.get()) is not None:
                pipe.write(data)
                pipe.flush()

    def _read(self) -> None:
        with self._process.stdout as pipe:
            while line := pipe.readline():
                message = json.loads(line)
                self._messages.put((message, pipe.read(message["bytes"])))
        self._messages.put(None)


def grab(body: str, place: Sequence[float]) -> dict[str, Any]:
    """The command to take hold of a body at a place of the world [m]."""
    return {"grab": body, "at": [float(c) for c in place]}


def pull(place: Sequence[float]) -> dict[str, Any]:
    """The command to draw what is held to a place of the world [m]."""
    return {"pull": [float(c) for c in place]}


LET_GO = {"let_go": True}
