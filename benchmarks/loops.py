"""Linkages with loops against MuJoCo and PyBullet (`linkages.py`): time for a second, and how far loops come open.

All take steps of 1/240 s, in batches of a frame.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from random import Random

import numpy as np

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.model.records import Model
from redmax_blender.engine.scene import SceneSpec

from .linkages import MORE, H, Runner, in_mujoco, in_pybullet, legs, ours, tower
from .timing import Row, row

BENCH = "loops"
FRAME, ROUNDS = 10, 9
"""Steps in a turn, and how often all is done."""


def measure(
    makers: dict[str, Callable[[Model], Runner]], model: Model, seconds: float
) -> dict[str, tuple[float, float]]:
    """CPU time for a second [s] and the largest drift [m] of each.

    Each does the whole scene as it is used, a frame after the other, and they take turns, in another order each time.
    All is done nine times over, and of each frame the best turn counts: noise only ever adds. PyBullet comes last, by
    itself: for tens of milliseconds after it, the others take twice their time. How far loops come open is looked at in
    a turn of its own.
    """
    frames, chance = round(seconds / H / FRAME), Random(0)
    best = {name: np.full(frames, np.inf) for name in makers}
    alone = [name for name in makers if name == "PyBullet"]
    for group in ([name for name in makers if name not in alone], alone):
        for _ in range(ROUNDS):
            chance.shuffle(group)
            for name in group:
                runner = makers[name](model)
                for frame in range(frames):
                    begin = time.process_time()
                    runner.advance(FRAME)
                    best[name][frame] = min(best[name][frame], time.process_time() - begin)
    drift = dict.fromkeys(makers, 0.0)
    runners = {name: make(model) for name, make in makers.items()}
    for name, runner in runners.items():
        for _ in range(frames):
            runner.advance(FRAME)
            drift[name] = max(drift[name], runner.drift())
    return {name: (best[name].sum() / (frames * FRAME * H), drift[name]) for name in makers}


def compare(case: str, n: int, scene: SceneSpec, seconds: float) -> Iterator[Row]:
    makers = {"ours": ours, "MuJoCo": in_mujoco, "PyBullet": in_pybullet}
    found = measure(makers, compile_scene(scene), seconds)
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
    yield from compare("legs, friction, more torque, 1 s", 12, legs(True, MORE), 2.0)


if __name__ == "__main__":
    for line in rows():
        print(line, flush=True)
