"""The engine live: a scene plays at the pace of the clock, and takes commands. Part of `worker`; needs no Blender.

Commands: {"grab": body, "at": [x, y, z]}, {"pull": [x, y, z]}, {"let_go": true}, {"inquire": names, "axes": …},
{"set": values by path, "note": number}, {"take": frames}. What it says: a {"frame": …, "joints": …, "busy": …} for the
start and for each frame after it, "busy" being the time [s] that the engine took for it, with a "told" of what was
inquired; {"take": pulls, "notes": [[number, frame], …]} for a take; {"refused": why} for a command that cannot be.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import Empty, Queue
from typing import TYPE_CHECKING, Any

from ...engine.errors import InputError

if TYPE_CHECKING:
    from ...engine.inquire.reactions import Axes
    from ...engine.run.live import LiveRun
    from ..inquire.told import Told


@dataclass
class Asked:
    """What is inquired at each frame, and when the changes came."""

    names: list[str] = field(default_factory=list)
    axes: Axes = "world"
    notes: list[tuple[int, int]] = field(default_factory=list)
    """Number and frame of each change."""


Commands = Queue[dict[str, Any] | None]
"""None at the end."""


def play(scene: bytes, commands: Commands, say: Callable[..., None]) -> None:
    """A frame after the other, never faster than the clock; slower where the engine cannot keep up."""
    from ...engine.run.live import LiveRun
    from ...engine.scene.file import decode_scene

    run, asked = LiveRun(decode_scene(scene)), Asked()
    frame, number, busy = run.frame(), 0, 0.0
    due = time.perf_counter()
    while True:
        about = {"frame": number, "joints": len(frame.joint_pose), "busy": busy}
        if (found := inquired(run, asked)) is not None:
            about["told"] = found.message()
        say(about, frame.joint_pose, frame.x)
        due = max(due + run.duration, time.perf_counter())
        if not obey(run, commands, due, say, asked):
            return
        begin = time.perf_counter()
        frame, number = run.advance(), number + 1
        busy = time.perf_counter() - begin


def obey(run: LiveRun, commands: Commands, until: float, say: Callable[..., None], asked: Asked) -> bool:
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
            said = execute(run, command, asked)
            if said is not None:
                say(said)
        except InputError as error:
            say({"refused": str(error)})


def inquired(run: LiveRun, asked: Asked) -> Told | None:
    """What was asked for, at the present frame; None where nothing was, or no answer can be found."""
    from ...engine.errors import FAILURES
    from ..inquire.tell import told

    if not asked.names:
        return None
    try:
        return told(run.steps.model, run.steps.state, run.steps.options, asked.names, asked.axes)
    except FAILURES:
        return None


def execute(run: LiveRun, command: dict[str, Any], asked: Asked) -> dict[str, Any] | None:
    """Do one command; what there is to say to it."""
    if "set" in command:
        from ...engine.scene.change_values import plain, spec_of, with_values

        run.change(spec_of(with_values(plain(run.meant), command["set"])))
        asked.notes.append((command["note"], run.number))
        return None
    if "take" in command:
        import msgspec

        pulls = run.take(command["take"]).pulls
        return {"take": msgspec.to_builtins(pulls), "notes": asked.notes}
    if "inquire" in command:
        from ..inquire.tell import known_names

        asked.names, asked.axes = [], command["axes"]
        asked.names = known_names(run.spec, run.model, command["inquire"])
    elif "grab" in command:
        run.grab(command["grab"], command["at"])
    elif "pull" in command:
        run.pull(command["pull"])
    elif "let_go" in command:
        run.let_go()
    return None
