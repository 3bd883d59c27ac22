"""A photographer's studio around a scene: a floor that rises into the wall, soft lights, plain materials."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

import bpy
import numpy as np
from mathutils import Vector

Colour = tuple[float, float, float]
SLATE: Colour = (0.09, 0.15, 0.19)
"""Of the backdrop."""
EMBERS: tuple[Colour, ...] = ((0.35, 0.012, 0.05), (0.75, 0.05, 0.04), (0.93, 0.24, 0.04), (0.97, 0.56, 0.14))
"""Of the bodies, from the first to the last."""


def material(
    name: str, colour: Colour, *, roughness: float = 0.5, metallic: float = 0.0
) -> bpy.types.Material:
    """A plain material; the colour is linear, as Blender's colour fields are."""
    made = bpy.data.materials.new(name)
    if bpy.app.version < (5, 0, 0):  # from 5.0 on every material has nodes
        made.use_nodes = True
    shader = next(node for node in made.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value = (*colour, 1.0)
    shader.inputs["Roughness"].default_value = roughness
    shader.inputs["Metallic"].default_value = metallic
    made.diffuse_color = (*colour, 1.0)  # what the viewport's solid shading shows
    return made


def ramp(stops: Sequence[Colour], count: int) -> list[Colour]:
    """`count` colours, evenly spread from the first stop to the last."""
    at = np.linspace(0, len(stops) - 1, count)
    channels = [np.interp(at, range(len(stops)), channel) for channel in np.transpose(stops)]
    return [(float(r), float(g), float(b)) for r, g, b in zip(*channels)]


def add_studio(
    scene: bpy.types.Scene, points: np.ndarray, *, ground: float | None = None, colour: Colour = SLATE
) -> float:
    """Floor, wall and lights around the motion's points [m], shape (n, 3). Returns the floor's height [m].

    It is at `ground`, or a little below the motion when that is None.
    """
    studio = bpy.data.collections.new("Studio")
    scene.collection.children.link(studio)
    low, high = points.min(axis=0), points.max(axis=0)
    floor = float(low[2] - 0.1 * np.linalg.norm(high - low) if ground is None else ground)
    reach = float(np.linalg.norm(high - low) / 2)
    centre = Vector(((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, floor))

    backdrop = bpy.data.objects.new("Backdrop", _backdrop(reach))
    backdrop.location = centre
    backdrop.data.materials.append(_chalk("Backdrop", colour))
    studio.objects.link(backdrop)

    target = Vector((*centre[:2], (floor + float(high[2])) / 2))
    for name, place, size, power, tint in (
        ("Key Light", (-0.9, -1.3, 2.8), 0.45, 85.0, (1.0, 0.92, 0.82)),
        ("Fill Light", (2.6, -2.0, 1.0), 2.4, 20.0, (0.72, 0.86, 1.0)),
        ("Rim Light", (1.5, 1.1, 2.4), 0.8, 45.0, (1.0, 0.95, 0.88)),
    ):
        light = bpy.data.lights.new(name, "AREA")
        light.shape, light.size = "DISK", size * reach
        light.energy = power * reach**2  # the same picture whatever the scene's size
        light.color = tint
        lamp = bpy.data.objects.new(name, light)
        lamp.location = centre + Vector(place) * reach
        lamp.rotation_euler = (target - lamp.location).to_track_quat("-Z", "Y").to_euler()
        studio.objects.link(lamp)
    _sky(scene, (0.75, 0.84, 1.0), 0.12)
    return floor


def _chalk(name: str, colour: Colour) -> bpy.types.Material:
    """Diffuse only: it fills most of the picture, and the full shader would double the cost of a frame."""
    made = material(name, colour, roughness=1.0)
    tree = made.node_tree
    diffuse = tree.nodes.new("ShaderNodeBsdfDiffuse")
    diffuse.inputs["Color"].default_value = (*colour, 1.0)
    output = next(node for node in tree.nodes if node.type == "OUTPUT_MATERIAL")
    tree.links.new(diffuse.outputs["BSDF"], output.inputs["Surface"])
    return made


def _backdrop(reach: float) -> bpy.types.Mesh:
    """Floor and wall in one strip with a rounded corner between, so that no horizon cuts the picture."""
    corner, behind, wide, tall = 1.2 * reach, 0.9 * reach, 14.0 * reach, 9.0 * reach
    angle = np.linspace(0.0, pi / 2, 17)
    y = np.concatenate([[-8.0 * reach], behind + corner * np.sin(angle), [behind + corner]])
    z = np.concatenate([[0.0], corner * (1.0 - np.cos(angle)), [tall]])
    vertices = [(x, *yz) for yz in zip(y, z, strict=True) for x in (-wide, wide)]
    mesh = bpy.data.meshes.new("Backdrop")
    mesh.from_pydata(vertices, [], [(2 * k, 2 * k + 1, 2 * k + 3, 2 * k + 2) for k in range(len(y) - 1)])
    mesh.polygons.foreach_set("use_smooth", np.ones(len(mesh.polygons), dtype=bool))
    return mesh


def _sky(scene: bpy.types.Scene, colour: Colour, strength: float) -> None:
    scene.world = bpy.data.worlds.new("Studio")
    if bpy.app.version < (5, 0, 0):
        scene.world.use_nodes = True
    sky = next(node for node in scene.world.node_tree.nodes if node.type == "BACKGROUND")
    sky.inputs["Color"].default_value = (*colour, 1.0)
    sky.inputs["Strength"].default_value = strength
