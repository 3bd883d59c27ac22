"""Perform a shot or a scene file in Blender: build it, simulate it, and leave it keyed, ready to be filmed.

A shot is performed as an animator would, on a rig and through what the panel's buttons call; a scene without a
rig becomes an object a body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import ceil, floor

import bpy

from ..engine.compile import compile_scene
from ..engine.errors import FAILURES, InputError
from ..engine.model import Model
from ..engine.result import Result
from ..engine.scene import SceneSpec
from ..engine.shots import bridge as bridge_shot
from ..engine.shots import chain as chain_shot
from ..engine.simulate import Frame, scene_options, simulate, warm_up
from ..engine.state import Options
from .bake import bake_object
from .build_colliders import build_colliders
from .build_mechanism import Mechanism
from .build_scene import build_scene, key_result
from .build_shots import SHOT_BRIDGE, STONE, build_bridge, build_umbrella, check_umbrella
from .chain_rig import build_chain_rig
from .film import Phase
from .frame_file import StoredFrame
from .hand_rig import build_hand, check_hand
from .make_physical import make_physical
from .perform_starfish import ELEVATION, animate_starfish
from .recorded_result import recorded_result
from .simulate_scene import Simulation, free_cache
from .studio import EMBERS, material, ramp

SUBSTEPS = 4
"""Steps a frame of a mechanism."""
Build = Callable[[bpy.types.Scene], Mechanism]
Check = Callable[[Result], None]


@dataclass(frozen=True)
class Performance:
    """What there is to film, and the run that moved it."""

    actors: list[bpy.types.Object]
    """The objects that move."""
    result: Result
    options: Options
    ground: float | None = None
    """Height of the floor; a little below the motion when None."""
    problem: str = ""
    """Why the run ended before its end."""
    elevation: float = 0.2
    """How steeply the camera looks down [rad]."""


def perform_chain(scene: bpy.types.Scene, frames: int, phase: Phase) -> Performance:
    """The chain: rig it, make it physical, simulate, check the physics, bake."""
    chain, spec = chain_shot.Chain(), chain_shot.spec()
    with phase("jit"):
        warm_up(scene_options(spec))
    with phase("build"):
        armature, skin = build_chain_rig(scene, chain)
        make_physical(armature, scene)
        for bone in armature.pose.bones:
            bone.redmax.damping = chain.damping
        settings = scene.redmax
        scene.frame_start = settings.frame_start = 1
        scene.frame_end = settings.frame_end = frames
        settings.integrator = spec.integrator
        settings.substeps = ceil(1.0 / (frame_rate(scene) * spec.time.step) - 1e-9)
        scene.frame_set(1)
    with phase("simulate"):
        simulation, result = _simulated()
        simulated = simulation.reading.scene
    with phase("check"):
        chain_shot.check(result, chain, gap=1e-6)
    with phase("bake"):
        bake_object(armature, scene)
        free_cache(bpy.context)  # the keys say it all: the .blend file needs no cache beside it
    return Performance([skin], result, scene_options(simulated), ground=0.0, problem=simulation.diverged)


def _simulated() -> tuple[Simulation, Result]:
    """Simulate the scene as the panel's button does, and keep all that the engine records."""
    simulation = Simulation(bpy.context)
    recorded: list[StoredFrame] = []
    simulation.frames = _keeping(recorded, simulation.frames)
    while simulation.advance():
        pass
    simulation.finish(bpy.context)
    return simulation, recorded_result(compile_scene(simulation.reading.scene), recorded, simulation.key)


def perform_mechanism(
    scene: bpy.types.Scene, frames: int, phase: Phase, build: Build, gravity: bool, check: Check
) -> Performance:
    """A mechanism of objects, empties and curves: build it, simulate, check the physics, bake."""
    with phase("jit"):
        warm_up(Options(h=0.01, integrator="euler"))
    with phase("build"):
        settings = scene.redmax
        scene.frame_start = settings.frame_start = 1
        scene.frame_end = settings.frame_end = frames
        settings.integrator, settings.substeps = "euler", SUBSTEPS
        scene.use_gravity = gravity
        made = build(scene)
        scene.frame_set(1)
    with phase("simulate"):
        simulation, result = _simulated()
    with phase("check"):
        if not simulation.diverged:
            check(result)
    with phase("bake"):
        moved = [obj for obj in made.bodies.values() if obj.redmax.result]
        for obj in moved:
            bake_object(obj, scene)
        free_cache(bpy.context)
    actors = [*made.bodies.values(), *made.springs.values()]
    options = scene_options(simulation.reading.scene)
    return Performance(actors, result, options, ground=0.0, problem=simulation.diverged)


def perform_bridge(scene: bpy.types.Scene, frames: int, phase: Phase) -> Performance:
    """The bridge, let go: it settles into its cables."""
    return perform_mechanism(
        scene, frames, phase, build_bridge, True, lambda result: bridge_shot.check(result, SHOT_BRIDGE)
    )


def perform_umbrella(scene: bpy.types.Scene, frames: int, phase: Phase) -> Performance:
    """The umbrella, opened by its runner."""
    return perform_mechanism(scene, frames, phase, build_umbrella, False, check_umbrella)


def perform_starfish(scene: bpy.types.Scene, frames: int, phase: Phase) -> Performance:
    """The starfish in its flesh."""
    rig, result, options, problem = animate_starfish(scene, frames, phase)
    return Performance([rig.skin], result, options, ground=0.0, problem=problem, elevation=ELEVATION)


def perform_hand(scene: bpy.types.Scene, frames: int, phase: Phase) -> Performance:
    """The hand: its fingertips on their empties, its elbow on its keys."""
    with phase("jit"):
        warm_up(Options(h=0.01, integrator="euler"))
    with phase("build"):
        scene.frame_start = scene.redmax.frame_start = 1
        rig = build_hand(scene)
        scene.frame_end = scene.redmax.frame_end = frames
    with phase("simulate"):
        simulation, result = _simulated()
    with phase("check"):
        if not simulation.diverged:
            check_hand(scene, rig, frames)
    with phase("bake"):
        for obj in (rig.armature, rig.skin):
            if obj.redmax.result:
                bake_object(obj, scene)
        free_cache(bpy.context)
    options = scene_options(simulation.reading.scene)
    return Performance([rig.skin], result, options, problem=simulation.diverged)


PERFORMED = {
    "chain": perform_chain,
    "bridge": perform_bridge,
    "umbrella": perform_umbrella,
    "starfish": perform_starfish,
    "hand": perform_hand,
}
"""The shots that have a rig, or are mechanisms of objects."""


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
    # an endless floor is no actor: the camera would stand back for its visible square
    actors = [
        *objects.values(),
        *(thing for thing in solid.values() if thing.redmax.collider.role == "COLLIDER"),
    ]
    floors = [thing for thing in solid.values() if thing not in actors]
    for thing in floors:
        thing.hide_render = True  # the stage has a floor at the same height
    ground = min((thing.location.z for thing in floors), default=None)
    return Performance(actors, result, options, ground=ground, problem=problem)


def frame_rate(scene: bpy.types.Scene) -> float:
    """[1/s]"""
    return float(scene.render.fps / scene.render.fps_base)


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


def _keeping(kept: list[StoredFrame], frames: Iterable[StoredFrame]) -> Iterator[StoredFrame]:
    for frame in frames:
        kept.append(frame)
        yield frame
