"""Keyframes to physics and back: an arm waves, drops as if shot at, and is taken back into its animation."""

import bpy
from stage import add_rig, key, simulate


def build():
    rig = add_rig(
        "Arm",
        [
            ("chest", None, (0, 0, 1.0), (0, 0, 1.4)),
            ("upper", "chest", (0.1, 0, 1.35), (0.4, 0, 1.35)),
            ("lower", "upper", (0.4, 0, 1.35), (0.7, -0.02, 1.35)),
            ("hand", "lower", (0.7, -0.02, 1.35), (0.85, -0.02, 1.35)),
        ],
    )
    swing = {1: 0.3, 10: -0.5, 20: 0.6, 30: -0.5, 40: 0.6, 50: -0.5, 60: 0.6, 72: 0.0}
    for name in ("upper", "lower"):
        key(rig.pose.bones[name], "rotation_euler", {frame: (0, 0, angle) for frame, angle in swing.items()})
    bpy.ops.redmax.make_physical()

    # Keyframed up to frame 24, free from 25 on, keyframed again from 49 on; the way back takes ten frames.
    for name in ("upper", "lower", "hand"):
        bone = rig.pose.bones[name]
        bone.redmax.control.ease = 10
        key(bone, "redmax_control", {1: "KEYFRAMED", 25: "FREE", 49: "KEYFRAMED"})

    simulate(72)
    return (rig,)
