"""A soft belly for a person: a mesh around the lower trunk that its bones carry, and that touches things by itself."""

from __future__ import annotations

import bpy
import numpy as np

from ...bridge.flesh.make_soft import make_soft
from ...bridge.mechanism.build_scene import fill_mesh
from ...bridge.mechanism.primitives import ellipsoid
from ...bridge.rig.rig import metres_per_unit
from .grown_skin import Limb, weigh
from .human_skin import CLAY, TALL
from .studio import material

CARRIERS = ("spine", "spine.001", "spine.002")
"""Bones inside it."""
RADII = (0.185, 0.17, 0.2)
"""For a person of 1.75 m [m]."""
AHEAD = 0.05
"""How far it is in front of the spine [m]."""
VERTICES = 160
"""Of the cage that is simulated."""
MARGIN = 0.015
"""Thickness of the skin around the cage [m]: only vertices touch, and edges of stairs press in between them."""
FRICTION = 0.6


def add_belly(
    scene: bpy.types.Scene, armature: bpy.types.Object, vertices: int = VERTICES
) -> bpy.types.Object:
    """Flesh on a human metarig at the world's origin that is physical already; vertices: of its cage, about."""
    unit = metres_per_unit(scene)
    bones = [armature.data.bones[name] for name in CARRIERS]
    scale = float(armature.data.bones["spine.006"].tail_local.z) * unit / TALL
    ends = [[np.array(p, dtype=float) * unit for p in (b.head_local, b.tail_local)] for b in bones]
    middle = 0.5 * (ends[0][0] + ends[-1][1]) + np.array([0.0, -AHEAD * scale, -0.02 * scale])
    mesh = bpy.data.meshes.new(f"{armature.name} Belly")
    round_ = ellipsoid((scale * RADII[0], scale * RADII[1], scale * RADII[2])).moved(np.eye(3), middle)
    fill_mesh(mesh, round_.moved(np.eye(3) / unit, np.zeros(3)))
    belly = bpy.data.objects.new(mesh.name, mesh)
    scene.collection.objects.link(belly)
    belly.parent = armature
    weigh(belly, [Limb(b.name, a, z, (0.1, 0.1)) for b, (a, z) in zip(bones, ends)], unit)
    belly.modifiers.new("Armature", "ARMATURE").object = armature
    mesh.materials.append(material("Belly", CLAY, roughness=0.5))
    belly.redmax.flesh.cage_count = vertices
    belly.redmax.surface.collide = True
    belly.redmax.surface.friction, belly.redmax.surface.margin = FRICTION, MARGIN / unit
    bpy.context.view_layer.update()
    make_soft([belly], bpy.context, "FLESH")
    return belly
