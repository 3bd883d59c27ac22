"""Perform the Ragdoll: person, stairs, simulation, check and keyframes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import bpy

from ..engine.compile import compile_scene
from ..engine.result import Result
from ..engine.shots.falls import measure
from ..engine.simulate import scene_options, warm_up
from ..engine.state import Options
from .bake import bake_object
from .ragdoll_scene import HEIGHT, RagdollScene, build_ragdoll
from .recorded_result import simulate_recorded
from .simulate_scene import Simulation, free_cache


def animate_ragdoll(
    scene: bpy.types.Scene, frames: int, phase: Callable[[str], AbstractContextManager[object]]
) -> tuple[RagdollScene, Result, Options, str]:
    """The fall, from an empty scene to keys on the bones; and why the run ended early, if it did."""
    with phase("jit"):
        warm_up(Options(h=0.01, integrator="euler"))
    with phase("build"):
        scene.frame_start = scene.redmax.frame_start = 1
        made = build_ragdoll(scene)
        scene.frame_end = scene.redmax.frame_end = frames
    with phase("simulate"):
        simulation, result = simulate_recorded(bpy.context)
    with phase("check"):
        if not simulation.diverged:
            check_ragdoll(simulation, result)
    with phase("bake"):
        bake_object(made.armature, scene)
        free_cache(bpy.context)  # the keys say it all: the .blend file needs no cache beside it
        made.solid["ground"].hide_render = True  # the stage has a floor at the same height
    return made, result, scene_options(simulation.reading.scene), simulation.diverged


def check_ragdoll(simulation: Simulation, result: Result) -> None:
    """Raise AssertionError when the fall is not physical: something in something else, or a joint beyond its range."""
    spec = simulation.reading.scene
    found = measure(compile_scene(spec), result, spec.colliders)
    faults = found.faults(HEIGHT, float("inf"), settled=False)
    if faults:
        raise AssertionError(f"ragdoll: {faults[0]}")
