"""The frames that a run in Blender keeps -> a Result of the engine, for checks and reports."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ..engine.model import Model
from ..engine.result import Result
from ..engine.simulate import Frame, make_frame
from ..engine.state import State
from .frame_file import StoredFrame


def recorded_result(model: Model, frames: Iterable[StoredFrame], key: str = "") -> Result:
    """All of the frames; what they do not hold is derived from their states again."""
    return Result.from_frames(model, [_frame(model, frame) for frame in frames], key)


def _frame(model: Model, kept: StoredFrame) -> Frame:
    state = State(float(kept.t), kept.q, kept.qdot, np.asarray(kept.chart, np.int64), kept.x, kept.v)
    return replace(make_frame(model, state, int(kept.step)), energy=kept.energy, torque=kept.torque)
