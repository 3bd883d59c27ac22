"""What a performed shot or scene file leaves to be filmed."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from ...engine.model.state import Options
from ...engine.run.result import Result


@dataclass(frozen=True)
class Performance:
    """What there is to film, and the run that moved it."""

    actors: list[bpy.types.Object]
    """The objects that move."""
    result: Result
    options: Options
    ground: float | None = None
    """Height of the floor; a little below the motion when None."""
    problem: str = ""
    """Why the run ended before its end."""
    driven: tuple[str, ...] = ()
    """Joints whose torque is plotted."""
    elevation: float = 0.2
    """How steeply the camera looks down [rad]."""


def frame_rate(scene: bpy.types.Scene) -> float:
    """[1/s]"""
    return float(scene.render.fps / scene.render.fps_base)
