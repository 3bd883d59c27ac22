"""The Ragdoll as an animator makes it: a person with keys steps off a landing, is let go, and falls down the stairs.

Everything is an ordinary setting that can be changed: the person is a human metarig in a skin, made physical with the
joints, limits and friction of people; its first frames are keyed, and who controls its bones is keyed as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import radians

import bpy
from mathutils import Matrix

from ...bridge.mechanism.build_colliders import build_colliders
from ...bridge.rig.anatomy.names import part_of
from ...bridge.rig.decide import decide_all
from ...bridge.rig.make_physical import Choices, make_physical
from ...bridge.rig.rig import metres_per_unit
from ...bridge.rig.set_control import bones_in_scope, set_control
from ...engine.scene import SceneSpec, TimeSpec
from ...engine.shots.ragdoll import Stairs
from .human_rig import add_human
from .human_skin import VOXEL, add_body
from .studio import Colour, material

HEIGHT = 1.75
"""Of the person [m]."""
FRAMES = 96
"""Length of the shot at 24 frames a second."""
LET_GO = 0.35
"""When the person is let go [s]."""
SUBSTEPS = 10
SKIN_FRICTION = 0.6
HAND = 0.16
"""Length of a hand with its fingers [m], which are left out of the simulation."""
WAIST = "spine.001"
"""The bone between hips and ribs, whose round ends cover it: thighs are raised into where its own capsule would be."""
FLIGHT = Stairs(steps=6, width=1.7, landing=1.4, platform=1.9, friction=0.35, moves=0.5)
STONE: Colour = (0.5, 0.47, 0.42)
MOSS: Colour = (0.2, 0.27, 0.14)
STEPS: dict[str, tuple[tuple[float, float, float], ...]] = {
    "thigh.L": ((-40.0, 0.0, 0.0), (-85.0, 0.0, 0.0)),
    "shin.L": ((60.0, 0.0, 0.0), (50.0, 0.0, 0.0)),
    "thigh.R": ((0.0, 0.0, 0.0), (18.0, 0.0, 0.0)),
    "shin.R": ((45.0, 0.0, 0.0), (60.0, 0.0, 0.0)),
    "upper_arm.L": ((10.0, 0.0, -40.0), (45.0, 0.0, -20.0)),
    "upper_arm.R": ((-10.0, 0.0, 40.0), (20.0, 0.0, 10.0)),
    "forearm.L": ((20.0, 0.0, 0.0), (45.0, 0.0, 0.0)),
    "forearm.R": ((30.0, 0.0, 0.0), (50.0, 0.0, 0.0)),
}
"""Angles of bones at the first frame and when the person is let go [°]: a step into the void."""


@dataclass(frozen=True)
class RagdollScene:
    armature: bpy.types.Object
    skin: bpy.types.Object
    solid: dict[str, bpy.types.Object]
    """The ground, the stairs and the platform, by name."""


def build_ragdoll(scene: bpy.types.Scene, stairs: Stairs | None = None) -> RagdollScene:
    """Add person, stairs and platform, ready to be simulated, and set the scene's range to the fall."""
    stairs = stairs or FLIGHT
    unit = metres_per_unit(scene)
    rate = scene.render.fps / scene.render.fps_base
    settings = scene.redmax
    settings.integrator, settings.substeps = "euler", SUBSTEPS
    first = settings.frame_start
    scene.frame_end = settings.frame_end = first + round(FRAMES * rate / 24.0) - 1
    scene.frame_set(first)
    armature, skin = add_person(scene)
    armature.matrix_world = Matrix.Translation((0.0, 0.85 / unit, (stairs.top + 0.015) / unit))
    key_step(armature, first, first + round(LET_GO * rate), unit)
    solid = add_stairs(scene, stairs)
    scene.frame_set(first)
    return RagdollScene(armature, skin, solid)


def add_person(
    scene: bpy.types.Scene, name: str = "Ragdoll", voxel: float = VOXEL
) -> tuple[bpy.types.Object, bpy.types.Object]:
    """A person at the world's origin, physical and free to fall: the armature and its skin, which is as fine as `voxel`
    [m]."""
    unit = metres_per_unit(scene)
    armature = add_human(scene, HEIGHT / unit, name)
    armature.data.display_type = "STICK"
    armature.show_in_front = True
    skin = add_body(scene, armature, unit, voxel)
    for bone in armature.pose.bones:
        bone.rotation_mode = "XYZ"
    bpy.context.view_layer.update()
    make_physical(armature, scene, Choices(root="FREE"))
    armature.redmax.self_collision = True
    hands = [b.name for b in armature.pose.bones if part_of(b.name) in ("finger", "thumb", "palm")]
    decide_all(armature, scene, hands, "LEAVE_OUT")
    for bone in armature.pose.bones:
        part = part_of(bone.name)
        bone.redmax.surface.friction = SKIN_FRICTION
        if part in ("spine", "shoulder"):  # their capsules overlap, as a trunk is all of one piece
            bone.redmax.surface.group = f"{armature.name} trunk"
        if bone.name == WAIST:
            bone.redmax.surface.collide = False
        if part == "hand":
            bone.redmax.use_bone_length, bone.redmax.length = False, HAND / unit
    return armature, skin


def key_step(armature: bpy.types.Object, first: int, let_go: int, unit: float) -> None:
    """Key a step forward from a frame to another, at which physics takes over."""
    bones = armature.pose.bones
    for name, turns in STEPS.items():
        for frame, angles in zip((first, let_go), turns):
            bones[name].rotation_euler = [radians(angle) for angle in angles]
            bones[name].keyframe_insert("rotation_euler", frame=frame, group=name)
    root = bones["spine"]
    # its own axes: x to the left, y up, z to the front
    for frame, up, forward, lean in ((first, -0.02, 0.0, 4.0), (let_go, 0.03, 1.05, 30.0)):
        root.location = (0.0, up / unit, forward / unit)
        root.rotation_euler = (radians(lean), 0.0, 0.0)
        for channel in ("location", "rotation_euler"):
            root.keyframe_insert(channel, frame=frame, group=root.name)
    make_linear(armature)
    physical = bones_in_scope(armature, "ALL")
    set_control(physical, "KEYFRAMED", first)
    set_control(physical, "FREE", let_go)


def make_linear(obj: bpy.types.Object) -> None:
    """Let the curves of an object go on at the speed that they end with."""
    from ...bridge.bake.actions import curves_of

    for curve in curves_of(obj):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
        curve.extrapolation = "LINEAR"


def add_stairs(scene: bpy.types.Scene, stairs: Stairs) -> dict[str, bpy.types.Object]:
    """The flight of the engine's shot: a mesh that is solid as it looks, the ground, and a platform that has keys."""
    rate = scene.render.fps / scene.render.fps_base
    unit = metres_per_unit(scene)
    end = (scene.redmax.frame_end - scene.redmax.frame_start) / rate
    around = [c for c in stairs.colliders() if c.name in ("ground", "platform")]
    spec = SceneSpec(name="Stairs", colliders=around, time=TimeSpec(end=end), bodies=[])
    made = build_colliders(spec, scene, end, frame_start=scene.redmax.frame_start, unit=unit)
    made["stairs"] = flight = bpy.data.objects.new("Stairs", flight_mesh(stairs, unit))
    made["platform"].users_collection[0].objects.link(flight)
    flight.redmax.collider.role, flight.redmax.collider.shape = "COLLIDER", "MESH"
    flight.redmax.surface.friction = stairs.friction
    flight.data.materials.append(material("Stone", STONE, roughness=0.8))
    made["platform"].data.materials.append(material("Platform", MOSS, roughness=0.6))
    return made


def flight_mesh(stairs: Stairs, unit: float) -> bpy.types.Mesh:
    """Landing and steps in one piece that stands on the ground; unit: metres a Blender unit."""
    y, z = stairs.landing, stairs.top
    profile = [(y, 0.0), (y, z), (0.0, z)]
    for k in range(1, stairs.steps + 1):
        z -= stairs.rise
        profile += [(-(k - 1) * stairs.run, z), (-k * stairs.run, z)]
    profile.append((-stairs.steps * stairs.run, 0.0))
    n, half = len(profile), 0.5 * stairs.width / unit
    points = [(x, y / unit, z / unit) for x in (-half, half) for y, z in profile]
    sides = [(i, (i + 1) % n, n + (i + 1) % n, n + i) for i in range(n)]
    mesh = bpy.data.meshes.new("Stairs")
    mesh.from_pydata(points, [], [tuple(reversed(range(n))), tuple(range(n, 2 * n)), *sides])
    return mesh
