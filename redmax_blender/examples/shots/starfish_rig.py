"""The Starfish as a rigger makes it: an armature with keys on some bones, empties that lead two arms, a soft skin."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ...bridge.flesh.make_soft import make_soft
from ...bridge.rig.make_physical import Choices, make_physical
from ...bridge.rig.rig import metres_per_unit
from ...bridge.rig.set_control import set_influence
from ...engine.shots.starfish_figure import (
    FPS,
    FRAMES,
    JOINTS,
    LED,
    PRESCRIBED,
    STEPS,
    TAKES_HOLD,
    Starfish,
    keyed_angles,
    keyed_path,
)
from ...engine.shots.starfish_skin import ARMS
from .studio import Colour

DISC = "disc"
BACK: Colour = (0.42, 0.022, 0.012)
WARTS: Colour = (0.95, 0.4, 0.1)
BELLY: Colour = (0.8, 0.42, 0.2)


@dataclass(frozen=True)
class StarfishRig:
    armature: bpy.types.Object
    skin: bpy.types.Object
    leads: list[bpy.types.Object]
    """Empties whose way the tips of arms follow."""


def build_starfish(scene: bpy.types.Scene, starfish: Starfish | None = None) -> StarfishRig:
    """Add the starfish, ready to be simulated from the scene's first frame on, and set the scene's range to it."""
    starfish = starfish or Starfish()
    rig = build_rig(scene, starfish)
    soften(rig, scene, starfish)
    return rig


def build_rig(scene: bpy.types.Scene, starfish: Starfish) -> StarfishRig:
    """Armature, skin, keys and empties; the skin is not soft yet."""
    unit = metres_per_unit(scene)
    settings = scene.redmax
    scene.frame_end = settings.frame_end = settings.frame_start + FRAMES - 1
    settings.integrator, settings.substeps = "euler", STEPS
    rate = scene.render.fps / scene.render.fps_base
    first = settings.frame_start

    armature = _armature(scene, starfish, unit)
    skin = _skin(scene, starfish, unit)
    skin.parent = armature
    _weigh(skin, starfish, unit)
    skin.modifiers.new("Armature", "ARMATURE").object = armature
    bpy.context.view_layer.update()
    make_physical(
        armature,
        scene,
        Choices(
            density=starfish.bone_density,
            size_from="BONE",
            slenderness=starfish.bone_radius / starfish.bone,
            root="FREE",
        ),
    )
    for arm in range(ARMS):
        for joint in range(JOINTS):
            bone = armature.pose.bones[starfish.name(arm, joint)]
            if joint < PRESCRIBED:
                bone.redmax_control = "KEYFRAMED"
                _key_angles(bone, arm, joint, first, rate)
            else:
                bone.redmax.stiffness, bone.redmax.damping = starfish.joint_stiffness, starfish.joint_damping
    leads = [_lead(scene, armature, starfish, arm, first, rate, unit) for arm in LED]
    scene.frame_set(first)
    return StarfishRig(armature, skin, leads)


def _armature(scene: bpy.types.Scene, starfish: Starfish, unit: float) -> bpy.types.Object:
    armature = bpy.data.objects.new("Starfish", bpy.data.armatures.new("Starfish"))
    scene.collection.objects.link(armature)
    armature.data.display_type = "STICK"
    armature.show_in_front = True
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    bones = armature.data.edit_bones
    disc = bones.new(DISC)
    disc.head = (0.0, 0.0, (starfish.middle - 0.25 * starfish.thickness) / unit)
    disc.tail = (0.0, 0.0, (starfish.middle + 0.25 * starfish.thickness) / unit)
    for arm in range(ARMS):
        parent = disc
        for joint in range(JOINTS):
            bone = bones.new(starfish.name(arm, joint))
            bone.head, bone.tail = (starfish.head(arm, j) / unit for j in (joint, joint + 1))
            bone.align_roll((0.0, 0.0, 1.0))
            bone.parent, bone.use_connect = parent, joint > 0
            parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in armature.pose.bones:
        # A universal joint turns about x and then about the turned z: so does this order of Euler angles.
        bone.rotation_mode = "ZYX"
        bone.lock_ik_y = bone.name != DISC
    return armature


def _skin(scene: bpy.types.Scene, starfish: Starfish, unit: float) -> bpy.types.Object:
    vertices, quads = starfish.skin()
    mesh = bpy.data.meshes.new("Starfish Skin")
    mesh.from_pydata((vertices / unit).tolist(), [], quads.tolist())
    mesh.polygons.foreach_set("use_smooth", np.ones(len(mesh.polygons), dtype=bool))
    colours = mesh.attributes.new("Colour", "FLOAT_COLOR", "POINT")
    colours.data.foreach_set("color", np.ascontiguousarray(_colours(vertices, starfish), np.float32).ravel())
    mesh.materials.append(_painted("Starfish"))
    skin = bpy.data.objects.new("Starfish Skin", mesh)
    scene.collection.objects.link(skin)
    return skin


def _colours(vertices: np.ndarray, starfish: Starfish) -> np.ndarray:
    """Deep on the back, bright on warts and towards the tips, pale below; shape (n, 4)."""
    flat = starfish.skin(warts=0.0)[0]
    raised = np.clip((vertices[:, 2] - flat[:, 2]) / (0.03 * starfish.thickness), 0.0, 1.0)[:, None]
    far = np.clip(np.hypot(vertices[:, 0], vertices[:, 1]) / starfish.radius, 0.0, 1.0)[:, None]
    below = np.clip(1.0 - vertices[:, 2] / (0.28 * starfish.thickness), 0.0, 1.0)[:, None]
    colour = np.array(BACK) + 0.5 * far**2 * (np.array(WARTS) - BACK)
    colour = colour + raised * (np.array(WARTS) - colour)
    colour = colour + below * (np.array(BELLY) - colour)
    return np.concatenate([colour, np.ones((len(vertices), 1))], axis=1)


def _painted(name: str) -> bpy.types.Material:
    """A moist material in the mesh's own colours."""
    made = bpy.data.materials.new(name)
    if bpy.app.version < (5, 0, 0):  # from 5.0 on every material has nodes
        made.use_nodes = True
    tree = made.node_tree
    shader = next(node for node in tree.nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Roughness"].default_value = 0.42
    colour = tree.nodes.new("ShaderNodeAttribute")
    colour.attribute_name = "Colour"
    tree.links.new(colour.outputs["Color"], shader.inputs["Base Color"])
    made.diffuse_color = (*BACK, 1.0)
    return made


def _weigh(skin: bpy.types.Object, starfish: Starfish, unit: float) -> None:
    """Ordinary skin weights, so that the rig can be posed by hand: by distance to the two nearest bones."""
    points = np.array([vertex.co for vertex in skin.data.vertices]) * unit
    names, heads, tails = [DISC], [np.zeros(3)], [np.array([0.0, 0.0, starfish.thickness])]
    for arm in range(ARMS):
        for joint in range(JOINTS):
            names.append(starfish.name(arm, joint))
            heads.append(starfish.head(arm, joint))
            tails.append(starfish.head(arm, joint + 1))
    a, axis = np.array(heads), np.array(tails) - np.array(heads)
    along = np.einsum("vbc,bc->vb", points[:, None] - a, axis) / np.einsum("bc,bc->b", axis, axis)
    nearest = a + np.clip(along, 0.0, 1.0)[:, :, None] * axis
    distance = np.maximum(np.linalg.norm(points[:, None] - nearest, axis=2), 1e-3 * starfish.radius)
    weight = distance**-4.0
    weight[weight < np.sort(weight, axis=1)[:, -2:-1]] = 0.0
    weight /= weight.sum(axis=1, keepdims=True)
    for b, name in enumerate(names):
        group = skin.vertex_groups.new(name=name)
        for vertex in np.flatnonzero(weight[:, b] > 0.01).tolist():
            group.add([vertex], float(weight[vertex, b]), "REPLACE")


def _key_angles(bone: bpy.types.PoseBone, arm: int, joint: int, first: int, rate: float) -> None:
    times, bend, sway = keyed_angles(arm, joint)
    for t, x, z in zip(times, bend, sway):
        bone.rotation_euler = (-x, 0.0, z)  # a bone's x axis bends it upwards
        for index in (0, 2):
            bone.keyframe_insert("rotation_euler", index=index, frame=first + t * rate)


def _lead(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    starfish: Starfish,
    arm: int,
    first: int,
    rate: float,
    unit: float,
) -> bpy.types.Object:
    """An empty with keys, and the last bone of an arm, whose tail follows it for a while."""
    lead = bpy.data.objects.new(f"Lead {arm + 1}", None)
    lead.empty_display_type, lead.empty_display_size = "SPHERE", 0.04 * starfish.radius / unit
    scene.collection.objects.link(lead)
    for t, place in zip(*keyed_path(starfish, arm)):
        lead.location = place / unit
        lead.keyframe_insert("location", frame=first + t * rate)
    bone = armature.pose.bones[starfish.name(arm, JOINTS - 1)]
    control = bone.redmax.control
    control.target, control.target_point = lead, "TAIL"
    control.ease = round(TAKES_HOLD * FPS)
    begin, end = LED[arm]
    for t, influence in ((0.0, 0.0), (begin, 1.0), (end, 0.0)):
        set_influence(bone, influence, round(first + t * rate))
    return lead


def soften(rig: StarfishRig, scene: bpy.types.Scene, starfish: Starfish) -> None:
    """Make the skin soft, in a cage, over a springy floor."""
    unit, flesh = metres_per_unit(scene), rig.skin.redmax.flesh
    flesh.young, flesh.density, flesh.damping = starfish.young, starfish.density, 0.01
    flesh.cage_count = starfish.cage_vertices
    flesh.floor, flesh.floor_depth = True, 0.002 / unit
    make_soft([rig.skin], bpy.context)
