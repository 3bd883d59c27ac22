"""A live run as Blender sees it, in this process or in one of its own: frames come, and commands go.

Both kinds give the frames that there are since they were last asked, and take the same commands. In this process a
frame is made each time; apart, as many as have arrived.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic, perf_counter, sleep
from typing import Any, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from ...engine.errors import InputError
from ...engine.scene import Pull, SceneSpec
from ..inquire.told import Told
from .engine_process import engine
from .engine_run import rebuilt
from .live_worker import Asked, execute, inquired

Floats = NDArray[np.float64]
PATIENCE = 10.0
"""Seconds to wait for what was done to a live run, at its end."""


@dataclass(frozen=True)
class Shown:
    """One frame of a live run."""

    joint_pose: Floats
    """World pose of each joint's frame, shape (nj, 12)."""
    x: Floats
    """Positions of the vertices of flesh [m], shape (nv, 3)."""
    busy: float
    """Time that the engine took for it [s]."""
    told: Told | None = None
    """What was inquired."""


@dataclass(frozen=True)
class Done:
    """What was done to a live run."""

    pulls: list[Pull] = field(default_factory=list)
    notes: list[tuple[int, int]] = field(default_factory=list)
    """Number of each change, and the frame from which on it holds."""

    @staticmethod
    def of(message: dict[str, Any]) -> Done:
        return Done(
            msgspec.convert(message["take"], list[Pull]), [(int(n), int(f)) for n, f in message["notes"]]
        )


class Playing(Protocol):
    """What a live run can do."""

    refused: str
    """Why the last grab could not be; empty when it could."""

    def take(self) -> list[Shown]:
        """The frames since the last time, the start first. Raises what the engine raised."""

    def tell(self, command: dict[str, Any]) -> None:
        """Send a command, see `live_worker`."""

    def done(self, frames: int) -> Done:
        """What was done to it up to a frame."""

    def stop(self) -> None:
        """No more frames are wanted."""


class LiveHere:
    """A live run in this process, without a clock: one frame each time."""

    def __init__(self, spec: SceneSpec) -> None:
        from ...engine.run.live import LiveRun  # loads Numba, which takes a moment

        self.run = LiveRun(spec)
        self.begun = False
        self.refused = ""
        self.asked = Asked()

    def take(self) -> list[Shown]:
        begin = perf_counter()
        frame = self.run.advance() if self.begun else self.run.frame()
        self.begun = True
        busy = perf_counter() - begin
        return [Shown(frame.joint_pose, frame.x, busy, inquired(self.run, self.asked))]

    def tell(self, command: dict[str, Any]) -> None:
        try:
            self.refused = ""
            execute(self.run, command, self.asked)
        except InputError as error:
            self.refused = str(error)

    def done(self, frames: int) -> Done:
        said = execute(self.run, {"take": frames}, self.asked)
        assert said is not None
        return Done.of(said)

    def stop(self) -> None:
        pass


class LiveApart:
    """A live run in the engine's own process, at the pace of the clock."""

    def __init__(self, spec: SceneSpec) -> None:
        self.refused = ""
        self.job = engine.ask("live", spec)
        self.said: Done | None = None

    def take(self) -> list[Shown]:
        frames = []
        while (heard := engine.hear(self.job)) is not None:
            frame = self._frame(*heard)
            if frame is not None:
                frames.append(frame)
        return frames

    def tell(self, command: dict[str, Any]) -> None:
        self.refused = ""
        engine.tell(self.job, command)

    def done(self, frames: int) -> Done:
        """Raises what the engine raised; nothing was done where it does not answer any more."""
        engine.tell(self.job, {"take": frames})
        until = monotonic() + PATIENCE
        while self.said is None and monotonic() < until:
            self.take()
            sleep(0.005)
        return self.said or Done()

    def stop(self) -> None:
        engine.stop(self.job)

    def _frame(self, message: dict[str, Any], payload: bytes) -> Shown | None:
        if "error" in message:
            raise rebuilt(message)
        if "refused" in message:
            self.refused = message["refused"]
            return None
        if "take" in message:
            self.said = Done.of(message)
            return None
        if "end" in message:
            return None
        numbers, poses = np.frombuffer(payload, dtype=np.float64), 12 * message["joints"]
        told = Told.of(message["told"]) if "told" in message else None
        return Shown(numbers[:poses].reshape(-1, 12), numbers[poses:].reshape(-1, 3), message["busy"], told)


def grab(body: str, place: Sequence[float]) -> dict[str, Any]:
    """The command to take hold of a body at a place of the world [m]."""
    return {"grab": body, "at": [float(c) for c in place]}


def pull(place: Sequence[float]) -> dict[str, Any]:
    """The command to draw what is held to a place of the world [m]."""
    return {"pull": [float(c) for c in place]}


def ask(names: Sequence[str], axes: str) -> dict[str, Any]:
    """The command to tell what these parts feel, at each frame from now on."""
    return {"inquire": list(names), "axes": axes}


def change(values: dict[str, Any], note: int) -> dict[str, Any]:
    """The command to go on with other values, by their paths in the scene."""
    return {"set": values, "note": note}


LET_GO = {"let_go": True}
