"""The search for goals in a process of its own: a scene with a task on standard input, one line of JSON for each
simulation on standard output: {"objective": …, "values": […], "runs": …}, and at the end {"end": true} or
{"error": text}. Needs no Blender."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from ...engine.errors import FAILURES, InputError


def main() -> None:
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever prints must not end up between the messages

    def send(message: dict[str, Any]) -> None:
        out.write(json.dumps(message) + "\n")
        out.flush()

    try:
        from ...engine.scene.file import decode_scene
        from .solve import solve_here

        solve_here(decode_scene(sys.stdin.buffer.read()), lambda found: send(vars(found)), ghosts=True)
        send({"end": True})
    except (InputError, *FAILURES) as error:
        send({"error": str(error)})


if __name__ == "__main__":
    main()
