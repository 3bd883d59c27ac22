"""`shot ragdoll --falls N`: random falls of the engine's figure, each in numbers; nothing is built or rendered."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Any

from ..engine.compile.scene import compile_scene
from ..engine.errors import FAILURES
from ..engine.run.result import Result
from ..engine.run.simulate import scene_options, simulate
from ..engine.shots import ragdoll, ragdoll_flesh
from ..engine.shots.falls import BEYOND, DEEPEST, Fallen, measure
from ..engine.shots.figure import HEIGHT

LONGEST = 12.0
"""How long a fall is watched [s]. A head that lies on the ground and rolls against the dampers of its neck may take ten
until it is at rest; what sleeps costs nothing."""


def try_falls(count: int, *, soft: bool) -> dict[str, Any]:
    """Falls 1 to `count`, with a soft belly or without one: every fall in numbers, and what is wrong with it."""
    falls = []
    for seed in range(1, count + 1):
        falls.append(try_fall(seed, soft=soft))
        print(line(falls[-1]), flush=True)
    return {
        "shot": "ragdoll",
        "soft": soft,
        "height_m": HEIGHT,
        "allowed": {"depth_m": DEEPEST * HEIGHT, "beyond_deg": BEYOND},
        "good": sum(not fall["faults"] for fall in falls),
        "falls": falls,
    }


def try_fall(seed: int, *, soft: bool, end: float = LONGEST) -> dict[str, Any]:
    """One fall; a run that diverges is a fault."""
    fall = ragdoll.Fall(seed)
    scene = ragdoll_flesh.spec(fall, end=end) if soft else ragdoll.spec(fall, end=end)
    model, begin = compile_scene(scene), time.perf_counter()
    frames = simulate(model, scene_options(scene), end=scene.time.end, record=scene.time.record)
    try:
        result = Result.from_frames(model, frames)
    except FAILURES as error:
        return {"seed": seed, "wall_s": time.perf_counter() - begin, "faults": [str(error)]}
    wall = time.perf_counter() - begin
    found = measure(model, result, scene.colliders)
    faults = found.faults(HEIGHT, ragdoll_flesh.GAIN, settled=end >= ragdoll.SETTLED)
    return {"seed": seed, "wall_s": wall, "ratio": wall / end, **numbers(found), "faults": faults}


def numbers(found: Fallen) -> dict[str, Any]:
    """With the unit in each name."""
    return {
        "depth_m": asdict(found.depth),
        "pressed_m": asdict(found.pressed),
        "beyond_deg": found.beyond,
        "beyond_joint": found.joint,
        "finite": found.finite,
        "speed_in_the_end_rad_s": found.speed,
        "flesh_in_the_end_m_s": found.stirring,
        "crept_in_the_end_m": found.crept,
        "energy_gained_J": found.gained,
        "rest_s": found.rest,
    }


def line(fall: dict[str, Any]) -> str:
    """A fall for the terminal."""
    if "depth_m" not in fall:
        return f"fall {fall['seed']}: {fall['faults'][0]}"
    depth = 1000.0 * max(fall["depth_m"]["depth"], fall["pressed_m"]["depth"])
    verdict = "; ".join(fall["faults"]) or "good"
    rest = "" if fall["rest_s"] is None else f" at rest after {fall['rest_s']:.1f} s,"
    return (
        f"fall {fall['seed']}: {depth:.2f} mm deep, {fall['beyond_deg']:.2f}° beyond a limit, "
        f"{1000.0 * fall['crept_in_the_end_m']:.2f} mm of creep,{rest} {fall['wall_s']:.1f} s: {verdict}"
    )
