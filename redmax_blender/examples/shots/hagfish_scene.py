"""The Hagfish as an animator makes it: a keyed armature of a hundred bones whose guided joints follow the keys.

The keys tie a knot and pull it tighter than the body is thick. What holds it is contact: the bones are one smooth tube.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import bpy
import numpy as np
from numpy.typing import NDArray

from ...bridge.bake.actions import assign, bone_path, ensure_bag, new_curve, slot_of
from ...bridge.bake.keys import Keys
from ...bridge.mechanism.build_scene import fill_mesh
from ...bridge.mechanism.primitives import Surface, revolve
from ...bridge.rig.make_physical import Choices, make_physical
from ...bridge.rig.rig import metres_per_unit
from ...engine.run.result import Result
from ...engine.shots.hagfish import DENSITY, Hagfish, check_lines
from .studio import Colour, material

Floats = NDArray[np.float64]

STEPS = 240.0
"""Steps a second."""
RINGS, SIDES = 3, 24
"""Of the skin: rings a bone, vertices a ring."""
SLIME: Colour = (0.48, 0.2, 0.16)
LIMIT_X, LIMIT_Y, LIMIT_Z = 0, 1, 2


@dataclass(frozen=True)
class HagfishScene:
    armature: bpy.types.Object
    skin: bpy.types.Object


def build_hagfish(scene: bpy.types.Scene, fish: Hagfish | None = None) -> HagfishScene:
    """Add the animal, ready to be simulated, and set the scene to it: its range, its steps, and no gravity."""
    fish = fish or Hagfish()
    unit = metres_per_unit(scene)
    rate = scene.render.fps / scene.render.fps_base
    settings = scene.redmax
    settings.integrator, settings.substeps = "euler", int(np.ceil(STEPS / rate - 1e-9))
    scene.frame_end = settings.frame_end = settings.frame_start + int(np.ceil(fish.end * rate)) + 6
    scene.use_gravity = False  # it floats
    armature = _armature(scene, fish, unit)
    make_physical(armature, scene, Choices(density=DENSITY, size_from="BONE", human_limits=False))
    for i in range(fish.joints + 1):
        _set_bone(armature.pose.bones[fish.name(i)], fish, i, unit)
    armature.redmax.self_collision = True
    _key(armature, fish, settings.frame_start, rate)
    skin = _skin(scene, fish, unit)
    skin.parent = armature
    skin.modifiers.new("Armature", "ARMATURE").object = armature
    scene.frame_set(settings.frame_start)
    return HagfishScene(armature, skin)


def _armature(scene: bpy.types.Scene, fish: Hagfish, unit: float) -> bpy.types.Object:
    """Bones along x from the head on; each one's x is up, where its hinge is."""
    armature = bpy.data.objects.new("Hagfish", bpy.data.armatures.new("Hagfish"))
    scene.collection.objects.link(armature)
    armature.location.z = 0.25 * fish.length / unit
    armature.data.display_type = "STICK"
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for i in range(fish.joints + 1):
        bone = armature.data.edit_bones.new(fish.name(i))
        bone.head, bone.tail = ((j * fish.pitch / unit, 0.0, 0.0) for j in (i, i + 1))
        bone.align_roll((0.0, 1.0, 0.0))
        bone.parent, bone.use_connect = parent, parent is not None
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    for i in range(1, fish.joints + 1):
        bone = armature.pose.bones[fish.name(i)]
        bone.rotation_mode = "ZYX"  # a universal joint turns about y and then about the turned z
        hinge = fish.is_hinge(i)
        bone.lock_ik_x, bone.lock_ik_y, bone.lock_ik_z = not hinge, hinge, hinge
    return armature


def _set_bone(bone: bpy.types.PoseBone, fish: Hagfish, i: int, unit: float) -> None:
    """Body, joint with its limits, muscles and skin, as the user may change them."""
    settings = bone.redmax
    settings.radius, settings.damping = fish.radius / unit, 0.0
    settings.mass_from, settings.mass = "MASS", fish.link_mass
    surface = settings.surface
    surface.collide, surface.friction, surface.tube = True, 0.0, True
    if i == 0:
        return
    limits = {LIMIT_X: fish.bend} if fish.is_hinge(i) else {LIMIT_Y: fish.twist, LIMIT_Z: fish.bend}
    if fish.is_hinge(i):
        settings.joint, settings.axis = "REVOLUTE", "X"
    else:
        settings.joint, settings.axis, settings.second_axis = "UNIVERSAL", "Y", "Z"
    for axis, limit in limits.items():
        settings.use_limits[axis] = True
        settings.limits_min[axis], settings.limits_max[axis] = -limit, limit
    bone.redmax_control = "GUIDED"
    settings.control.response = fish.response(i)


def _key(armature: bpy.types.Object, fish: Hagfish, first: int, rate: float) -> None:
    """The bends of a knot that travels along the body, as smooth keys of every joint."""
    times, q = fish.motion()
    frames, slopes = first + times * rate, np.gradient(q, times, axis=0) / rate
    action = bpy.data.actions.new("Hagfish Knot")
    slot = ""
    if hasattr(action, "slots"):
        slot = action.slots.new(id_type="OBJECT", name=armature.name).identifier
    assign(armature, action, slot)
    bag = ensure_bag(action, slot_of(armature))
    column = 0
    for i in range(1, fish.joints + 1):
        path = bone_path(fish.name(i), "rotation_euler")
        for axis in (LIMIT_X,) if fish.is_hinge(i) else (LIMIT_Y, LIMIT_Z):
            keys = Keys.cubic(frames, q[:, column], slopes[:, column])
            keys.write(new_curve(bag, path, axis, fish.name(i)))
            column += 1


def _skin(scene: bpy.types.Scene, fish: Hagfish, unit: float) -> bpy.types.Object:
    """A tube with a blunt head and a pointed tail; every ring hangs on the two bones whose middles are nearest."""
    surface, along = _outside(fish)
    mesh = bpy.data.meshes.new("Hagfish Skin")
    fill_mesh(mesh, surface.moved(np.eye(3) / unit, np.zeros(3)))
    mesh.materials.append(material("Hagfish Skin", SLIME, roughness=0.22))
    skin = bpy.data.objects.new("Hagfish Skin", mesh)
    scene.collection.objects.link(skin)
    place = np.clip(along / fish.pitch - 0.5, 0.0, fish.joints)
    low = np.minimum(place.astype(int), fish.joints - 1)
    for i in range(fish.joints + 1):
        group = skin.vertex_groups.new(name=fish.name(i))
        weight = np.where(low == i, 1.0 - (place - low), np.where(low == i - 1, place - low, 0.0))
        for value in np.unique(weight[weight > 1e-6]):
            group.add(np.flatnonzero(weight == value).tolist(), float(value), "REPLACE")
    return skin


def _outside(fish: Hagfish) -> tuple[Surface, Floats]:
    """Surface in the armature's frame [m], and how far along the body each vertex is [m]."""
    r, end = fish.radius, fish.length
    s = np.linspace(0.0, end, (fish.joints + 1) * RINGS + 1)
    cap = r * (1.0 - np.cos(np.linspace(0.0, 0.5 * pi, 8)))
    s = np.concatenate([cap - r, s[1:]])  # the head's dome is before its joint, as the tube's is
    blunt = np.sqrt(np.clip(1.0 - np.clip(-s / r, 0.0, 1.0) ** 2, 0.0, 1.0))
    pointed = np.clip((end - s) / (0.12 * end), 0.0, 1.0) ** 0.6
    radius = r * blunt * pointed
    lengthwise = revolve(radius, s, SIDES)
    to_x = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    surface = lengthwise.moved(to_x, np.zeros(3))
    return surface, np.asarray(surface.vertices[:, 0])


def check_hagfish(result: Result, fish: Hagfish | None = None, *, through: float = 0.02) -> None:
    """Raise AssertionError when a run of the rig is not physical; as the check of the shot in the engine."""
    fish = fish or Hagfish()
    order = [result.bodies.index(f"Hagfish/{fish.name(i)}") for i in range(fish.joints + 1)]
    pose = result.joint_pose[:, order]
    # The frame of a universal joint begins with its axes, of which the first is along the bone.
    along = [1, 4, 7] if fish.is_hinge(fish.joints) else [0, 3, 6]
    tip = pose[:, -1:, 9:] + fish.pitch * pose[:, -1:, along]
    check_lines(result, np.concatenate([pose[:, :, 9:], tip], axis=1), fish, through=through)
