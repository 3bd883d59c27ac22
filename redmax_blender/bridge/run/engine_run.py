"""Where the engine runs: in this process, or in one of its own, which stays ready (`engine_process`).

A Blender with a window uses a process of its own. The window stays alive while kernels compile, which takes up to a
minute after installation; a run can be stopped at any moment; and LLVM, with which Numba compiles, never meets the
LLVM that Linux graphics drivers bring into Blender's process: the two do not get along, and Blender would crash.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...engine import errors
from ...engine.scene import SceneSpec
from .engine_process import engine

if TYPE_CHECKING:
    from ..recording.figures import FigureLog


class Shown(Protocol):
    """What a run yields: a frame of the engine, or what is left of it after a pipe."""

    @property
    def joint_pose(self) -> NDArray[np.float64]: ...

    @property
    def x(self) -> NDArray[np.float64]: ...


@dataclass(frozen=True)
class Arrived:
    """A frame from another process."""

    joint_pose: NDArray[np.float64]
    """World pose of each joint's frame, shape (nj, 12)."""
    x: NDArray[np.float64]
    """Positions of the vertices of flesh [m], shape (nv, 3)."""
    figures: dict[str, Any]
    """What `frame_figures` says of it."""


def run_here(
    spec: SceneSpec,
    folder: Path | None = None,
    since: tuple[str, int] | None = None,
    log: FigureLog | None = None,
) -> tuple[str, Iterator[Shown]]:
    """The run's key and its frames, simulated as they are asked for; as for `ProcessRun`."""
    # The engine loads Numba, which takes a moment: when it is first needed, not when Blender starts.
    from ..recording.stored_run import Since, StoredRun

    run = StoredRun(spec, folder, None if since is None else Since(*since))
    if log is not None:
        log.dof, log.tally = run.model.joints.dof, run.tally
    return run.key, iter(run)


class ProcessRun:
    """A run in the engine's own process, as an iterator over what has arrived: a frame, or None while there is none.

    The process writes its frames into the folder, and begins with those that are there already. With `since`, the path
    of the frames of an earlier run and the number of one of them, it keeps those up to that one. Raises what the
    engine raised there.
    """

    def __init__(
        self, spec: SceneSpec, folder: Path | None = None, since: tuple[str, int] | None = None
    ) -> None:
        self.key = ""
        self.dof = np.zeros((0, 2), np.int64)
        """Which coordinates each joint owns. Both are known from the first frame on."""
        about = {} if since is None else {"since": since[0], "frame": since[1]}
        self.job = engine.ask("run", spec, folder="" if folder is None else str(folder), **about)

    def __iter__(self) -> ProcessRun:
        return self

    def __next__(self) -> Arrived | None:
        heard = engine.hear(self.job)
        if heard is None:
            return None
        message, payload = heard
        if "key" in message:
            self.key, self.dof = message["key"], np.array(message["dof"], np.int64).reshape(-1, 2)
            return None
        if "frame" in message:
            numbers, poses = np.frombuffer(payload, dtype=np.float64), 12 * message["joints"]
            x = numbers[poses:].reshape(-1, 3)
            return Arrived(numbers[:poses].reshape(-1, 12), x, message["figures"])
        if "error" in message:
            raise rebuilt(message)
        raise StopIteration

    def stop(self) -> None:
        """No more frames are wanted; harmless when it has ended."""
        engine.stop(self.job)


def rebuilt(message: dict[str, Any]) -> Exception:
    """The exception that was raised in the other process, with its attributes and its text."""
    kind = getattr(errors, message["error"])
    error: Exception = kind.__new__(kind, message["text"])
    error.args = (message["text"],)
    vars(error).update(message["state"])
    return error
