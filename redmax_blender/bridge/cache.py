"""Recordings of simulations: in memory, and as .npz files in a folder that the user can see.

An armature refers to its recording by key. Recordings stay in memory when they are freed or replaced, so that undo
brings them back; files are removed at once and written again when the .blend file is saved.
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from dataclasses import dataclass, fields
from pathlib import Path
from zipfile import BadZipFile

import bpy
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FORMAT = "redmax-recording"
VERSION = 1
KEPT = 16
"""Recordings that stay in memory for undo."""


@dataclass(frozen=True)
class Track:
    """The simulated bones of one armature: nf frames of nb bones."""

    bones: tuple[str, ...]
    pose: Floats
    """Pose of each bone in the armature's space, shape (nf, nb, 4, 4)."""
    location: Floats
    """Location channel of each bone that gives this pose, shape (nf, nb, 3)."""
    quaternion: Floats
    """Rotation channel of each bone as quaternion w, x, y, z, without sign flips, shape (nf, nb, 4)."""
    scale: Floats
    """Scale channel of each bone, shape (nf, nb, 3)."""
    start: Floats
    """What the channels were before, at the start frame: rows of `channels.read_channels`, shape (nb, WIDTH)."""


FIELDS = tuple(field.name for field in fields(Track) if field.name != "bones")


@dataclass(frozen=True)
class Recording:
    """What a simulation leaves to be shown and baked."""

    key: str
    frame_start: int
    frame_end: int
    """Last frame that was asked for; there are fewer frames when the run was cancelled or diverged."""
    tracks: dict[str, Track]
    """By the armature's name at the time of the simulation."""

    @property
    def frame_count(self) -> int:
        return len(next(iter(self.tracks.values())).location)

    @property
    def frame_last(self) -> int:
        return self.frame_start + self.frame_count - 1

    def save(self, path: Path) -> None:
        rigs = [{"name": name, "bones": track.bones} for name, track in self.tracks.items()]
        header = {
            "format": FORMAT,
            "version": VERSION,
            "key": self.key,
            "frame_start": self.frame_start,
            "frame_end": self.frame_end,
            "rigs": rigs,
        }
        arrays = {
            f"{field}_{i}": getattr(track, field)
            for i, track in enumerate(self.tracks.values())
            for field in FIELDS
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        with part.open("wb") as file:
            np.savez(file, header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8), **arrays)
        part.replace(path)

    @staticmethod
    def load(path: Path) -> Recording:
        """Read what `save` wrote; ValueError for anything else."""
        try:
            with np.load(path, allow_pickle=False) as file:
                header = json.loads(file["header"].tobytes())
                if header["format"] != FORMAT or header["version"] != VERSION:
                    raise ValueError(f"{path} is not a recording of version {VERSION}")
                tracks = {
                    rig["name"]: Track(tuple(rig["bones"]), *(file[f"{field}_{i}"] for field in FIELDS))
                    for i, rig in enumerate(header["rigs"])
                }
        except (BadZipFile, KeyError, EOFError, OSError) as error:
            raise ValueError(f"{path} is not a complete recording: {error}") from error
        return Recording(header["key"], header["frame_start"], header["frame_end"], tracks)


_memory: OrderedDict[str, Recording] = OrderedDict()
_missing: set[str] = set()
"""Keys whose file was looked for and not found, so that playback does not look again at every frame."""


def folder(scene: bpy.types.Scene) -> Path:
    """Where recordings are kept: the scene's cache folder, or Blender's temporary one before the file is saved."""
    chosen = scene.redmax.cache_folder
    if chosen.startswith("//") and not bpy.data.filepath:
        return Path(bpy.app.tempdir) / "redmax_cache"
    return Path(bpy.path.abspath(chosen))


def path_of(key: str, scene: bpy.types.Scene) -> Path:
    if not re.fullmatch(r"[0-9a-f]{16,64}", key):  # it is read from the .blend file: never trust it as a path
        raise ValueError(f"'{key}' is not the key of a recording")
    return folder(scene) / f"{key}.npz"


def put(recording: Recording, scene: bpy.types.Scene) -> str:
    """Keep a recording; returns why it could not be written to disk, or nothing."""
    _memory[recording.key] = recording
    _memory.move_to_end(recording.key)
    _missing.discard(recording.key)
    while len(_memory) > KEPT:
        _memory.popitem(last=False)
    try:
        recording.save(path_of(recording.key, scene))
    except OSError as error:
        return f"the cache could not be written ({error}); choose another Cache folder"
    return ""


def get(key: str, scene: bpy.types.Scene) -> Recording | None:
    """The recording of this key, from memory or disk; None when it is gone."""
    if key in _memory:
        return _memory[key]
    if not key or key in _missing:
        return None
    try:
        recording = Recording.load(path_of(key, scene))
    except ValueError:
        _missing.add(key)
        return None
    _memory[key] = recording
    return recording


def track_of(obj: bpy.types.Object, scene: bpy.types.Scene) -> tuple[Recording, Track] | None:
    """What an armature object shows: its recording and its track in it; None when there is none."""
    recording = get(obj.redmax.result, scene)
    if recording is None or obj.redmax.result_name not in recording.tracks:
        return None
    return recording, recording.tracks[obj.redmax.result_name]


def remove_file(key: str, scene: bpy.types.Scene) -> None:
    """Delete the file of a recording that no object refers to any more."""
    if key and not any(obj.redmax.result == key for obj in bpy.data.objects):
        path_of(key, scene).unlink(missing_ok=True)


def keys_in_use() -> set[str]:
    return {obj.redmax.result for obj in bpy.data.objects if obj.redmax.result}


def load_all(scene: bpy.types.Scene) -> None:
    """Bring all recordings in use into memory, before the file moves away from its cache folder."""
    for key in keys_in_use():
        get(key, scene)


def write_all(scene: bpy.types.Scene) -> None:
    """Write recordings in use that the cache folder does not have."""
    for key in keys_in_use() & _memory.keys():
        if not path_of(key, scene).exists():
            put(_memory[key], scene)


def forget_missing() -> None:
    """Look for files again: another .blend file was opened."""
    _missing.clear()
