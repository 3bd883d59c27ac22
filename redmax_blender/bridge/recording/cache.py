"""Recordings of simulations: in memory, and as .npz files in a folder that the user can see.

An armature refers to its recording by key. Recordings stay in memory when they are freed or replaced, so that undo
brings them back; files are removed at once and written again when the .blend file is saved.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import OrderedDict
from dataclasses import dataclass, field, fields
from pathlib import Path
from zipfile import BadZipFile

import bpy
import numpy as np
from numpy.typing import NDArray

from ..run.fingerprint import fingerprint
from .frame_file import ENDING, slot_path
from .point_cache import Positions, read_pc2, write_pc2

Floats = NDArray[np.float64]

FORMAT = "redmax-recording"
VERSION = 2
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
    animated: Floats = field(default_factory=lambda: np.zeros((0, 0, 3, 4)))
    """Pose of each bone without the simulation, whatever animates it, shape (nf, nb, 3, 4); one frame where it never
    moves, none for objects."""

    def since(self, frame: int) -> Track:
        """The same from a frame on."""
        if not frame:
            return self
        kept = (self.pose, self.location, self.quaternion, self.scale)
        animated = self.animated[frame:] if len(self.animated) > 1 else self.animated
        return Track(self.bones, *(rows[frame:] for rows in kept), self.start, animated)


FIELDS = tuple(each.name for each in fields(Track) if each.name != "bones")


@dataclass(frozen=True)
class Recording:
    """What a simulation leaves to be shown and baked."""

    key: str
    frame_start: int
    frame_end: int
    """Last frame that was asked for; there are fewer frames when the run was cancelled or diverged."""
    tracks: dict[str, Track]
    """By the armature's name at the time of the simulation."""
    meshes: dict[str, Positions] = field(default_factory=dict)
    """Vertices of soft meshes in their objects' space, by the object's name, shape (nf, ns, 3)."""
    inputs: str = ""
    """Fingerprint of the scene that it was made from (`fingerprint.py`)."""
    preroll: int = 0
    """Frames of the run before the first one."""

    @property
    def frame_count(self) -> int:
        return len(next(iter([*(track.location for track in self.tracks.values()), *self.meshes.values()])))

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
            "meshes": list(self.meshes),
            "inputs": self.inputs,
            "preroll": self.preroll,
        }
        arrays = {
            f"{name}_{i}": getattr(track, name)
            for i, track in enumerate(self.tracks.values())
            for name in FIELDS
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        for i, positions in enumerate(self.meshes.values()):
            write_pc2(mesh_path(path, i), positions, self.frame_start)
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
                    rig["name"]: Track(tuple(rig["bones"]), *(file[f"{name}_{i}"] for name in FIELDS))
                    for i, rig in enumerate(header["rigs"])
                }
            meshes = {name: read_pc2(mesh_path(path, i)) for i, name in enumerate(header.get("meshes", ()))}
        except (BadZipFile, KeyError, EOFError, OSError) as error:
            raise ValueError(f"{path} is not a complete recording: {error}") from error
        more = {"inputs": str(header.get("inputs", "")), "preroll": int(header.get("preroll", 0))}
        return Recording(header["key"], header["frame_start"], header["frame_end"], tracks, meshes, **more)


def mesh_path(recording: Path, index: int) -> Path:
    """The file of a recording's soft mesh, beside that of the recording."""
    return recording.with_name(f"{recording.stem}_{index}.pc2")


_memory: OrderedDict[str, Recording] = OrderedDict()
_missing: set[str] = set()
"""Keys whose file was looked for and not found, so that playback does not look again at every frame."""


_frames_at: dict[str, Path] = {}
"""Where the frames of this session's runs were written, by the first half of their keys."""


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
    frames = frames_path(recording.key, scene)
    if frames.exists():
        _frames_at[recording.key[:16]] = frames
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


_standing_in: dict[str, Recording] = {}
"""Simulations that are under way, by the key of the recording in whose place they are shown (`run.coming`)."""


def stand_in(key: str, recording: Recording) -> None:
    """Show the tracks of a recording in place of those of another one."""
    _standing_in[key] = recording


def stand_in_no_more() -> bool:
    """All recordings are shown themselves; False where they were."""
    there = bool(_standing_in)
    _standing_in.clear()
    return there


def standing_in(key: str) -> Recording | None:
    """What is shown in place of a recording, if something is."""
    return _standing_in.get(key)


def track_of(
    obj: bpy.types.Object, scene: bpy.types.Scene, itself: bool = False
) -> tuple[Recording, Track] | None:
    """What an armature object shows: its recording and its track in it; None when there is none.

    itself: the recording, also while a simulation that is under way is shown in its place.
    """
    coming = None if itself else _standing_in.get(obj.redmax.result)
    if coming is not None and obj.name in coming.tracks:
        return coming, coming.tracks[obj.name]
    recording = get(obj.redmax.result, scene)
    if recording is None or obj.redmax.result_name not in recording.tracks:
        return None
    return recording, recording.tracks[obj.redmax.result_name]


def mesh_of(obj: bpy.types.Object, scene: bpy.types.Scene) -> tuple[Recording, Positions] | None:
    """What a soft mesh shows: its recording and its vertices in it; None when there is none."""
    recording = get(obj.redmax.result, scene)
    if recording is None or obj.redmax.result_name not in recording.meshes:
        return None
    return recording, recording.meshes[obj.redmax.result_name]


def mesh_file(obj: bpy.types.Object, scene: bpy.types.Scene, saved: bool) -> str:
    """The file of what a soft mesh shows, as Blender's file properties name it.

    Relative to the .blend file where the folder is, once that is `saved`.
    """
    recording = _memory[obj.redmax.result]
    index = list(recording.meshes).index(obj.redmax.result_name)
    path = mesh_path(path_of(recording.key, scene), index)
    chosen = scene.redmax.cache_folder
    if chosen.startswith("//") and saved:
        return f"{chosen.rstrip('/')}/{path.name}"
    return str(path)


def remove_file(key: str, scene: bpy.types.Scene) -> None:
    """Delete the files of a recording that no object shows any more and that is no take."""
    if key and key not in keys_in_use():
        path = path_of(key, scene)
        path.unlink(missing_ok=True)
        for beside in path.parent.glob(f"{key}_*"):  # soft meshes and figures
            beside.unlink()
        if not any(
            other[:16] == key[:16] for other in keys_in_use()
        ):  # a cancelled run may have been completed
            for part in run_files(key, scene):
                part.unlink()


def frames_path(key: str, scene: bpy.types.Scene) -> Path:
    """The engine's frames, from which a recording was made and its run can go on (`frame_file.py`)."""
    return path_of(key, scene).with_name(f"{key[:16]}{ENDING}")


def run_files(key: str, scene: bpy.types.Scene) -> list[Path]:
    """The engine's frames and what it needs to go on from them."""
    frames = frames_path(key, scene)
    beside = [frames, *(slot_path(frames, slot) for slot in (0, 1))]
    return [path for path in beside if path.exists()]


def size(scene: bpy.types.Scene) -> int:
    """Bytes on disk of the recordings that the scene's objects show, and of its takes."""
    starts = {key[:16] for key in keys_in_use(scene)}
    found = (path for start in starts for path in folder(scene).glob(f"{start}*"))
    return sum(path.stat().st_size for path in found if path.is_file())


def is_current(scene: bpy.types.Scene) -> bool:
    """Whether the recordings in use were made from the scene as it is; True when there are none, or they are baked."""
    if any(obj.redmax.is_baked for obj in scene.objects):  # what is baked hides what it was made from
        return True
    recordings = [get(obj.redmax.result, scene) for obj in scene.objects if obj.redmax.result]
    made_from = {recording.inputs for recording in recordings if recording is not None}
    return not made_from or made_from == {fingerprint(scene)}


def keys_in_use(scene: bpy.types.Scene | None = None) -> set[str]:
    """Keys of the recordings that are shown or kept as takes: of a scene, which has its own folder, or of the file."""
    scenes = bpy.data.scenes if scene is None else (scene,)
    return keys_shown(scene) | {take.key for each in scenes for take in each.redmax.takes if take.key}


def keys_shown(scene: bpy.types.Scene | None = None) -> set[str]:
    """Keys of the recordings that objects show: those of a scene, or of the whole file."""
    objects = bpy.data.objects if scene is None else scene.objects
    return {obj.redmax.result for obj in objects if obj.redmax.result}


def load_all(scene: bpy.types.Scene) -> None:
    """Bring the scene's recordings into memory, before the file moves away from its cache folder."""
    for key in keys_in_use(scene):
        get(key, scene)


def write_all(scene: bpy.types.Scene) -> None:
    """Write the scene's recordings that its cache folder does not have."""
    for key in keys_in_use(scene) & _memory.keys():
        if not path_of(key, scene).exists():
            put(_memory[key], scene)
            bring_frames(key, scene)


def bring_frames(key: str, scene: bpy.types.Scene) -> None:
    """Copy the engine's frames from where they were written, if they are still there."""
    source, target = _frames_at.get(key[:16]), frames_path(key, scene)
    if source is not None and source.exists() and not target.exists():
        shutil.copyfile(source, target)


def forget_missing() -> None:
    """Look for files again: another .blend file was opened."""
    _missing.clear()
