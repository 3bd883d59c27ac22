"""The engine in a process of its own: a scene file on standard input, frames on standard output.

Run as `python -m <package>.bridge.run.worker [folder [frames number]]`. Frames are written into the folder, and begin
with those that are there already; with two more arguments, with those of an earlier run up to this number. Needs no
Blender. Each message is one line of JSON, followed by as many bytes as its "bytes" says: {"key": …, "dof": …} first, a
{"frame": …, "joints": …, "figures": …} for each frame with that many joint poses and the vertices of flesh as doubles,
and at the end {"end": true}, or {"error": class, "state": attributes, "text": …} for what the engine raised.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ...engine.errors import FAILURES, InputError
from ..recording.figures import frame_figures


def main() -> None:
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not end up between the messages
    try:
        run(sys.stdin.buffer.read(), out, *sys.argv[1:])
        send(out, {"end": True})
    except (InputError, *FAILURES) as error:
        send(out, {"error": type(error).__name__, "state": vars(error), "text": str(error)})


def run(scene: bytes, out: BinaryIO, folder: str = "", since: str = "", frame: str = "0") -> None:
    from ...engine.scene.file import decode_scene
    from ..recording.stored_run import Since, StoredRun

    stored = StoredRun(
        decode_scene(scene), Path(folder) if folder else None, Since(since, int(frame)) if since else None
    )
    send(out, {"key": stored.key, "dof": stored.model.joints.dof.tolist()})
    for one in stored:
        figures = frame_figures(one, stored.tally)
        about = {"frame": int(one.step), "joints": len(one.joint_pose), "figures": figures}
        send(out, about, one.joint_pose, one.x)


def send(out: BinaryIO, message: dict[str, Any], *arrays: np.ndarray) -> None:
    payload = b"".join(np.ascontiguousarray(array, dtype=np.float64).tobytes() for array in arrays)
    out.write(json.dumps({**message, "bytes": len(payload)}).encode() + b"\n" + payload)
    out.flush()


if __name__ == "__main__":
    main()
