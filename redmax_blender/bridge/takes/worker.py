"""The runs of a wedge in a process beside Blender, which can be ended at any moment: `… FOLDER PROCESSES [CLUSTER]`.

Needs no Blender. A line of JSON for each run that has ended, and {"end": true} or {"error": …} last.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from ...engine.errors import InputError
from ...wedges.cluster import run_all
from ...wedges.folder import missing, read_plan


def main(folder: str, workers: str, address: str = "") -> None:
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever prints must not end up between the lines

    def tell(line: dict[str, Any]) -> None:
        out.write(json.dumps(line) + "\n")
        out.flush()

    place = Path(folder)
    try:
        run_all(place, missing(place, read_plan(place)), tell, int(workers), address)
        tell({"end": True})
    except InputError as error:
        tell({"error": str(error)})


if __name__ == "__main__":
    main(*sys.argv[1:])
