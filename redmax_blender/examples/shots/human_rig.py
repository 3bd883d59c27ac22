"""The armature of a person: Rigify's human metarig without its face, or one of the same bones where Rigify is off."""

from __future__ import annotations

from typing import NamedTuple

import bpy
from mathutils import Matrix, Vector

from ...engine.scene import Vec3

METARIG = "OBJECT_OT_armature_human_metarig_add"
"""What Rigify registers."""
TALL = 1.98
"""Height of the metarig's head [m]."""


class HumanBone(NamedTuple):
    """A bone of the metarig [m]; of those that come in pairs the left one."""

    name: str
    parent: str | None
    head: Vec3
    tail: Vec3
    z: Vec3
    """Its z axis, which gives its roll."""


BONES = tuple(HumanBone(*row) for row in (
    ("spine", None, (0, 0.0552, 1.01), (0, 0.0172, 1.157), (0, -0.968, -0.25)),
    ("spine.001", "spine", (0, 0.0172, 1.157), (0, 0.0004, 1.293), (0, -0.992, -0.123)),
    ("spine.002", "spine.001", (0, 0.0004, 1.293), (0, 0.0059, 1.466), (0, -0.999, 0.032)),
    ("spine.003", "spine.002", (0, 0.0059, 1.466), (0, 0.0114, 1.658), (0, -1, 0.029)),
    ("spine.004", "spine.003", (0, 0.0114, 1.658), (0, -0.013, 1.72), (0, -0.93, -0.369)),
    ("spine.005", "spine.004", (0, -0.013, 1.72), (0, -0.0247, 1.781), (0, -0.982, -0.187)),
    ("spine.006", "spine.005", (0, -0.0247, 1.781), (0, -0.0247, 1.98), (0, -1, 0)),
    ("shoulder.L", "spine.003", (0.0183, -0.0684, 1.605), (0.1694, 0.0205, 1.605), (0.001, 0, 1)),
    ("upper_arm.L", "shoulder.L", (0.1953, 0.0267, 1.585), (0.4424, 0.0885, 1.449), (0.188, -0.977, -0.103)),
    ("forearm.L", "upper_arm.L", (0.4424, 0.0885, 1.449), (0.6594, 0.0492, 1.306), (-0.125, -0.989, 0.082)),
    ("hand.L", "forearm.L", (0.6594, 0.0492, 1.306), (0.7234, 0.0412, 1.258), (-0.08, -0.995, 0.06)),
    ("palm.01.L", "hand.L", (0.6921, 0.0224, 1.288), (0.7464, 0.0051, 1.248), (-0.59, 0.013, -0.807)),
    ("f_index.01.L", "palm.01.L", (0.7464, 0.0051, 1.248), (0.7718, 0.0013, 1.211), (-0.81, 0.14, -0.57)),
    ("f_index.02.L", "f_index.01.L", (0.7718, 0.0013, 1.211), (0.784, -0.0003, 1.186), (-0.889, 0.138, -0.436)),
    ("f_index.03.L", "f_index.02.L", (0.784, -0.0003, 1.186), (0.7892, 0.0006, 1.164), (-0.967, 0.124, -0.222)),
    ("thumb.01.L", "palm.01.L", (0.6705, 0.0214, 1.274), (0.6857, 0.0015, 1.24), (0.432, 0.848, -0.309)),
    ("thumb.02.L", "thumb.01.L", (0.6857, 0.0015, 1.24), (0.7056, -0.0057, 1.214), (0.267, 0.962, -0.062)),
    ("thumb.03.L", "thumb.02.L", (0.7056, -0.0057, 1.214), (0.7194, -0.0098, 1.2), (0.25, 0.968, -0.035)),
    ("palm.02.L", "hand.L", (0.697, 0.0389, 1.288), (0.7518, 0.0277, 1.249), (-0.58, -0.004, -0.814)),
    ("f_middle.01.L", "palm.02.L", (0.7518, 0.0277, 1.249), (0.7762, 0.0234, 1.206), (-0.863, 0.081, -0.499)),
    ("f_middle.02.L", "f_middle.01.L", (0.7762, 0.0234, 1.206), (0.7851, 0.0218, 1.175), (-0.96, 0.023, -0.278)),
    ("f_middle.03.L", "f_middle.02.L", (0.7851, 0.0218, 1.175), (0.7888, 0.0216, 1.153), (-0.987, -0.014, -0.163)),
    ("palm.03.L", "hand.L", (0.6963, 0.0545, 1.287), (0.754, 0.0521, 1.248), (-0.563, -0.039, -0.826)),
    ("f_ring.01.L", "palm.03.L", (0.754, 0.0521, 1.248), (0.7715, 0.0499, 1.207), (-0.921, -0.036, -0.389)),
    ("f_ring.02.L", "f_ring.01.L", (0.7715, 0.0499, 1.207), (0.7794, 0.0494, 1.176), (-0.966, -0.073, -0.247)),
    ("f_ring.03.L", "f_ring.02.L", (0.7794, 0.0494, 1.176), (0.7781, 0.0498, 1.158), (-0.985, -0.157, 0.066)),
    ("palm.04.L", "hand.L", (0.6929, 0.0696, 1.287), (0.7528, 0.0763, 1.243), (-0.594, -0.011, -0.805)),
    ("f_pinky.01.L", "palm.04.L", (0.7528, 0.0763, 1.243), (0.7589, 0.0765, 1.216), (-0.959, -0.182, -0.216)),
    ("f_pinky.02.L", "f_pinky.01.L", (0.7589, 0.0765, 1.216), (0.7618, 0.077, 1.193), (-0.97, -0.205, -0.13)),
    ("f_pinky.03.L", "f_pinky.02.L", (0.7618, 0.077, 1.193), (0.7611, 0.0772, 1.178), (-0.97, -0.237, 0.042)),
    ("breast.L", "spine.003", (0.1184, 0.0485, 1.46), (0.1184, -0.0907, 1.46), (0, 0, 1)),
    ("pelvis.L", "spine", (0, 0.0552, 1.01), (0.1112, -0.0451, 1.153), (-0.731, 0.143, 0.667)),
    ("thigh.L", "spine", (0.098, 0.0124, 1.072), (0.098, -0.0286, 0.5372), (0, 0.997, -0.076)),
    ("shin.L", "thigh.L", (0.098, -0.0286, 0.5372), (0.098, 0.0162, 0.0852), (0, 0.995, 0.099)),
    ("foot.L", "shin.L", (0.098, 0.0162, 0.0852), (0.098, -0.0934, 0.0167), (0, 0.53, -0.848)),
    ("toe.L", "foot.L", (0.098, -0.0934, 0.0167), (0.098, -0.1606, 0.0167), (0, 0, 1)),
    ("heel.02.L", "foot.L", (0.06, 0.0459, 0), (0.14, 0.0459, 0), (0, 0, 1)),
))  # fmt: skip
"""Parents first."""


def add_human(scene: bpy.types.Scene, height: float, name: str = "Ragdoll") -> bpy.types.Object:
    """Add the armature, upright on the scene's origin, facing -y; `height` [Blender units] is that of its head.

    It is the active object afterwards, in object mode.
    """
    obj = _metarig(scene) if hasattr(bpy.types, METARIG) else from_table(scene)
    obj.name = obj.data.name = name
    obj.data.transform(Matrix.Scale(height / TALL, 4))
    return obj


def _metarig(scene: bpy.types.Scene) -> bpy.types.Object:
    cursor, scene.cursor.location = scene.cursor.location.copy(), (0.0, 0.0, 0.0)
    bpy.ops.object.armature_human_metarig_add()
    scene.cursor.location = cursor
    obj = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    face = obj.data.edit_bones["face"]
    for bone in [*face.children_recursive, face]:
        obj.data.edit_bones.remove(bone)
    bpy.ops.object.mode_set(mode="OBJECT")
    return obj


def from_table(scene: bpy.types.Scene) -> bpy.types.Object:
    """The same bones, made from `BONES`."""
    obj = bpy.data.objects.new("Human", bpy.data.armatures.new("Human"))
    scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    for row in BONES:
        for side in (1.0, -1.0) if row.name.endswith(".L") else (1.0,):
            _add_bone(obj.data, row, side)
    bpy.ops.object.mode_set(mode="OBJECT")
    return obj


def _add_bone(data: bpy.types.Armature, row: HumanBone, side: float) -> None:
    """One bone; side is -1 for its mirror image."""
    bone = data.edit_bones.new(_sided(row.name, side))
    bone.head, bone.tail = (Vector((side * p[0], p[1], p[2])) for p in (row.head, row.tail))
    bone.align_roll(Vector((side * row.z[0], row.z[1], row.z[2])))
    if row.parent is not None:
        bone.parent = data.edit_bones[_sided(row.parent, side)]
        bone.use_connect = (bone.parent.tail - bone.head).length < 1e-6


def _sided(name: str, side: float) -> str:
    return name[:-1] + "R" if side < 0.0 and name.endswith(".L") else name
