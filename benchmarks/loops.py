"""Linkages with loops against MuJoCo and PyBullet (`linkages.py`): time for a second, and how far loops come open.

All take steps of 1/240 s, in batches of a frame.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from redmax_blender.engine.compile import compile_scene
from redmax_blender.engine.scene import SceneSpec

from .linkages import H, Runner, in_mujoco, in_pybullet, legs, ours, tower
from .timing import Row, row

BENCH = "loops"
FRAME = 10
"""Steps."""


def measure(runners: dict[str, Runner], seconds: float) -> dict[str, tuple[float, float]]:
    """CPU time for a second [s] and the largest drift [m] of each, in turns of a frame."""
    spent, drift = dict.fromkeys(runners, 0.0), dict.fromkeys(runners, 0.0)
    frames = round(seconds / H / FRAME)
    for frame in range(frames):
        for name, runner in runners.items():
            begin = time.process_time()
            runner.advance(FRAME)
            if frame:  # the first may have compiled something
                spent[name] += time.process_time() - begin
            drift[name] = max(drift[name], runner.drift())
    return {name: (spent[name] / ((frames - 1) * FRAME * H), drift[name]) for name in runners}


def compare(case: str, n: int, scene: SceneSpec, seconds: float) -> Iterator[Row]:
    model = compile_scene(scene)
    found = measure(
        {"ours": ours(model), "MuJoCo": in_mujoco(model), "PyBullet": in_pybullet(model)}, seconds
    )
    mine = found.pop("ours")
    for name, theirs in found.items():
        note = f"open by {mine[1]:.1e} / {theirs[1]:.1e} m"
        yield row(BENCH, case, n, mine[0], name, theirs[0], note)


def rows() -> Iterator[Row]:
    for friction in (False, True):
        end = ", friction, 1 s" if friction else ", 1 s"
        for cells in (1, 5, 20):
            yield from compare("tower" + end, cells, tower(cells, friction), 2.0)
        yield from compare("legs" + end, 12, legs(friction), 2.0)


if __name__ == "__main__":
    for line in rows():
        print(line, flush=True)
