"""Pinned prop: a cord hangs between two empties; one carries it about, the other lets go."""

import bpy
from stage import add_chain, add_empty, add_rig, key, simulate


def build():
    down = add_chain("down", (-0.5, 0, 1.5), (0, 0, 1.0), 8)
    rig = add_rig("Cord", down + add_chain("up", (0, 0, 1.0), (0.5, 0, 1.5), 8, first="down8"))
    bpy.ops.redmax.make_physical(root="FREE", slenderness=0.2)
    left, right = add_empty("Left", (-0.5, 0, 1.5)), add_empty("Right", (0.5, 0, 1.5))
    key(left, "location", {1: (-0.5, 0, 1.5), 20: (-0.2, 0, 1.7), 50: (-0.3, 0.3, 1.6)})
    key(right, "location", {1: (0.5, 0, 1.5), 20: (0.6, 0, 1.3)})

    # Each empty leads a point of a bone. The right one does until frame 30, and lets go there.
    first, last = rig.pose.bones["down1"], rig.pose.bones["up8"]
    first.redmax.control.target, first.redmax.control.target_point = left, "HEAD"
    last.redmax.control.target, last.redmax.control.target_point = right, "TAIL"
    key(last, "redmax_influence", {1: 1.0, 30: 1.0, 31: 0.0})

    simulate(60, substeps=40)
    return (rig,)
