"""Perform the Starfish: rig, cage, simulation, check, keyframes and shape keys, each timed by itself."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import bpy

from ...bridge.bake.bake import bake_object
from ...bridge.recording.frame_file import StoredFrame
from ...bridge.recording.recorded_result import recorded_result
from ...bridge.run.simulate_scene import Simulation, free_cache
from ...engine.compile.scene import compile_scene
from ...engine.model.state import Options
from ...engine.run.result import Result
from ...engine.run.simulate import scene_options
from ...engine.run.warm_flesh import warm_up_flesh
from ...engine.shots.starfish import Starfish, check
from .starfish_rig import StarfishRig, build_rig, soften

ELEVATION = 0.42
"""How steeply the camera looks down on it [rad]."""


def animate_starfish(
    scene: bpy.types.Scene, frames: int, phase: Callable[[str], AbstractContextManager[object]]
) -> tuple[StarfishRig, Result, Options, str]:
    """The starfish, from an empty scene to keys on its bones and its skin; and why the run ended early, if it did."""
    starfish = Starfish()
    with phase("jit"):
        warm_up_flesh(Options(h=0.01, integrator="euler"))
    with phase("build"):
        scene.frame_start = scene.redmax.frame_start = 1
        rig = build_rig(scene, starfish)
        scene.frame_end = scene.redmax.frame_end = frames
    with phase("cage"):
        soften(rig, scene, starfish)
    with phase("read"):
        simulation = Simulation(bpy.context)
    with phase("compile"):
        model = compile_scene(simulation.reading.scene)
    recorded: list[StoredFrame] = []
    with phase("simulate"):
        frames_of_run = simulation.frames
        simulation.frames = (recorded.append(frame) or frame for frame in frames_of_run)
        while simulation.advance():
            pass
        simulation.finish(bpy.context)
    with phase("bake"):
        for obj in (rig.armature, rig.skin):
            bake_object(obj, scene)
        free_cache(bpy.context)  # the keys say it all: the .blend file needs no cache beside it
    with phase("check"):
        result = recorded_result(model, recorded, simulation.key)
        if not simulation.diverged:
            check(result, starfish)
    return rig, result, scene_options(simulation.reading.scene), simulation.diverged
