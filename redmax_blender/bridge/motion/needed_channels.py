"""Which channels of a part a bake has to write: those that move, and those that nothing else gives the right value.

What nothing animates is the part's own value, and that is set to rest; curves of the action that say what was simulated
stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import bpy
import numpy as np
from numpy.typing import NDArray

from ..bake.clean_curves import Errors
from ..mechanism.parts import Part, channel_path
from ..recording.cache import Recording, Track

Floats = NDArray[np.float64]
Curves = dict[tuple[str, int], bpy.types.FCurve]

NOISE = 2e-6
"""Rotations and scales that differ by less than this are one: poses are kept in single precision, and the way from
them to channels leaves a few units of its last digit (1e-7 measured at the end of a chain of 30 bones)."""
REST = {
    "location": (0.0, 0.0, 0.0),
    "scale": (1.0, 1.0, 1.0),
    "rotation_euler": (0.0, 0.0, 0.0),
    "rotation_quaternion": (1.0, 0.0, 0.0, 0.0),
    "rotation_axis_angle": (0.0, 0.0, 1.0, 0.0),
}
GROUPED = ("rotation_quaternion", "rotation_axis_angle")
"""Channels whose values mean something together only."""


@dataclass(frozen=True)
class Given:
    """What there is at a part before a bake writes its curves."""

    original: Curves
    """Curves of the action that the bake goes into."""
    covered: set[str]
    """Data paths that anything animates."""
    length: float
    """Noise of locations."""
    bounds: dict[str, tuple[float, Errors]] = field(default_factory=dict)
    """Of channels that are cleaned: how far they may be off, and the measure."""


def noise_of(track: Track) -> float:
    """How far locations may differ and be one [units of the track]: in proportion to where the parts are."""
    return NOISE * float(np.abs(track.pose[..., :3, 3]).max(initial=0.0))


def needed(part: Part, channel: str, rows: Floats, recording: Recording, given: Given) -> list[int]:
    """Numbers of a channel's values that need curves, from their values at all frames, shape (nf, n).

    The others are as the action has them already, or at rest, where this sets them.
    """
    if channel == "location" and _is_connected(part):  # Blender does not look at it
        return []
    path, n = channel_path(part, channel), rows.shape[1]
    there = np.column_stack([_there(given, path, k, channel, rows, recording) for k in range(n)])
    if channel == "rotation_quaternion":  # Blender makes a rotation of whatever curves say
        there = there / np.maximum(np.linalg.norm(there, axis=1, keepdims=True), 1e-12)
    if channel in GROUPED and not any((path, k) in given.original for k in range(n)):
        there = _nearest_rest(channel, rows, there)
    unknown = [
        given.original[path, k].mute if (path, k) in given.original else path in given.covered
        for k in range(n)
    ]
    tolerance = given.length if channel == "location" else NOISE
    off = np.abs(rows - there).max(axis=0) > tolerance
    if channel in given.bounds and not any(unknown):
        bound, errors = given.bounds[channel]
        if errors(there, rows).max() <= bound:
            off[:] = False
    off |= unknown
    if channel in GROUPED and off.any():
        off[:] = True
    found = [k for k in range(n) if off[k]]
    _set_rest(part, channel, [k for k in range(n) if not off[k] and (path, k) not in given.original])
    return found


def flat(rows: Floats, channel: str, given: Given) -> NDArray[np.bool_]:
    """Which values never change, of rows of shape (nf, n); of a group all of them, or none."""
    tolerance = given.length if channel == "location" else NOISE
    found = np.ptp(rows, axis=0) <= tolerance
    return np.full(len(found), found.all()) if channel in GROUPED else found


def _there(given: Given, path: str, index: int, channel: str, rows: Floats, recording: Recording) -> Floats:
    """Value at each frame without a curve of the bake, shape (nf,)."""
    curve = given.original.get((path, index))
    if curve is None:
        return np.full(len(rows), REST[channel][index])
    frames = range(recording.frame_start, recording.frame_start + len(rows))
    return np.array([curve.evaluate(float(frame)) for frame in frames])


def _nearest_rest(channel: str, rows: Floats, there: Floats) -> Floats:
    """Of all values that turn nothing, those nearest to the rows."""
    if channel == "rotation_quaternion":
        return np.asarray(there * np.where(rows[:, :1] < 0.0, -1.0, 1.0))
    return np.column_stack([np.zeros(len(rows)), rows[:, 1:]])


def _is_connected(part: Part) -> bool:
    return isinstance(part, bpy.types.PoseBone) and part.parent is not None and part.bone.use_connect


def _set_rest(part: Part, channel: str, indices: list[int]) -> None:
    values = list(getattr(part, channel))
    for k in indices:
        values[k] = REST[channel][k]
    if indices:
        setattr(part, channel, values)
