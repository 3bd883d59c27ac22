"""The raw transform channels of pose bones and objects: written back as they were, turns beyond 180° and all."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

CHANNELS = (
    ("location", 3),
    ("rotation_quaternion", 4),
    ("rotation_euler", 3),
    ("rotation_axis_angle", 4),
    ("scale", 3),
)
WIDTH = sum(size for _, size in CHANNELS)


def read_channels(bones: Iterable[bpy.types.PoseBone]) -> Floats:
    """All transform channels of each bone, whatever its rotation mode, shape (nb, WIDTH)."""
    rows = [[x for name, _ in CHANNELS for x in getattr(bone, name)] for bone in bones]
    return np.array(rows, dtype=float).reshape(-1, WIDTH)


def write_channels(bone: bpy.types.PoseBone, row: Floats) -> None:
    """Set a bone's channels to a row of `read_channels`; those that hold the value already are left alone."""
    at = 0
    for name, size in CHANNELS:
        values = row[at : at + size].tolist()
        if list(getattr(bone, name)) != values:
            setattr(bone, name, values)
        at += size
