"""A run of the engine whose frames are on disk as they come, and that goes on where an earlier one ended.

Loads the engine, and Numba with it. Needs no Blender.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...engine.compile.scene import compile_scene
from ...engine.errors import InputError
from ...engine.model.records import Model
from ...engine.run.checkpoint import Checkpoint
from ...engine.run.result import run_key
from ...engine.run.simulate import Frame, scene_options, simulate
from ...engine.run.tally import Tally
from ...engine.scene import SceneSpec
from .frame_file import FrameFile, StoredFrame, load_frames


@dataclass(frozen=True)
class Since:
    """A run that begins in the middle of an earlier one."""

    path: str
    """The frames of that run."""
    frame: int
    """The last one to keep, counted from the first."""


class StoredRun:
    """A run by its key, as an iterator over all its frames: those that are on disk, then those still to be found."""

    def __init__(
        self,
        spec: SceneSpec,
        folder: Path | None = None,
        since: Since | None = None,
    ) -> None:
        self.tally = Tally()
        self.spec = spec
        self.options = scene_options(spec)
        self.model = compile_scene(spec)
        self.key = run_key(spec, self.options)
        kept = [] if since is None else _kept(since, self.model)
        if since is not None:
            self.key = _key_since(self.key, kept)
        self.problem = ""
        """Why frames are not written, where they are not."""
        self.file: FrameFile | None = None
        if folder is not None:
            try:
                self.file = FrameFile(folder, self.key)
            except OSError as error:
                self.problem = f"the cache could not be written ({error}); choose another Cache folder"
        self.frames = self._run(kept)

    def __iter__(self) -> Iterator[StoredFrame]:
        return self.frames

    def _run(self, kept: list[StoredFrame]) -> Iterator[StoredFrame]:
        try:
            total = (
                round((self.spec.time.end - self.spec.time.start) / self.options.h) // self.spec.time.record
                + 1
            )
            if self.file is not None and self.file.count >= total:
                yield from self.file.stored()
                return
            saved = Checkpoint()
            found = None if self.file is None else self.file.memory()
            if self.file is not None:
                self.file.keep(0 if found is None else found[0] + 1)
            if self.file is not None and found is not None:
                step = 0
                for frame in self.file.stored():
                    step = int(frame.step)
                    yield frame
                saved = Checkpoint(step, found[1])
            else:
                yield from map(self._store, kept)
            yield from self._simulated(saved, kept)
        finally:
            if self.file is not None:
                self.file.close()

    def _simulated(self, saved: Checkpoint, kept: list[StoredFrame]) -> Iterator[StoredFrame]:
        state, before = None, 0
        if kept:
            state, before = kept[-1].state, int(kept[-1].step)
        goes_on = bool(saved.arrays)
        saved.step -= before if goes_on else 0
        frames = simulate(
            self.model,
            self.options,
            end=self.spec.time.end,
            record=self.spec.time.record,
            state=state,
            tally=self.tally,
            checkpoint=saved,
        )
        for i, frame in enumerate(frames):
            if kept and i == 0 and not goes_on:
                continue  # it is the last one of those that are kept
            yield self._store(_stored(frame, before), saved)

    def _store(self, frame: StoredFrame, saved: Checkpoint | None = None) -> StoredFrame:
        if self.file is not None:
            try:
                self.file.append(frame, saved.arrays if saved is not None else {})
            except OSError as error:
                self.problem = f"the cache could not be written ({error}); choose another Cache folder"
                self.file.close()
                self.file = None
        return frame


def _stored(frame: Frame, before: int) -> StoredFrame:
    s = frame.state
    return StoredFrame(
        np.array(before + frame.step, np.int64),
        frame.joint_pose,
        np.array(s.t),
        s.q,
        s.qdot,
        s.chart,
        s.x,
        s.v,
        frame.energy,
        frame.torque,
        frame.friction,
        frame.contact,
        frame.muscle,
    )


def _kept(since: Since, model: Model) -> list[StoredFrame]:
    frames = load_frames(Path(since.path))
    if len(frames) <= since.frame:
        raise InputError(
            "Cache", "the frames before this one are no longer there", "Simulate from the start instead."
        )
    last = frames[since.frame]
    start, state = model.initial_state(), last.state
    same = len(model.bodies.link) == len(last.joint_pose)
    if not same or any(
        getattr(start, name).shape != getattr(state, name).shape for name in ("q", "chart", "x", "muscle")
    ):
        raise InputError(
            "Cache",
            "joints, bodies or muscles were added, removed or given other freedoms since it was simulated",
            "Simulate from the start instead.",
        )
    return frames[: since.frame + 1]


def _key_since(key: str, kept: list[StoredFrame]) -> str:
    digest = hashlib.sha256(key.encode())
    for frame in kept:
        digest.update(frame.q.tobytes() + frame.qdot.tobytes() + frame.x.tobytes())
    return digest.hexdigest()
