"""PC2 files: positions of a mesh's vertices, frame after frame, as Blender's Mesh Cache modifier reads them."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Positions = NDArray[np.float32]
"""In the object's space, shape (nf, ns, 3)."""

_HEADER = struct.Struct("<12siiffi")
_SIGNATURE = b"POINTCACHE2\0"


def write_pc2(path: Path, positions: Positions, frame_start: int) -> None:
    """Write a file; one of that name is replaced only when the new one is complete."""
    frames, points, _ = positions.shape
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        file.write(_HEADER.pack(_SIGNATURE, 1, points, float(frame_start), 1.0, frames))
        file.write(np.ascontiguousarray(positions, dtype="<f4").tobytes())
    part.replace(path)


def read_pc2(path: Path) -> Positions:
    """Read what `write_pc2` wrote; ValueError for anything else."""
    data = path.read_bytes()
    if len(data) < _HEADER.size:
        raise ValueError(f"{path} is not a point cache")
    signature, _, points, _, _, frames = _HEADER.unpack_from(data)
    if signature != _SIGNATURE or len(data) != _HEADER.size + 12 * points * frames:
        raise ValueError(f"{path} is not a complete point cache")
    flat = np.frombuffer(data, dtype="<f4", offset=_HEADER.size)
    return flat.reshape(frames, points, 3).astype(np.float32)
