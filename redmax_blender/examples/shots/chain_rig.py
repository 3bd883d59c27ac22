"""The chain shot as a rigger makes it: an armature with IK locks for hinges, and a skin that it deforms."""

from __future__ import annotations

from math import pi

import bpy
import numpy as np

from ...bridge.mechanism.build_scene import fill_mesh
from ...bridge.mechanism.primitives import Surface, ellipsoid, merge, revolve
from ...engine.shots.chain import Chain
from .studio import EMBERS, material, ramp

RINGS = 10
"""Rings of the skin's tube on each link."""
SIDES = 32
"""Vertices on each ring."""
BLEND = 0.2
"""The part of a link, at each of its ends, over which the skin passes from one bone to the next."""
PIN_SIDES = 16


def build_chain_rig(scene: bpy.types.Scene, chain: Chain) -> tuple[bpy.types.Object, bpy.types.Object]:
    """Add the armature, posed as the chain starts, with its skin and its mount; returns armature and skin."""
    armature = _armature(scene, chain)
    skin = bpy.data.objects.new("Chain Skin", _skin_mesh(chain))
    scene.collection.objects.link(skin)
    skin.parent = armature
    _weight(skin, chain)
    modifier = skin.modifiers.new("Armature", "ARMATURE")
    modifier.object = armature
    modifier.use_deform_preserve_volume = True
    _add_mount(scene, chain)
    bpy.context.view_layer.update()  # whoever measures the skin needs its place in the world
    return armature, skin


def give_capsules(armature: bpy.types.Object, chain: Chain) -> None:
    """The bodies and dampers of the shot to physical bones: capsules between the hinges, as heavy as their volume. The
    skin has pins as well, and would weigh more."""
    for i in range(chain.links):
        settings = armature.pose.bones[chain.name(i)].redmax
        settings.radius, settings.damping = chain.radius(i), chain.damping
        settings.start, settings.direction = (0.0, 0.0, 0.0), (0.0, 1.0, 0.0)
        settings.use_bone_length, settings.mass_from = True, "DENSITY"


def _armature(scene: bpy.types.Scene, chain: Chain) -> bpy.types.Object:
    armature = bpy.data.objects.new("Chain", bpy.data.armatures.new("Chain"))
    scene.collection.objects.link(armature)
    armature.location = (0.0, 0.0, chain.height)
    armature.data.display_type = "STICK"
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for i in range(chain.links):
        bone = armature.data.edit_bones.new(chain.name(i))
        bone.head = (0.0, 0.0, -chain.length * i)
        bone.tail = (0.0, 0.0, -chain.length * (i + 1))
        bone.align_roll((0.0, 1.0, 0.0))
        bone.parent = parent
        bone.use_connect = parent is not None
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    for i in range(chain.links):
        bone = armature.pose.bones[chain.name(i)]
        bone.rotation_mode = "XYZ"
        hinge = np.array(chain.axis(i))
        bone.lock_ik_x, bone.lock_ik_y, bone.lock_ik_z = (bool(a == 0.0) for a in hinge)
        bone.rotation_euler = hinge * chain.angle(i)
    return armature


def _skin_mesh(chain: Chain) -> bpy.types.Mesh:
    """Tube and hinge pins; a material slot for each link, and one for the pins."""
    tube = _tube(chain)
    surface = merge([tube, *(_pin(chain, i) for i in range(1, chain.links))])
    mesh = bpy.data.meshes.new("Chain Skin")
    fill_mesh(mesh, surface)
    slots = np.full(len(surface.faces), chain.links)
    middles = np.array([tube.vertices[face, 2].mean() for face in tube.faces])
    slots[: len(middles)] = np.clip(-middles / chain.length, 0, chain.links - 1).astype(int)
    mesh.polygons.foreach_set("material_index", slots)
    for i, colour in enumerate(ramp(EMBERS, chain.links)):
        mesh.materials.append(material(f"Link {i + 1}", colour, roughness=0.35))
    mesh.materials.append(material("Bone", (0.83, 0.76, 0.62), roughness=0.4))
    return mesh


def _tube(chain: Chain) -> Surface:
    """A round, tapered tube around the straight chain with a dome at each end."""
    reach = chain.length * chain.links
    middles = (np.arange(chain.links) + 0.5) * chain.length
    radii = [chain.radius(i) for i in range(chain.links)]
    # The domes stay within the chain's length, as the caps of its first and last capsules do.
    top, bottom = radii[0], radii[-1]
    dome = np.linspace(0.0, pi / 2, 6)
    rounding = 1 - np.cos(dome)
    straight = np.linspace(0.0, reach, chain.links * RINGS + 1)
    straight = straight[(straight > 1.01 * top) & (straight < reach - 1.01 * bottom)]
    along = np.concatenate([top * rounding, straight, reach - bottom * rounding[::-1]])
    sides = np.interp(straight, middles, radii)
    radius = np.concatenate([top * np.sin(dome), sides, bottom * np.sin(dome[::-1])])
    return revolve(radius[::-1], -along[::-1], SIDES)


def _pin(chain: Chain, i: int) -> Surface:
    """A bolt through hinge i, along its axis, to show how the axes alternate: 4 rings of PIN_SIDES."""
    wide, reach = 0.42 * chain.radius(i), 1.1 * chain.radius(i)
    rims = [-reach, -0.97 * reach, 0.97 * reach, reach]
    bolt = revolve([0.85 * wide, wide, wide, 0.85 * wide], rims, PIN_SIDES)
    # The bone's frame at rest has y down and z along the world's y.
    bone = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
    z = bone @ np.array(chain.axis(i))
    x = np.array([0.0, 0.0, 1.0])
    return bolt.moved(np.stack([x, np.cross(z, x), z], axis=1), np.array([0.0, 0.0, -chain.length * i]))


def _weight(skin: bpy.types.Object, chain: Chain) -> None:
    """Each vertex follows the bone beside it, near a hinge the two that meet there; pins follow one bone."""
    groups = [skin.vertex_groups.new(name=chain.name(i)) for i in range(chain.links)]
    pins = len(skin.data.vertices) - (chain.links - 1) * 4 * PIN_SIDES
    for vertex in skin.data.vertices:
        if vertex.index >= pins:
            groups[1 + (vertex.index - pins) // (4 * PIN_SIDES)].add([vertex.index], 1.0, "REPLACE")
            continue
        along = -vertex.co.z / chain.length
        hinge = min(max(round(along), 1), chain.links - 1)
        below = min(max((along - hinge) / (2 * BLEND) + 0.5, 0.0), 1.0)
        if below < 1.0:
            groups[hinge - 1].add([vertex.index], 1.0 - below, "REPLACE")
        if below > 0.0:
            groups[hinge].add([vertex.index], below, "REPLACE")


def _add_mount(scene: bpy.types.Scene, chain: Chain) -> None:
    """A ball at the first hinge, on a rod that comes from above the picture."""
    ball = ellipsoid((1.05 * chain.thick,) * 3)
    long = 2.0 * chain.links * chain.length
    rod = revolve([0.25 * chain.thick] * 2, [0.0, long], SIDES)
    mesh = bpy.data.meshes.new("Mount")
    fill_mesh(mesh, merge([ball, rod]))
    mesh.materials.append(material("Steel", (0.05, 0.055, 0.06), roughness=0.35, metallic=0.7))
    mount = bpy.data.objects.new("Mount", mesh)
    mount.location = (0.0, 0.0, chain.height)
    scene.collection.objects.link(mount)
