"""Ghosts of takes: lines where their bones, bodies and soft meshes are at the frame that is shown."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..bridge.recording import cache
from ..bridge.recording.cache import Recording
from ..bridge.takes.takes import is_shown, objects_of
from .shapes import Colour, Lines, cuboid, moved

Floats = NDArray[np.float64]

COLOURS: tuple[Colour, ...] = (
    (0.35, 0.75, 1.0, 0.9),
    (1.0, 0.6, 0.25, 0.9),
    (0.5, 0.9, 0.4, 0.9),
    (0.95, 0.45, 0.75, 0.9),
    (0.95, 0.9, 0.35, 0.9),
)
"""By the place in the list, again from the first when there are more takes."""
EDGES = 4000
"""Of a soft mesh that are drawn, at most."""


def add_takes(lines: Lines, scene: bpy.types.Scene) -> None:
    """Lines of the takes whose ghost is on, but for the one that is shown anyway."""
    for i, take in enumerate(scene.redmax.takes):
        recording = cache.get(take.key, scene) if take.ghost and not is_shown(take, scene) else None
        if recording is not None:
            for segments in take_segments(take, recording, scene):
                lines.add(segments, COLOURS[i % len(COLOURS)])


def take_segments(take: Any, recording: Recording, scene: bpy.types.Scene) -> list[Floats]:
    """Where a take has its objects at the scene's frame, in the world [Blender units]."""
    position = min(max(scene.frame_current_final - recording.frame_start, 0.0), recording.frame_count - 1.0)
    found = []
    for name, obj in objects_of(take, scene).items():
        world = np.array(obj.matrix_world)
        if name in recording.tracks and obj.type == "ARMATURE":
            track = recording.tracks[name]
            found.append(moved(_bones(obj, track.bones, _between(track.pose, position)), world))
        elif name in recording.tracks:
            corners = np.array(obj.bound_box)
            box = cuboid(corners.min(axis=0), corners.max(axis=0))
            found.append(moved(box, _between(recording.tracks[name].pose, position)[0]))
        elif name in recording.meshes:
            points = _between(np.asarray(recording.meshes[name], float), position)
            found.append(moved(points[_edges(obj, len(points))], world))
    return found


def _between(rows: Floats, position: float) -> Floats:
    """Rows at a position in frames, which may lie between two."""
    before = int(position)
    after = min(before + 1, len(rows) - 1)
    return np.asarray(rows[before] + (position - before) * (rows[after] - rows[before]))


def _bones(obj: bpy.types.Object, names: tuple[str, ...], poses: Floats) -> Floats:
    """Head and tail of bones in the armature's space, of those that are still there."""
    there = [
        (pose, obj.data.bones[name].length) for name, pose in zip(names, poses) if name in obj.data.bones
    ]
    ends = [[pose[:3, 3], pose[:3, 3] + length * pose[:3, 1]] for pose, length in there]
    return np.array(ends, dtype=float).reshape(-1, 2, 3)


def _edges(obj: bpy.types.Object, points: int) -> NDArray[np.int64]:
    """Pairs of vertices of a mesh; none where it has others than the take."""
    pairs = np.zeros(2 * len(obj.data.edges), np.int32)
    obj.data.edges.foreach_get("vertices", pairs)
    pairs = pairs.reshape(-1, 2)
    if len(obj.data.vertices) != points:
        return np.zeros((0, 2), np.int64)
    return pairs[:: max(len(pairs) // EDGES, 1)].astype(np.int64)
