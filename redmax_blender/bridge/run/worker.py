"""The engine in a process that stays ready: requests on standard input, frames on standard output.

Run as `python -m <package>.bridge.run.worker`. Needs no Blender. It loads kernels while nothing is asked for, so that
the first frame of a scene comes at once, and ends when its input does and all that was asked for is done, or when
nobody reads its output any more.

A request is a line of JSON. {"run": number, "bytes": n, "folder": …, "since": …, "frame": …} and a scene file of n
bytes: frames are written into the folder, and begin with those that are there already; with "since", with those of
that file up to "frame". {"live": number, "bytes": n} and a scene file: it plays at the pace of the clock and takes
{"tell": number, "command": …} (`live_worker`). {"inquire": number, "bytes": n, "frames": …, "names": …, "axes": …} and
a scene file: what these parts feel at the frames of that file. {"stop": number} ends each after its present frame.

An answer is a line of JSON with the number of what it is about as "run", followed by as many bytes as its "bytes" says:
{"key": …, "dof": …} first, a {"frame": …, "joints": …, "figures": …} for each frame with that many joint poses and the
vertices of flesh as doubles, and at the end {"end": true}, or {"error": class, "state": attributes, "text": …} for what
the engine raised. {"run": 0, "ready": seconds} says once that all is loaded.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any, BinaryIO

import numpy as np

from ...engine.errors import FAILURES, InputError
from . import live_worker

Request = dict[str, Any]
Send = Callable[..., None]
"""Called with a message and arrays."""


class Requests:
    """What is asked for, read by a thread of its own as it comes."""

    def __init__(self, pipe: BinaryIO) -> None:
        self.waiting: Queue[tuple[Request, bytes] | None] = Queue()
        """Scenes to simulate, with None at the end."""
        self.stopped: set[int] = set()
        self.commands: dict[int, live_worker.Commands] = {}
        """Of live runs, by their number."""
        self._pipe = pipe
        Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self._pipe:
            request = json.loads(line)
            if "tell" in request:
                if (commands := self.commands.get(request["tell"])) is not None:
                    commands.put(request["command"])
            elif "stop" in request:
                self.stopped.add(request["stop"])
                if (commands := self.commands.get(request["stop"])) is not None:
                    commands.put(None)
            else:
                if "live" in request:
                    self.commands[request["live"]] = Queue()
                self.waiting.put((request, self._pipe.read(request["bytes"])))
        for commands in list(self.commands.values()):
            commands.put(None)
        self.waiting.put(None)


def main() -> None:
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not end up between the messages
    requests = Requests(sys.stdin.buffer)
    try:
        if load(requests, out):
            while (asked := requests.waiting.get()) is not None:
                answer(*asked, requests, out)
    except BrokenPipeError:
        os._exit(0)  # nobody looks any more


def load(requests: Requests, out: BinaryIO) -> bool:
    """Load the kernels that most scenes need, one part after the other; what is asked for meanwhile comes first.

    False when the input has ended.
    """
    from ...engine.run.prepare import warm_up_parts

    begin = time.perf_counter()
    for _ in warm_up_parts():
        try:
            asked = requests.waiting.get_nowait()
        except Empty:
            continue
        if asked is None:
            return False
        answer(*asked, requests, out)
    send(out, {"run": 0, "ready": time.perf_counter() - begin})
    return True


def answer(request: Request, scene: bytes, requests: Requests, out: BinaryIO) -> None:
    """Simulate one scene."""
    number = next(request[kind] for kind in ("live", "inquire", "run") if kind in request)

    def say(message: dict[str, Any], *arrays: np.ndarray) -> None:
        send(out, {"run": number, **message}, *arrays)

    try:
        if "live" in request:
            live_worker.play(scene, requests.commands[number], say)
        elif "inquire" in request:
            inquire(request, scene, lambda: number in requests.stopped, say)
        else:
            run(request, scene, lambda: number in requests.stopped, say)
        say({"end": True})
    except (InputError, *FAILURES) as error:
        say({"error": type(error).__name__, "state": vars(error), "text": str(error)})
    finally:
        requests.commands.pop(number, None)
        requests.stopped.discard(number)


def run(request: Request, scene: bytes, stopped: Callable[[], bool], say: Send) -> None:
    """A run with frames on disk, as long as it is wanted."""
    from ...engine.scene.file import decode_scene
    from ..recording.figures import frame_figures
    from ..recording.stored_run import Since, StoredRun

    if stopped():
        return
    folder, since = request.get("folder"), request.get("since")
    stored = StoredRun(
        decode_scene(scene),
        Path(folder) if folder else None,
        Since(since, request["frame"]) if since else None,
    )
    say({"key": stored.key, "dof": stored.model.joints.dof.tolist()})
    with closing(stored.frames):  # its file is free for the next run
        for one in stored:
            figures = frame_figures(one, stored.tally)
            about = {"frame": int(one.step), "joints": len(one.joint_pose), "figures": figures}
            say(about, one.joint_pose, one.x)
            if stopped():
                return


def inquire(request: Request, scene: bytes, stopped: Callable[[], bool], say: Send) -> None:
    """A {"told": …} for each frame of a run."""
    from ...engine.scene.file import decode_scene
    from ..inquire.tell import tell

    for told in tell(decode_scene(scene), Path(request["frames"]), request["names"], request["axes"]):
        if stopped():
            return
        say({"told": told.message()})


def send(out: BinaryIO, message: dict[str, Any], *arrays: np.ndarray) -> None:
    payload = b"".join(np.ascontiguousarray(array, dtype=np.float64).tobytes() for array in arrays)
    out.write(json.dumps({**message, "bytes": len(payload)}).encode() + b"\n" + payload)
    out.flush()


if __name__ == "__main__":
    main()
