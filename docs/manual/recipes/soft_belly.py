"""Soft belly: a character hops as it is keyed, and its fat follows later."""

import bpy
from stage import activate, add_rig, key, simulate


def build():
    rig = add_rig(
        "Buddha",
        [("hips", None, (0, 0, 0.2), (0, 0, 0.4)), ("spine", "hips", (0, 0, 0.4), (0, 0, 0.6))],
    )
    key(rig, "location", {1: (0, 0, 0), 9: (0, 0, 0.2), 17: (0, 0, 0), 25: (0, 0, 0)})

    # The bones only carry the belly here: nothing bends. As thick as a spine with its muscles.
    bpy.ops.redmax.make_physical(slenderness=0.6)
    for bone in rig.pose.bones:
        bone.redmax.joint = "FIXED"

    # The skin hangs on the rig by its Armature modifier, and becomes fat around the bones.
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.mesh.primitive_uv_sphere_add(segments=32, ring_count=16, radius=0.25, location=(0, -0.06, 0.38))
    skin = bpy.context.object
    skin.name = "Belly"
    bpy.ops.object.shade_smooth()
    activate(rig, [skin])
    bpy.ops.object.parent_set(type="ARMATURE_AUTO")
    activate(skin)
    bpy.ops.redmax.make_soft(preset="FAT")
    skin.redmax.flesh.core = 1.0
    skin.redmax.flesh.young = 25000.0  # Pa; fat alone would sag by 10 cm, as there is no skin that holds it

    simulate(48, substeps=8)
    return (skin,)
