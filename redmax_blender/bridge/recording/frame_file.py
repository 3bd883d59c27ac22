"""The frames of a run on disk, each there as soon as it is finished: kill the process at any moment, and all that was
finished is read again.

A file is a row of records, each with its length and checksum in front; the first says what the file is. Reading stops
at the first record that is not whole, and whoever writes goes on from there. A record is a line of JSON that names
arrays, and their bytes: nothing that is read is ever executed. Needs no Blender.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ...engine.model.state import State

Arrays = dict[str, NDArray[Any]]

FORMAT = "redmax-frames"
VERSION = 1
ENDING = ".frames"
_MARK = b"RMrc"
_HEAD = struct.Struct("<4sQ16s")
_KINDS = ("<f8", "<i8", "<f4", "|b1", "|i1")
_LARGEST = 1 << 33


@dataclass(frozen=True)
class StoredFrame:
    """What is kept of a frame: what is shown of it, and the state from which a run can go on."""

    step: NDArray[np.int64]
    joint_pose: NDArray[np.float64]
    """World pose of each joint's frame, shape (nj, 12)."""
    t: NDArray[np.float64]
    q: NDArray[np.float64]
    qdot: NDArray[np.float64]
    chart: NDArray[np.int64]
    x: NDArray[np.float64]
    v: NDArray[np.float64]
    energy: NDArray[np.float64]
    torque: NDArray[np.float64]
    friction: NDArray[np.float64]
    contact: NDArray[np.float64]
    muscle: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 4)))
    """These five as in `engine.run.simulate.Frame`."""

    @property
    def state(self) -> State:
        """Where the run was."""
        return State(float(self.t), self.q, self.qdot, self.chart, self.x, self.v, self.muscle[:, 2:])


NAMES = tuple(each.name for each in fields(StoredFrame))
_LATER = {"muscle"}
"""What files of older versions do not have."""


class FrameFile:
    """The frames of one run, in order, and beside them the memory of its last two."""

    def __init__(self, folder: Path, key: str) -> None:
        """Take up the file of this key, or begin one. OSError where that is not possible, or another run has it."""
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{key[:16]}{ENDING}"
        self.key = key
        self.file: BinaryIO = os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT | _BINARY, 0o666), "r+b")
        try:
            _lock(self.file)
        except OSError:
            self.file.close()
            raise
        self.count, end = _count_frames(self.file, key)
        """Frames that it holds."""
        self.file.seek(end)
        self.file.truncate()
        if not end:
            head = {"format": FORMAT, "version": VERSION, "key": key}
            _write(self.file, head, {})

    def stored(self) -> Iterator[StoredFrame]:
        """The frames that it holds, read one at a time: a run may be larger than memory."""
        self.file.seek(0)
        _read(self.file)
        for _ in range(self.count):
            record = _read(self.file)
            assert record is not None
            at = self.file.tell()
            yield StoredFrame(**record[1])
            self.file.seek(at)

    def memory(self) -> tuple[int, Arrays] | None:
        """The last frame that the run can go on from, and what it needs for that."""
        found = []
        for slot in (0, 1):
            try:
                with self._slot(slot).open("rb") as file:
                    record = _read(file)
            except OSError:
                continue
            if record is not None and record[0].get("key") == self.key:
                frame = record[0].get("frame")
                if isinstance(frame, int) and 0 <= frame < self.count:
                    found.append((frame, record[1]))
        return max(found, key=lambda each: each[0], default=None)

    def keep(self, number: int) -> None:
        """Drop all frames but the first ones."""
        self.file.seek(0)
        _read(self.file)
        for _ in range(number):
            _read(self.file)
        self.file.truncate()
        self.count = number

    def append(self, frame: StoredFrame, memory: Mapping[str, NDArray[Any]]) -> None:
        """Write a frame, and then what the run needs to go on from it; on disk when this returns."""
        self.file.seek(0, os.SEEK_END)
        _write(self.file, {"frame": self.count}, {name: getattr(frame, name) for name in NAMES})
        if memory:
            head = {"key": self.key, "frame": self.count}
            with self._slot(self.count % 2).open("wb", buffering=0) as slot:
                _write(slot, head, memory)
        self.count += 1

    def close(self) -> None:
        self.file.close()

    def _slot(self, number: int) -> Path:
        return slot_path(self.path, number)


def slot_path(frames: Path, number: int) -> Path:
    """Where the memory of every other frame is, beside the frames."""
    return frames.with_suffix(f".memory{number}")


def iterate_frames(file: BinaryIO, key: str | None = None) -> Iterator[StoredFrame]:
    """The whole frames of a file, one after the other; none of a file that is not of this key."""
    file.seek(0)
    first = _read(file)
    if first is None or first[0].get("format") != FORMAT or first[0].get("version") != VERSION:
        return
    if key is not None and first[0].get("key") != key:
        return
    for number in count():
        record = _read(file)
        if record is None or record[0].get("frame") != number or set(record[1]) | _LATER != set(NAMES):
            return
        yield StoredFrame(**record[1])


def _count_frames(file: BinaryIO, key: str) -> tuple[int, int]:
    """How many whole frames of this key a file has, and where they end; 0 for a file that is something else."""
    found, end = 0, 0
    for _ in iterate_frames(file, key):
        found, end = found + 1, file.tell()
    if not found:
        file.seek(0)
        head = _read(file)
        mine = head is not None and head[0].get("format") == FORMAT and head[0].get("version") == VERSION
        end = file.tell() if mine and head is not None and head[0].get("key") == key else 0
    return found, end


def load_frames(path: Path) -> list[StoredFrame]:
    """All whole frames of a file; none where it is missing or something else."""
    try:
        with path.open("rb") as file:
            return list(iterate_frames(file))
    except OSError:
        return []


def _write(file: Any, head: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    plain = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    listed = [[name, array.dtype.str, list(np.shape(arrays[name]))] for name, array in plain.items()]
    line = json.dumps({**head, "arrays": listed}).encode() + b"\n"
    payload = line + b"".join(array.tobytes() for array in plain.values())
    file.write(_HEAD.pack(_MARK, len(payload), _digest(payload)) + payload)
    file.flush()


def _read(file: BinaryIO) -> tuple[dict[str, Any], Arrays] | None:
    """The record at this place; None where there is none that is whole and well-formed."""
    head = file.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    mark, size, digest = _HEAD.unpack(head)
    if mark != _MARK or size > _LARGEST:
        return None
    payload = file.read(size)
    if len(payload) < size or _digest(payload) != digest:
        return None
    line, _, rest = payload.partition(b"\n")
    try:
        head = json.loads(line)
        arrays, at = {}, 0
        for name, kind, shape in head.pop("arrays"):
            if kind not in _KINDS or not all(isinstance(n, int) and n >= 0 for n in shape):
                return None
            count = int(np.prod(shape, dtype=np.int64))
            arrays[str(name)] = np.frombuffer(rest, kind, count, at).reshape(shape).copy()
            at += count * np.dtype(kind).itemsize
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return head, arrays


def _digest(payload: bytes) -> bytes:
    return hashlib.blake2b(payload, digest_size=16).digest()


_BINARY = getattr(os, "O_BINARY", 0)


def _lock(file: BinaryIO) -> None:
    """Let no other run write the file; the system lets go of it however the process ends."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        file.seek(_LARGEST)  # beyond the data, which others may read
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        file.seek(0)
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
