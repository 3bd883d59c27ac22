"""Perform a shot in Blender as an animator would: build a rig or mechanism, simulate it, leave it keyed for a film."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import ceil
from typing import Protocol, TypeVar

import bpy

from ...bridge.bake.bake import bake_object
from ...bridge.mechanism.build_mechanism import Mechanism
from ...bridge.recording.graph_figures import graph_figures
from ...bridge.recording.recorded_result import simulate_recorded
from ...bridge.rig.make_physical import make_physical
from ...bridge.run.simulate_scene import Simulation, free_cache
from ...engine.model.state import Options
from ...engine.run.result import Result
from ...engine.run.simulate import scene_options, warm_up
from ...engine.shots import bridge as bridge_shot
from ...engine.shots import chain as chain_shot
from ...engine.shots import chains as chains_shot
from .build_shots import SHOT_BRIDGE, build_bridge, build_umbrella, check_umbrella
from .chain_rig import build_chain_rig, give_capsules
from .chains_scene import build_chains
from .film import Phase
from .hagfish_scene import build_hagfish, check_hagfish
from .hand_rig import build_hand, check_hand
from .klann_scene import SIDES, build_klann, check_klann, crank_joint, ground_of, with_friction
from .perform_starfish import ELEVATION, animate_starfish
from .performance import Performance, frame_rate
from .ragdoll_check import check_ragdoll
from .ragdoll_scene import build_ragdoll

SUBSTEPS = 4
"""Steps a frame of a mechanism."""
KLANN_STEPS = 240.0
"""Steps a second of the Klann walker, whose feet strike the floor."""
Build = Callable[[bpy.types.Scene], Mechanism]
Check = Callable[[Result], None]


class Rigged(Protocol):
    """An armature and the mesh that it moves."""

    @property
    def armature(self) -> bpy.types.Object: ...

    @property
    def skin(self) -> bpy.types.Object: ...


Rig = TypeVar("Rig", bound=Rigged)


def perform_chain(scene: bpy.types.Scene, frames: int, phase: Phase) -> Performance:
    """The chain: rig it, make it physical, simulate, check the physics, bake."""
    chain, spec = chain_shot.Chain(), chain_shot.spec()
    with phase("jit"):
        warm_up(scene_options(spec))
    with phase("build"):
        armature, skin = build_chain_rig(scene, chain)
        make_physical(armature, scene)
        give_capsules(armature, chain)
        settings = scene.redmax
        scene.frame_start = settings.frame_start = 1
        scene.frame_end = settings.frame_end = frames
        settings.integrator = spec.integrator
        settings.substeps = ceil(1.0 / (frame_rate(scene) * spec.time.step) - 1e-9)
        scene.frame_set(1)
    with phase("simulate"):
        simulation, result = simulate_recorded(bpy.context)
        simulated = simulation.reading.scene
    with phase("check"):
        chain_shot.check(result, chain, gap=1e-6)
    with phase("bake"):
        bake_object(armature, scene)
        free_cache(bpy.context)  # the keys say it all: the .blend file needs no cache beside it
    return Performance([skin], result, scene_options(simulated), ground=0.0, problem=simulation.diverged)


def perform_mechanism(
    scene: bpy.types.Scene,
    frames: int,
    phase: Phase,
    build: Build,
    gravity: bool,
    check: Check,
    plot: Callable[[Mechanism], None] | None = None,
) -> Performance:
    """A mechanism of objects, empties and curves: build it, simulate, check the physics, plot, bake."""
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
        simulation, result = simulate_recorded(bpy.context)
    with phase("check"):
        if not simulation.diverged:
            check(result)
    with phase("bake"):
        if plot is not None:
            plot(made)
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


def perform_rig(
    scene: bpy.types.Scene,
    frames: int,
    phase: Phase,
    build: Callable[[bpy.types.Scene], Rig],
    check: Callable[[Rig, Simulation, Result], None],
) -> tuple[Rig, Performance]:
    """A rig with a skin and keys of its own: build it, simulate, check the physics, bake."""
    with phase("jit"):
        warm_up(Options(h=0.01, integrator="euler"))
    with phase("build"):
        scene.frame_start = scene.redmax.frame_start = 1
        rig = build(scene)
        scene.frame_end = scene.redmax.frame_end = frames
    with phase("simulate"):
        simulation, result = simulate_recorded(bpy.context)
    with phase("check"):
        if not simulation.diverged:
            check(rig, simulation, result)
    with phase("bake"):
        for obj in (rig.armature, rig.skin):
            if obj.redmax.result:
                bake_object(obj, scene)
        free_cache(bpy.context)
    options = scene_options(simulation.reading.scene)
    return rig, Performance([rig.skin], result, options, problem=simulation.diverged)


def perform_hand(scene: bpy.types.Scene, frames: int, phase: Phase) -> Performance:
    """The hand: its fingertips on their empties, its elbow on its keys."""
    return perform_rig(scene, frames, phase, build_hand, lambda rig, *_: check_hand(scene, rig, frames))[1]


def perform_klann(
    scene: bpy.types.Scene, frames: int, phase: Phase, friction: float | None = None
) -> Performance:
    """The Klann walker; the torques of its cranks are left in the file as keys of custom properties.

    friction: coefficient inside its joints; the usual one when null.
    """
    klann = with_friction(friction)

    def build(scene: bpy.types.Scene) -> Mechanism:
        scene.redmax.substeps = ceil(KLANN_STEPS / frame_rate(scene))
        made = build_klann(scene, klann)
        ground_of(made).hide_render = True  # the stage has a floor at the same height
        return made

    def plot(made: Mechanism) -> None:
        graph_figures(scene, [crank_joint(made, klann, side).name for side in SIDES])

    performance = perform_mechanism(
        scene, frames, phase, build, True, lambda result: check_klann(result, klann), plot
    )
    return replace(performance, driven=tuple(f"{klann.crank(side)} joint" for side in SIDES))


def perform_chains(scene: bpy.types.Scene, frames: int, phase: Phase) -> Performance:
    """Two chains whose hinges rub."""
    performance = perform_mechanism(scene, frames, phase, build_chains, True, chains_shot.check)
    return replace(performance, ground=None)  # they hang high above it


def perform_hagfish(scene: bpy.types.Scene, frames: int, phase: Phase) -> Performance:
    """The hagfish and its knot."""
    _, performance = perform_rig(
        scene, frames, phase, build_hagfish, lambda _rig, _run, result: check_hagfish(result)
    )
    return replace(performance, elevation=0.5)


def perform_ragdoll(scene: bpy.types.Scene, frames: int, phase: Phase) -> Performance:
    """The person who falls down stairs."""
    made, performance = perform_rig(
        scene, frames, phase, build_ragdoll, lambda _rig, run, result: check_ragdoll(run, result)
    )
    made.solid["ground"].hide_render = True  # the stage has a floor at the same height
    return replace(performance, actors=[made.skin, made.solid["stairs"]], ground=0.0, elevation=0.3)


PERFORMED = {
    "chain": perform_chain,
    "bridge": perform_bridge,
    "umbrella": perform_umbrella,
    "starfish": perform_starfish,
    "hand": perform_hand,
    "chains": perform_chains,
    "klann": perform_klann,
    "hagfish": perform_hagfish,
    "ragdoll": perform_ragdoll,
}
"""The shots that have a rig, or are mechanisms of objects."""
