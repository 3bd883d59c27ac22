"""The shots as objects in a scene: what Add > RedMax and the command `shot` build."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_

from ...bridge.mechanism.build_mechanism import Mechanism, build_mechanism
from ...bridge.rig.rig import metres_per_unit
from ...engine.run.result import Result
from ...engine.scene import SceneSpec, Spring
from ...engine.shots.bridge import CABLES, Bridge
from ...engine.shots.bridge import spec as bridge_spec
from ...engine.shots.umbrella import RIB_LENGTH, RIBS, TUBE_HEIGHT, Umbrella
from ...engine.shots.umbrella import spec as umbrella_spec
from .chains_scene import build_chains
from .hagfish_scene import build_hagfish
from .hand_rig import build_hand
from .klann_scene import build_klann
from .ragdoll_scene import build_ragdoll
from .starfish_rig import build_starfish
from .studio import EMBERS, Colour, material, ramp

STEEL: Colour = (0.36, 0.4, 0.43)
STONE: Colour = (0.5, 0.47, 0.42)
SHOT_BRIDGE = Bridge(n_deck=20, n_tower=10, parameters="sim", up="z")
SHOT_UMBRELLA = Umbrella(n=4, driven="runner", up="z")
SOFTER, DAMPED = 120.0, 14.0
"""How much softer the bridge's cables are than published, and how much more they damp."""
TOWER_DAMPING = 3e6
"""Of the hinges of the towers [N·m·s/rad], which else would sway for long."""
OPENS_AFTER, OPENS_FOR = 0.2, 2.4
"""When the runner starts, and how long it takes [s]."""


def soft_bridge() -> SceneSpec:
    """The bridge with cables of rubber: published ones let it sag by three millimetres, which nobody would see."""
    made = bridge_spec(SHOT_BRIDGE)
    for force in made.forces:
        if isinstance(force, Spring):
            force.stiffness, force.damping = force.stiffness / SOFTER, force.damping * DAMPED
    for body in made.bodies:
        if body.name.startswith("tower"):
            body.joint.damping = TOWER_DAMPING
    return made


def build_bridge(scene: bpy.types.Scene) -> Mechanism:
    """The cable-stayed bridge: deck, towers and anchors are objects, hinges are empties, cables are curves."""
    made = build_mechanism(scene, soft_bridge(), name="Bridge", size=0.4)
    deck = [obj for name, obj in made.bodies.items() if name.startswith("deck")]
    _paint(deck, list(EMBERS[1:3]))
    _paint([obj for obj in made.bodies.values() if obj not in deck], [STONE])
    _paint([made.springs[f"cable.{k + 1:02d}"] for k in range(CABLES)], [STEEL])
    return made


def build_umbrella(scene: bpy.types.Scene) -> Mechanism:
    """The umbrella, closed. Its runner is an anchored object with two keys, which open it."""
    made = build_mechanism(
        scene, umbrella_spec(SHOT_UMBRELLA), name="Umbrella", anchored={"runner"}, size=1.2
    )
    runner = made.bodies["runner"]
    rate = scene.render.fps / scene.render.fps_base
    first = scene.redmax.frame_start + OPENS_AFTER * rate
    runner.keyframe_insert("location", index=2, frame=first)
    runner.location.z += SHOT_UMBRELLA.travel / metres_per_unit(scene)
    runner.keyframe_insert("location", index=2, frame=first + OPENS_FOR * rate)
    scene.frame_set(scene.frame_current)
    ribs = [obj for name, obj in made.bodies.items() if name.startswith("rib")]
    _paint(ribs, list(EMBERS))
    _paint([obj for obj in made.bodies.values() if obj not in ribs], [STEEL])
    _paint(list(made.springs.values()), [EMBERS[-1]])
    return made


def check_umbrella(result: Result, *, gap: float = 1e-4) -> None:
    """Raise AssertionError when a run of the umbrella in Blender is not physical.

    gap: how far a stretcher's tip may be from its rib, as a fraction of the tube's height.
    """
    shape = SHOT_UMBRELLA
    pose = {name: result.body_pose[:, k] for k, name in enumerate(result.bodies)}
    spread = []
    for k in range(RIBS):
        strut, rib = pose[shape.strut(k, shape.half - 1)], pose[shape.rib(k, shape.half - 1)]
        # a cylinder's own axis is the last of its principal ones, in either direction
        reach = 0.5 * shape.stretcher / shape.half * strut[:, [2, 5, 8]]
        ends = [np.linalg.norm(strut[:, 9:] + sign * reach - rib[:, 9:], axis=1) for sign in (1.0, -1.0)]
        apart = float(np.minimum(*ends).max()) / TUBE_HEIGHT
        if apart > gap:
            raise AssertionError(
                f"umbrella: stretcher {k + 1} leaves its rib by {apart:.2g} of the tube's height"
            )
        spread.append(np.linalg.norm(pose[shape.rib(k, shape.n - 1)][:, 9:11], axis=1))
    apart = float(np.ptp(spread, axis=0).max()) / RIB_LENGTH
    if apart > 1e-3:
        raise AssertionError(f"umbrella: its ribs differ by {apart:.2g} of their length, but it is symmetric")
    if result.t[-1] >= OPENS_AFTER + OPENS_FOR and not np.min(spread, axis=0)[-1] > 0.7 * RIB_LENGTH:
        raise AssertionError(
            f"umbrella: open, its ribs are only {np.min(spread, axis=0)[-1]:.3g} m from the tube"
        )


def _paint(objects: list[bpy.types.Object], stops: list[Colour]) -> None:
    """One material a colour, shared by the objects that have it."""
    count = min(len(objects), 4 * len(stops) - 3)
    shades = [material("RedMax", colour, roughness=0.4) for colour in ramp(stops, count)]
    for k, obj in enumerate(objects):
        obj.data.materials.append(shades[k * len(shades) // len(objects)])


def _counted(build: Callable[[bpy.types.Scene], Mechanism], scene: bpy.types.Scene) -> str:
    made = build(scene)
    text = rpt_("{bodies} bodies, {joints} joints and {springs} springs")
    return text.format(bodies=len(made.bodies), joints=len(made.joints), springs=len(made.springs))


def _starfish(scene: bpy.types.Scene) -> str:
    made = build_starfish(scene)
    bones, leads = len(made.armature.pose.bones), len(made.leads)
    text = rpt_("an armature of {bones} bones, a soft skin and {leads} empties that lead it")
    return text.format(bones=bones, leads=leads)


def _hand(scene: bpy.types.Scene) -> str:
    made = build_hand(scene)
    bones, leads = len(made.armature.pose.bones), len(made.leads)
    text = rpt_("an armature of {bones} bones, a skin and {leads} empties that its fingertips follow")
    return text.format(bones=bones, leads=leads)


def _ragdoll(scene: bpy.types.Scene) -> str:
    made = build_ragdoll(scene)
    physical = sum(bone.redmax.physical for bone in made.armature.pose.bones)
    text = rpt_("a person of {bodies} bodies, a flight of stairs and a platform that its keys move")
    return text.format(bodies=physical)


def _hagfish(scene: bpy.types.Scene) -> str:
    made = build_hagfish(scene)
    text = rpt_("an armature of {bones} guided bones and its skin; gravity is off")
    return text.format(bones=len(made.armature.pose.bones))


BUILDERS: dict[str, Callable[[bpy.types.Scene], str]] = {
    "bridge": partial(_counted, build_bridge),
    "umbrella": partial(_counted, build_umbrella),
    "starfish": _starfish,
    "hand": _hand,
    "chains": partial(_counted, build_chains),
    "klann": partial(_counted, build_klann),
    "hagfish": _hagfish,
    "ragdoll": _ragdoll,
}
"""What Add > RedMax offers; each adds itself to a scene and says what it added."""
