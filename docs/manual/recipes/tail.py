"""Tail follow-through: the body is animated, the tail is physics."""

from math import radians

import bpy
from stage import add_chain, add_rig, key, simulate


def build():
    spine = [("hips", None, (0.0, 0.0, 0.6), (0.0, -0.5, 0.65))]
    rig = add_rig("Cat", spine + add_chain("tail", (0.0, 0.0, 0.6), (0.0, 0.9, 0.75), 8, first="hips"))
    turn = radians(25.0)
    key(
        rig.pose.bones["hips"],
        "rotation_euler",
        {1: (0, 0, 0), 13: (0, 0, turn), 25: (0, 0, -turn), 37: (0, 0, 0)},
    )

    # An anchored root follows its keys. The tail is free, with a spring that carries it and gets softer to the tip.
    bpy.ops.redmax.make_physical(root="ANCHORED", density=300.0)
    for k in range(8):
        bone = rig.pose.bones[f"tail{k + 1}"].redmax
        bone.stiffness = 6.0 * (1.0 - k / 8) ** 2
        bone.damping = 0.04 * bone.stiffness

    simulate(60, substeps=10)
    return (rig,)
