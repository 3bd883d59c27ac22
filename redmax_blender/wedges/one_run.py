"""One run of a wedge: what a worker does, wherever it is. A run that was cut off goes on from its last frame."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from ..bridge.recording.frame_file import ENDING
from ..bridge.recording.stored_run import StoredRun
from ..engine.errors import FAILURES, DivergedError, InputError
from ..engine.scene.file import load_scene
from .folder import read_report, scene_path, write_report
from .measures import Measured


class NotWrittenError(RuntimeError):
    """The frames of a run could not be written; it is tried again elsewhere."""


def run_one(folder: str, number: int) -> dict[str, Any]:
    """Simulate a run into its folder, and say what came of it; at once where that is there already."""
    place = Path(folder)
    done = read_report(place, number)
    if done is not None:
        return done
    begin = time.perf_counter()
    measured, frames, status, message = Measured(), 0, "finished", ""
    run = StoredRun(load_scene(scene_path(place, number)), place)
    try:
        for frame in run:
            if run.file is None:
                raise NotWrittenError(run.problem)
            measured.add(frame)
            frames += 1
    except DivergedError as error:
        status, message = "diverged", str(error)
    except (InputError, *FAILURES) as error:
        status, message = "failed", str(error)
    report = {
        "number": number,
        "status": status,
        "message": message,
        "frames": frames,
        "key": run.key,
        "dof": run.model.joints.dof.tolist(),
        "frames_file": f"{run.key[:16]}{ENDING}",
        "seconds": time.perf_counter() - begin,
        "measures": measured.numbers(),
    }
    write_report(place, report)
    return report
