"""The engine live, in a process of its own: a scene and then commands on standard input, frames on standard output.

Run as `python -m <package>.bridge.live_worker`. Needs no Blender. Standard input: a line {"bytes": n} and a scene file
of n bytes, then a line for each command: {"grab": body, "at": [x, y, z]}, {"pull": [x, y, z]}, {"let_go": true}. It
ends when the input does. Standard output is as that of `worker`: a {"frame": …, "joints": …, "busy": …} for the start
and for each frame after it, "busy" being the time [s] that the engine took for it; {"refused": why} for a grab that
cannot be.
"""

from __future__ import annotations

import json
import os
import sys
import time
from queue import Empty, Queue
from threading import Thread
from typing import TYPE_CHECKING, Any, BinaryIO

from ...engine.errors import FAILURES, InputError
from .worker import send

if TYPE_CHECKING:
    from ...engine.run.live import LiveRun

Commands = Queue[dict[str, Any] | None]


def main() -> None:
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not end up between the messages
    pipe = sys.stdin.buffer
    scene = pipe.read(json.loads(pipe.readline())["bytes"])
    commands: Commands = Queue()
    Thread(target=read, args=(pipe, commands), daemon=True).start()
    try:
        play(scene, commands, out)
    except BrokenPipeError:
        os._exit(0)  # nobody looks any more
    except (InputError, *FAILURES) as error:
        send(out, {"error": type(error).__name__, "state": vars(error), "text": str(error)})


def read(pipe: BinaryIO, commands: Commands) -> None:
    for line in pipe:
        commands.put(json.loads(line))
    commands.put(None)


def play(scene: bytes, commands: Commands, out: BinaryIO) -> None:
    """A frame after the other, never faster than the clock; slower where the engine cannot keep up."""
    from ...engine.run.live import LiveRun
    from ...engine.scene.file import decode_scene

    run = LiveRun(decode_scene(scene))
    frame, number, busy = run.frame(), 0, 0.0
    due = time.perf_counter()
    while True:
        send(out, {"frame": number, "joints": len(frame.joint_pose), "busy": busy}, frame.joint_pose, frame.x)
        due = max(due + run.duration, time.perf_counter())
        if not obey(run, commands, due, out):
            return
        begin = time.perf_counter()
        frame, number = run.advance(), number + 1
        busy = time.perf_counter() - begin


def obey(run: LiveRun, commands: Commands, until: float, out: BinaryIO) -> bool:
    """Do what is asked for until a time of the clock [s]; False when the input has ended."""
    while True:
        wait = until - time.perf_counter()
        try:
            command = commands.get(timeout=wait) if wait > 0.0 else commands.get_nowait()
        except Empty:
            return True
        if command is None:
            return False
        try:
            execute(run, command)
        except InputError as error:
            send(out, {"refused": str(error)})


def execute(run: LiveRun, command: dict[str, Any]) -> None:
    """Do one command."""
    if "grab" in command:
        run.grab(command["grab"], command["at"])
    elif "pull" in command:
        run.pull(command["pull"])
    elif "let_go" in command:
        run.let_go()


if __name__ == "__main__":
    main()
