"""Perform a scene without a rig in Blender: an object a body, simulated, keyed and ready to be filmed."""

from __future__ import annotations

from math import ceil, floor

import bpy

from ...bridge.mechanism.build_colliders import build_colliders
from ...bridge.mechanism.build_muscles import build_muscles
from ...bridge.mechanism.build_scene import build_scene, key_result
from ...engine.compile.scene import compile_scene
from ...engine.errors import FAILURES, InputError
from ...engine.model.records import Model
from ...engine.model.state import Options
from ...engine.run.result import Result
from ...engine.run.simulate import Frame, scene_options, simulate, warm_up
from ...engine.scene import SceneSpec
from .build_shots import STONE
from .film import Phase
from .performance import Performance, frame_rate
from .studio import EMBERS, Colour, material, ramp

FLESH_RED: Colour = (0.45, 0.06, 0.05)


def perform_spec(
    scene: bpy.types.Scene, spec: SceneSpec, name: str, frames: int | None, phase: Phase
) -> Performance:
    """A scene without a rig: an object a body, keyed at the scene's frame rate, simulated in its own steps.

    frames: how many; as many as the spec's time spans when None.
    """
    rate = frame_rate(scene)
    options = scene_options(spec)
    end = spec.time.end if frames is None else _end(spec, frames, rate)
    if _whole_frames(end - spec.time.start, rate) < 1:
        raise InputError(name, f"it is shorter than a frame of 1/{rate:g} s", "Let its time end later.")
    with phase("jit"):
        warm_up(options)
    with phase("build"):
        model = compile_scene(spec)
        objects = build_scene(spec, scene, name=spec.name or name)
        for thing, colour in zip(objects.values(), ramp(EMBERS, len(objects))):
            thing.data.materials.append(material(thing.name, colour, roughness=0.35))
        solid = build_colliders(spec, scene, end)
        for thing in solid.values():
            thing.data.materials.append(material(thing.name, STONE, roughness=0.7))
    with phase("simulate"):
        recorded: list[Frame] = []
        problem = _record(recorded, model, options, end, rate)
        result = Result.from_frames(model, recorded)
    with phase("bake"):
        scene.frame_start = 1
        scene.frame_end = key_result(objects, result, rate)
        collection = next(iter(objects.values())).users_collection[0]
        muscles = build_muscles(spec, model, result, collection, rate)
        for thing in muscles:
            thing.data.materials.append(material(thing.name, FLESH_RED, roughness=0.5))
    # an endless floor is no actor: the camera would stand back for its visible square
    actors = [
        *objects.values(),
        *muscles,
        *(thing for thing in solid.values() if thing.redmax.collider.role == "COLLIDER"),
    ]
    floors = [thing for thing in solid.values() if thing not in actors]
    for thing in floors:
        thing.hide_render = True  # the stage has a floor at the same height
    ground = min((thing.location.z for thing in floors), default=None)
    return Performance(actors, result, options, ground=ground, problem=problem)


def _end(spec: SceneSpec, frames: int, rate: float) -> float:
    """The first whole step at or after the last of so many frames [s]."""
    steps = ceil((frames - 1) / rate / spec.time.step - 1e-9)
    return spec.time.start + steps * spec.time.step


def _whole_frames(seconds: float, rate: float) -> int:
    return floor(seconds * rate + 1e-6)


def _record(recorded: list[Frame], model: Model, options: Options, end: float, rate: float) -> str:
    """Take all frames. Those before a failure are kept if they make a film, and the failure is described."""
    try:
        recorded.extend(simulate(model, options, end=end))
    except FAILURES as error:
        if not recorded or _whole_frames(recorded[-1].state.t - recorded[0].state.t, rate) < 1:
            raise
        return str(error)
    return ""
