"""Figures of recordings: in memory, and as files beside those of the recordings."""

from __future__ import annotations

from pathlib import Path

import bpy

from . import cache
from .figures import Figures

_memory: dict[str, Figures] = {}


def path_of(key: str, scene: bpy.types.Scene) -> Path:
    """The file of a recording's figures, beside that of the recording."""
    recording = cache.path_of(key, scene)
    return recording.with_name(f"{recording.stem}_figures.npz")


def put(key: str, figures: Figures, scene: bpy.types.Scene) -> None:
    """Keep figures for a recording's key; a folder that cannot be written has been reported with the recording."""
    _memory[key] = figures
    while len(_memory) > cache.KEPT:
        _memory.pop(next(iter(_memory)))
    try:
        figures.save(path_of(key, scene))
    except OSError:
        return


def get(key: str, scene: bpy.types.Scene) -> Figures | None:
    """Figures of a recording, from memory or disk; None when there are none."""
    if key and key not in _memory:
        try:
            _memory[key] = Figures.load(path_of(key, scene))
        except ValueError:
            return None
    return _memory.get(key)


def load_all(scene: bpy.types.Scene) -> None:
    """Bring the figures of the scene's recordings into memory, before the file moves away from its cache folder."""
    for key in cache.keys_in_use(scene):
        get(key, scene)


def write_all(scene: bpy.types.Scene) -> None:
    """Write the scene's figures that its cache folder does not have."""
    for key in cache.keys_in_use(scene) & _memory.keys():
        if not path_of(key, scene).exists():
            put(key, _memory[key], scene)


def shown(scene: bpy.types.Scene) -> tuple[int, Figures] | None:
    """First frame and figures of the recording that the scene's objects show; None when there are none."""
    for key in sorted({obj.redmax.result for obj in scene.objects if obj.redmax.result}):
        recording, figures = cache.get(key, scene), get(key, scene)
        if recording is not None and figures is not None:
            return recording.frame_start, figures
    return None
