"""From a metarig to a baked shot by mouse and keyboard, with a picture at every step. Runs inside Blender."""

import os
import sys

sys.path.insert(0, "/project/tests/gui")

import bpy
from driver import (
    SETTLE,
    Sidebar,
    in_view,
    key,
    picture,
    play,
    region,
    type_text,
    wait,
    window,
    x11,
)

LAST = 60
"""Last frame of the shot."""
COMPILING = float(os.environ.get("REDMAX_PATIENCE", "900"))
"""How long the first simulation after installing may take [s]."""


def prepare():
    """What is not RedMax's: an empty scene, a rig, and a view of it."""
    bpy.ops.preferences.addon_enable(module="rigify")
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    with in_view():
        bpy.ops.object.armature_basic_human_metarig_add()
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_orbit(angle=0.7, type="ORBITRIGHT")
        bpy.ops.view3d.view_selected()


def shot():
    prepare()
    yield 1.0
    x11("mousemove", window().width // 3, window().height // 2)
    yield SETTLE
    yield from key("n")
    yield 1.0
    tabs = region("UI")
    tabs.active_panel_category = "RedMax"
    tabs.tag_redraw()
    yield 1.0
    picture("1-metarig")

    side = Sidebar()
    rig = bpy.context.object
    yield from side.press_until(lambda: any(bone.redmax.physical for bone in rig.pose.bones), 31)
    physical = sum(bone.redmax.physical for bone in rig.pose.bones)
    yield 1.0
    picture("2-make-physical")

    x11("mousemove", window().width // 3, window().height // 2)
    yield SETTLE
    yield from key("ctrl+Tab")  # pose mode
    yield 1.0
    yield from wait(lambda: bpy.context.mode == "POSE", 10, "this is not pose mode")
    rig.data.bones.active = rig.data.bones["upper_arm.L"]
    bpy.context.scene.redmax.overlay.show = True
    region("UI").tag_redraw()
    yield 1.0
    picture("3-bones")

    yield from side.collapse(2)  # Set Up, Bone
    yield from side.press(0, 0.4)  # opens Joint Friction, which is closed at first
    yield 0.5
    side_friction = rig.pose.bones["upper_arm.L"].redmax.friction
    yield from side.press(31, 0.75, times=2)  # Coefficient
    yield from key("ctrl+a")
    yield from type_text("0.3")
    yield from key("Return")
    yield from wait(lambda: abs(side_friction.coefficient - 0.3) < 1e-6, 10, "the coefficient is not 0.3")
    yield 0.5
    picture("4-joint-friction")
    yield from side.collapse()  # Joint Friction
    side.collapsed += 1  # Contact is closed at first
    yield from side.collapse()  # Flesh
    yield from side.press(77, 0.75, times=2)  # End
    yield from key("ctrl+a")
    yield from type_text(str(LAST))
    yield from key("Return")
    yield from wait(lambda: bpy.context.scene.redmax.frame_end == LAST, 10, f"the end is not {LAST}")
    picture("5-range")

    progress = bpy.context.window_manager.redmax
    yield from side.press_until(lambda: progress.running or rig.redmax.result, 31)
    yield from wait(lambda: progress.factor > 0.2 or rig.redmax.result, COMPILING, "no frame has arrived")
    picture("6-simulating")
    yield from wait(lambda: not progress.running, COMPILING, "the simulation has not ended")
    assert rig.redmax.result, "the simulation left no result"
    yield 1.0
    bpy.context.scene.frame_set(LAST // 2)
    yield 1.0
    picture("7-simulated")
    arm = rig.pose.bones["forearm.L"]
    simulated = [round(x, 6) for row in arm.matrix for x in row]

    yield from side.collapse()  # Simulate
    yield 1.0
    yield from side.press(31, 0.25)  # Bake
    yield 1.0
    picture("8-bake")
    yield from key("Return")
    yield from wait(lambda: rig.redmax.is_baked, 20, "nothing was baked")
    bpy.context.scene.frame_set(LAST // 2 + 1)
    bpy.context.scene.frame_set(LAST // 2)
    yield 1.0
    picture("9-baked")
    baked = [round(x, 6) for row in arm.matrix for x in row]
    action = rig.animation_data.action
    text = bpy.data.texts["RedMax Report"].as_string()
    return {
        "physical": physical,
        "range": list(action.frame_range),
        "simulated": simulated,
        "baked": baked,
        "report": text,
    }


play(shot)
