"""Rigs as importers leave them: with a closed skin, and bones whose tails are anywhere."""

from collections.abc import Mapping, Sequence

import bpy
import numpy as np
from blender_fixtures import Bone, Point, make_armature
from numpy.typing import NDArray

AROUND = 12
Floats = NDArray[np.float64]


def tube(
    points: Sequence[Point], radius: float, rings: int = 5
) -> tuple[Floats, list[tuple[int, ...]], list[int]]:
    """A closed tube along a line: vertices (n, 3), faces, and the number of the section of each vertex."""
    line = np.array(points, dtype=float)
    centres, sections = [line[0]], [0]
    for i, (a, b) in enumerate(zip(line[:-1], line[1:])):
        centres += [a + (b - a) * k / rings for k in range(1, rings + 1)]
        sections += [i] * rings
    vertices, owner = [], []
    for k, centre in enumerate(centres):
        before, after = centres[max(k - 1, 0)], centres[min(k + 1, len(centres) - 1)]
        d = (after - before) / np.linalg.norm(after - before)
        x = np.cross(d, [0.31, 0.87, 0.38])
        x /= np.linalg.norm(x)
        for angle in np.linspace(0.0, 2.0 * np.pi, AROUND, endpoint=False):
            vertices.append(centre + radius * (np.cos(angle) * x + np.sin(angle) * np.cross(d, x)))
            owner.append(sections[k])
    faces: list[tuple[int, ...]] = []
    for k in range(len(centres) - 1):
        for j in range(AROUND):
            a, b = k * AROUND + j, k * AROUND + (j + 1) % AROUND
            faces.append((a, b, b + AROUND, a + AROUND))
    last = (len(centres) - 1) * AROUND
    faces += [tuple(range(AROUND))[::-1], tuple(last + j for j in range(AROUND))]
    return np.array(vertices), faces, owner


def add_tubes(
    obj: bpy.types.Object, limbs: Mapping[tuple[str, ...], tuple[Sequence[Point], float]], name: str = "Skin"
) -> bpy.types.Object:
    """A skin of tubes in the armature's space: bones along a line of points -> the line, and the radius.

    Each section follows its bone; where two sections meet, vertices follow both.
    """
    points, faces, weights = [], [], []
    for bones, (line, radius) in limbs.items():
        vertices, sides, owner = tube(line, radius)
        start = len(points)
        points += vertices.tolist()
        faces += [tuple(start + i for i in face) for face in sides]
        for i, section in enumerate(owner):
            ahead = owner[min(i + AROUND, len(owner) - 1)]
            shared = {bones[section]: 1.0} if ahead == section else {bones[section]: 0.6, bones[ahead]: 0.4}
            weights.append((start + i, shared))
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], faces)
    skin = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(skin)
    for vertex, shared in weights:
        for bone, weight in shared.items():
            group = skin.vertex_groups.get(bone) or skin.vertex_groups.new(name=bone)
            group.add([vertex], weight, "REPLACE")
    skin.modifiers.new("Armature", "ARMATURE").object = obj
    skin.matrix_world = obj.matrix_world
    bpy.context.view_layer.update()
    return skin


def imported(
    joints: Mapping[str, tuple[str | None, Point]], tail: Point, name: str = "Rig"
) -> bpy.types.Object:
    """An armature of joints as some importers make it: every bone has the same tail, wherever its limb goes."""
    bones: list[Bone] = [
        (bone, parent, at, (at[0] + tail[0], at[1] + tail[1], at[2] + tail[2]))
        for bone, (parent, at) in joints.items()
    ]
    return make_armature(bones, name, connect=False)


def volume(skin: bpy.types.Object) -> float:
    """Volume of a closed mesh in the world [units³]."""
    skin.data.calc_loop_triangles()
    world = skin.matrix_world
    total = 0.0
    for triangle in skin.data.loop_triangles:
        a, b, c = (world @ skin.data.vertices[i].co for i in triangle.vertices)
        total += a.dot(b.cross(c)) / 6.0
    return abs(total)
