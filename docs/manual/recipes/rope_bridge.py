"""Bridge: planks on hinges sag between two posts, and a crate falls on them."""

from math import cos, radians, sin

import bpy
from stage import activate, add_box, simulate

PLANKS, WIDTH, ARC = 9, 0.4, radians(60.0)
"""How many, their size along the bridge [m], and the arc that they hang in."""


def on_arc(k):
    """Place of the k-th gap between planks, or between two of them for a half, and its slope."""
    radius = PLANKS * WIDTH / ARC
    angle = (k / PLANKS - 0.5) * ARC
    return (radius * sin(angle), 0.0, 2.0 + radius * (cos(ARC / 2) - cos(angle))), -angle


def build():
    ends = on_arc(0)[0], on_arc(PLANKS)[0]
    posts = [add_box("Post", (1.12 * x, 0.0, 1.0), (0.4, 1.2, 2.1)) for x, _, _ in ends]
    activate(posts[0], posts)
    bpy.ops.redmax.set_role(role="ANCHORED")
    planks = []
    for k in range(PLANKS):
        at, slope = on_arc(k + 0.5)
        planks.append(add_box("Plank", at, (0.95 * WIDTH, 1.0, 0.05)))
        planks[-1].rotation_euler.y = slope
    activate(planks[0], planks)
    bpy.ops.redmax.set_role(role="ACTIVE")

    # A hinge at each gap. The last one closes a loop over the ground, which RedMax finds and cuts by itself.
    row = [posts[0], *planks, posts[1]]
    for k, (left, right) in enumerate(zip(row, row[1:])):
        bpy.context.scene.cursor.location = on_arc(k)[0]
        bpy.context.scene.cursor.rotation_euler = (radians(90.0), 0.0, 0.0)  # a hinge turns about its Z
        activate(right, [left])
        bpy.ops.redmax.add_joint(kind="HINGE")
        bpy.context.object.redmax.joint.rotation_damping = (0.0, 0.0, 5.0)

    crate = add_box("Crate", (0.3, 0.0, 2.6), (0.45, 0.45, 0.45))
    crate.rotation_euler = (0.0, 0.3, 0.2)
    bpy.ops.redmax.set_role(role="ACTIVE")
    crate.redmax.body.density, crate.redmax.surface.friction = 500.0, 0.8

    simulate(60)
    return (*planks, crate)
