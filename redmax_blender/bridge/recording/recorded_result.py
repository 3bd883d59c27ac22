"""The frames that a run in Blender keeps -> a Result of the engine, for checks and reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import bpy
import numpy as np

from ...engine.compile.scene import compile_scene
from ...engine.model.records import Model
from ...engine.run.result import Result
from ...engine.run.simulate import Frame, make_frame
from ..run.simulate_scene import Simulation
from .frame_file import StoredFrame


def simulate_recorded(context: bpy.types.Context) -> tuple[Simulation, Result]:
    """Simulate the scene as the panel's button does, and keep all that the engine records."""
    simulation = Simulation(context)
    recorded: list[StoredFrame] = []
    simulation.frames = _keeping(recorded, simulation.frames)
    while simulation.advance():
        pass
    simulation.finish(context)
    return simulation, recorded_result(compile_scene(simulation.reading.scene), recorded, simulation.key)


def recorded_result(model: Model, frames: Iterable[StoredFrame], key: str = "") -> Result:
    """All of the frames; what they do not hold is derived from their states again."""
    return Result.from_frames(model, [_frame(model, frame) for frame in frames], key)


def _frame(model: Model, kept: StoredFrame) -> Frame:
    state = replace(kept.state, chart=np.asarray(kept.chart, np.int64))
    return replace(make_frame(model, state, int(kept.step)), energy=kept.energy, torque=kept.torque)


def _keeping(kept: list[StoredFrame], frames: Iterable[StoredFrame]) -> Iterator[StoredFrame]:
    for frame in frames:
        kept.append(frame)
        yield frame
