"""Ragdoll hit: a character stands as it is animated until a ball strikes it, and falls."""

import bpy
from stage import activate, add_empty, key, simulate


def build():
    bpy.ops.preferences.addon_enable(module="rigify")
    bpy.ops.object.armature_basic_human_metarig_add()
    rig = bpy.context.object

    # It could fall, but its animation holds it until something strikes it with more than 2 N·s.
    bpy.ops.redmax.make_physical(root="FREE")
    for bone in rig.pose.bones:
        bone.redmax_control = "KEYFRAMED"
        bone.redmax.control.wake = 2.0
    bpy.ops.redmax.add_ground()

    # The ball follows an empty, and is let go at frame 16, where it is fastest.
    hand = add_empty("Throw", (0.0, -3.0, 1.1))
    key(hand, "location", {1: (0.0, -3.0, 1.1), 31: (0.0, 1.0, 1.6)})
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.15, location=(0.0, -3.0, 1.1))
    ball = bpy.context.object
    ball.name = "Ball"
    bpy.ops.redmax.set_role(role="ACTIVE")
    body = ball.redmax.body
    body.shape, body.mass_from, body.mass, body.target = "SPHERE", "MASS", 8.0, hand
    key(body, "follow", {1: True, 16: False})

    activate(rig)
    simulate(60)
    return rig, ball
