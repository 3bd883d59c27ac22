"""The engine in a process of its own: a scene file on standard input, frames on standard output.

Run as `python -m <package>.bridge.worker`. Needs no Blender. Each message is one line of JSON, followed by as many
bytes as its "bytes" says: {"key": …} first, a {"frame": …} with the joint poses as doubles for each frame, and at the
end {"end": true}, or {"error": class, "state": attributes, "text": …} for what the engine raised.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, BinaryIO

import numpy as np

from ..engine.errors import FAILURES, InputError


def main() -> None:
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not end up between the messages
    try:
        run(sys.stdin.buffer.read(), out)
        send(out, {"end": True})
    except (InputError, *FAILURES) as error:
        send(out, {"error": type(error).__name__, "state": vars(error), "text": str(error)})


def run(scene: bytes, out: BinaryIO) -> None:
    from ..engine.compile import compile_scene
    from ..engine.result import run_key
    from ..engine.scenefile import decode_scene
    from ..engine.simulate import scene_options, simulate

    spec = decode_scene(scene)
    options = scene_options(spec)
    model = compile_scene(spec)
    send(out, {"key": run_key(spec, options)})
    for frame in simulate(model, options, end=spec.time.end, record=spec.time.record):
        send(out, {"frame": frame.step}, frame.joint_pose)


def send(out: BinaryIO, message: dict[str, Any], poses: np.ndarray | None = None) -> None:
    payload = b"" if poses is None else np.ascontiguousarray(poses, dtype=np.float64).tobytes()
    out.write(json.dumps({**message, "bytes": len(payload)}).encode() + b"\n" + payload)
    out.flush()


if __name__ == "__main__":
    main()
