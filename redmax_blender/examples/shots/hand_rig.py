"""The Hand as a rigger makes it: an armature with a keyed elbow, empties that lead the fingertips, and a skin."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Vector

from ...bridge.flesh.make_soft import make_soft
from ...bridge.mechanism.build_scene import fill_mesh
from ...bridge.mechanism.primitives import capsule, merge
from ...bridge.rig.make_physical import Choices, make_physical
from ...bridge.rig.rig import metres_per_unit
from ...engine.shots.hand import (
    FINGERS,
    FRAMES,
    RATIO,
    STEPS,
    TIPS,
    WRIST,
    Bone,
    Hand,
    keyed_times,
    pose,
    rest_frames,
    tips,
)
from .studio import Colour, material

SKIN: Colour = (0.62, 0.32, 0.22)
VOXEL = 0.003
"""Size of the cells from which the skin is grown [m]."""
YOUNG = 6e4
"""Stiffness of the skin and the flesh below it [Pa]."""
CAGE = 800
"""Vertices of the skin's cage."""
THICKER = 1.1
"""Radius of the skin around a bone, as a multiple of the bone's."""


@dataclass(frozen=True)
class HandRig:
    armature: bpy.types.Object
    skin: bpy.types.Object
    leads: list[bpy.types.Object]
    """Empties that the fingertips follow."""


def build_hand(scene: bpy.types.Scene, hand: Hand | None = None, *, soft: bool = True) -> HandRig:
    """Add the hand, ready to be simulated from the scene's first frame on, and set the scene's range to it.

    soft: whether its skin is flesh; otherwise the bones deform it as usual.
    """
    hand = hand or Hand()
    unit = metres_per_unit(scene)
    settings = scene.redmax
    scene.frame_end = settings.frame_end = settings.frame_start + FRAMES
    settings.integrator, settings.substeps = "euler", STEPS
    rate = scene.render.fps / scene.render.fps_base
    armature = _armature(scene, hand, unit)
    make_physical(armature, scene, Choices(size_from="BONE", root="HINGED"))
    for bone in hand.bones():
        _settings(armature, hand, bone, unit)
    _key_elbow(armature, settings.frame_start, rate)
    leads = [_lead(scene, armature, hand, name, settings.frame_start, rate, unit) for name in TIPS]
    skin = _skin(scene, hand, unit)
    skin.parent = armature
    _weigh(skin, hand, unit)
    skin.modifiers.new("Armature", "ARMATURE").object = armature
    scene.frame_set(settings.frame_start)
    if soft:
        flesh = skin.redmax.flesh
        flesh.young, flesh.density, flesh.cage_count = YOUNG, hand.density, CAGE
        make_soft([skin], bpy.context)
    return HandRig(armature, skin, leads)


def check_hand(scene: bpy.types.Scene, rig: HandRig, frames: int, gap: float = 1e-4) -> None:
    """Raise AssertionError when the simulated hand does not do as it was told.

    gap: how far a fingertip may be from its empty [m].
    """
    unit, pose_bones = metres_per_unit(scene), rig.armature.pose.bones
    first = scene.redmax.frame_start
    start: dict[str, float] = {}
    for frame in range(first, first + frames):
        scene.frame_set(frame)
        for name, lead in zip(TIPS, rig.leads):
            tip = rig.armature.matrix_world @ pose_bones[name].tail
            apart = (tip - lead.matrix_world.translation).length * unit
            if apart > gap:
                raise AssertionError(f"hand: at frame {frame} '{name}' is {apart:.2g} m from its empty")
        for finger in FINGERS:
            angle = (
                pose_bones[f"{finger}.2"].rotation_euler.x
                - RATIO * pose_bones[f"{finger}.3"].rotation_euler.x
            )
            if (
                abs(angle - start.setdefault(finger, angle)) > 1e-5
            ):  # Blender's channels are in single precision
                raise AssertionError(f"hand: at frame {frame} the joints of '{finger}' are not coupled")


def _armature(scene: bpy.types.Scene, hand: Hand, unit: float) -> bpy.types.Object:
    armature = bpy.data.objects.new("Hand", bpy.data.armatures.new("Hand"))
    scene.collection.objects.link(armature)
    armature.data.display_type = "STICK"
    armature.show_in_front = True
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    frames = rest_frames(hand)
    for bone in hand.bones():
        made = armature.data.edit_bones.new(bone.name)
        frame = frames[bone.name]
        made.head = frame[:3, 3] / unit
        made.tail = (frame[:3, 3] + bone.length * frame[:3, 2]) / unit
        made.align_roll(Vector(-frame[:3, 1]))  # a bone's x is its axis of bending, as a joint's
        if bone.parent is not None:
            made.parent = armature.data.edit_bones[bone.parent]
            made.use_connect = made.parent.tail == made.head
    bpy.ops.object.mode_set(mode="OBJECT")
    start = pose(keyed_times()[:1])
    for bone in hand.bones():
        posed = armature.pose.bones[bone.name]
        posed.rotation_mode = "ZYX"  # a universal joint turns about x and then about the turned z
        posed.lock_ik_y, posed.lock_ik_z = True, bone.hinges == 1
        posed.rotation_euler = (float(start[bone.name][0, 0]), 0.0, -_second(start[bone.name][0]))
    return armature


def _second(angles: np.ndarray) -> float:
    return float(angles[1]) if len(angles) > 1 else 0.0


def _settings(armature: bpy.types.Object, hand: Hand, bone: Bone, unit: float) -> None:
    """The bone's body and joint, as the shot has them; what is passive rubs."""
    settings = armature.pose.bones[bone.name].redmax
    settings.radius = bone.radius / unit
    settings.density = hand.density
    if bone.parent is None:
        return
    strong = WRIST if bone.name == "palm" else 1.0
    settings.stiffness, settings.damping = strong * hand.stiffness, strong * hand.damping
    settings.friction.coefficient = hand.friction
    settings.friction.radius = hand.pin * bone.radius / unit
    finger, _, joint = bone.name.partition(".")
    if finger in FINGERS and joint == "2":
        settings.coupling.bone, settings.coupling.ratio = f"{finger}.3", RATIO


def _key_elbow(armature: bpy.types.Object, first: int, rate: float) -> None:
    bone = armature.pose.bones["forearm"]
    bone.redmax_control = "KEYFRAMED"
    t = keyed_times()
    for time, angle in zip(t, pose(t)["forearm"][:, 0]):
        bone.rotation_euler.x = angle
        bone.keyframe_insert("rotation_euler", index=0, frame=first + time * rate)


def _lead(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    hand: Hand,
    name: str,
    first: int,
    rate: float,
    unit: float,
) -> bpy.types.Object:
    """An empty with keys, and the last bone of a finger, whose tail follows it."""
    lead = bpy.data.objects.new(f"Lead {name.partition('.')[0]}", None)
    lead.empty_display_type, lead.empty_display_size = "SPHERE", 0.012 / unit
    scene.collection.objects.link(lead)
    t = keyed_times()
    for time, place in zip(t, tips(hand, t)[name]):
        lead.location = place / unit
        lead.keyframe_insert("location", frame=first + time * rate)
    bone = armature.pose.bones[name]
    bone.redmax.control.target, bone.redmax.control.target_point = lead, "TAIL"
    bone.redmax_influence = 1.0
    return lead


def _skin(scene: bpy.types.Scene, hand: Hand, unit: float) -> bpy.types.Object:
    """Capsules around the bones at rest, grown together by Blender's voxel remesher."""
    frames = rest_frames(hand)
    parts = []
    for bone, start, length, radius in _flesh(hand):
        frame = frames[bone.name]
        middle = frame[:3, 3] + frame[:3, :3] @ start + (0.5 * length) * frame[:3, 2]
        parts.append(capsule(radius / unit, length / unit).moved(frame[:3, :3], middle / unit))
    raw = bpy.data.meshes.new("Hand")
    fill_mesh(raw, merge(parts))
    skin = bpy.data.objects.new("Hand Skin", raw)
    scene.collection.objects.link(skin)
    grown = skin.modifiers.new("Remesh", "REMESH")
    grown.mode, grown.voxel_size, grown.use_smooth_shade = "VOXEL", VOXEL / unit, True
    smooth = skin.modifiers.new("Smooth", "SMOOTH")
    smooth.factor, smooth.iterations = 0.5, 4
    bpy.context.view_layer.update()
    shown = skin.evaluated_get(bpy.context.evaluated_depsgraph_get())
    skin.data = bpy.data.meshes.new_from_object(shown)
    skin.data.name = "Hand Skin"
    skin.modifiers.clear()
    bpy.data.meshes.remove(raw)
    skin.data.materials.append(material("Hand Skin", SKIN, roughness=0.5))
    return skin


def _flesh(hand: Hand) -> list[tuple[Bone, np.ndarray, float, float]]:
    """What the skin is grown around: bone, start in its frame [m], length and radius [m]; the palm is made of rays."""
    found = []
    for bone in hand.bones():
        if bone.name == "palm":
            for k in range(-2, 3):
                found.append((bone, np.array([0.016 * k, 0.0, -0.01]), bone.length + 0.005, 0.018))
        else:
            found.append((bone, np.zeros(3), bone.length, THICKER * bone.radius))
    return found


def _weigh(skin: bpy.types.Object, hand: Hand, unit: float) -> None:
    """Ordinary skin weights: by distance to the two nearest of what the skin was grown around."""
    points = np.array([vertex.co for vertex in skin.data.vertices]) * unit
    frames = rest_frames(hand)
    names, heads, tails = [], [], []
    for bone, start, length, _ in _flesh(hand):
        frame = frames[bone.name]
        names.append(bone.name)
        heads.append(frame[:3, 3] + frame[:3, :3] @ start)
        tails.append(heads[-1] + length * frame[:3, 2])
    a, axis = np.array(heads), np.array(tails) - np.array(heads)
    along = np.einsum("vbc,bc->vb", points[:, None] - a, axis) / np.einsum("bc,bc->b", axis, axis)
    nearest = a + np.clip(along, 0.0, 1.0)[:, :, None] * axis
    distance = np.maximum(np.linalg.norm(points[:, None] - nearest, axis=2), 1e-4)
    weight = distance**-6.0
    weight /= weight.sum(axis=1, keepdims=True)
    for name in dict.fromkeys(names):
        group = skin.vertex_groups.new(name=name)
        total = weight[:, [n == name for n in names]].sum(axis=1)
        for vertex in np.flatnonzero(total > 0.02).tolist():
            group.add([vertex], float(total[vertex]), "REPLACE")
