"""The engine live: a scene plays at the pace of the clock, and takes commands. Part of `worker`; needs no Blender.

Commands: {"grab": body, "at": [x, y, z]}, {"pull": [x, y, z]}, {"let_go": true}. What it says: a {"frame": …,
"joints": …, "busy": …} for the start and for each frame after it, "busy" being the time [s] that the engine took for
it; {"refused": why} for a grab that cannot be.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from queue import Empty, Queue
from typing import TYPE_CHECKING, Any

from ...engine.errors import InputError

if TYPE_CHECKING:
    from ...engine.run.live import LiveRun

Commands = Queue[dict[str, Any] | None]
"""None at the end."""


def play(scene: bytes, commands: Commands, say: Callable[..., None]) -> None:
    """A frame after the other, never faster than the clock; slower where the engine cannot keep up."""
    from ...engine.run.live import LiveRun
    from ...engine.scene.file import decode_scene

    run = LiveRun(decode_scene(scene))
    frame, number, busy = run.frame(), 0, 0.0
    due = time.perf_counter()
    while True:
        say({"frame": number, "joints": len(frame.joint_pose), "busy": busy}, frame.joint_pose, frame.x)
        due = max(due + run.duration, time.perf_counter())
        if not obey(run, commands, due, say):
            return
        begin = time.perf_counter()
        frame, number = run.advance(), number + 1
        busy = time.perf_counter() - begin


def obey(run: LiveRun, commands: Commands, until: float, say: Callable[..., None]) -> bool:
    """Do what is asked for until a time of the clock [s]; False at the end."""
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
            say({"refused": str(error)})


def execute(run: LiveRun, command: dict[str, Any]) -> None:
    """Do one command."""
    if "grab" in command:
        run.grab(command["grab"], command["at"])
    elif "pull" in command:
        run.pull(command["pull"])
    elif "let_go" in command:
        run.let_go()
