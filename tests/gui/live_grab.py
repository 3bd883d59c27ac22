"""Live: chains of 30, 100 and 300 bones play in the window, and a real mouse pulls at their ends.

Runs inside Blender.
"""

import sys
import time

sys.path.insert(0, "/project/tests/gui")

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d
from driver import SETTLE, Sidebar, in_view, key, picture, play, region, view, wait, window, x11

COUNTS = (30, 100, 300)
WATCHED = 4.0
"""Seconds over which frames are counted."""
FIRST_FRAME = 600.0
"""How long the first frame may take [s]: kernels are compiled once after installing."""
LIVE = 257
"""From the header of Simulate to Play Live [px]."""


def make_chain(count):
    """A chain two metres long that hangs from its upper end, a little to the side."""
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    data = bpy.data.armatures.new("Chain")
    rig = bpy.data.objects.new("Chain", data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    with in_view():
        bpy.ops.object.mode_set(mode="EDIT")
        parent = None
        for k in range(count):
            bone = data.edit_bones.new(f"link{k}")
            bone.head, bone.tail = ((0.4 * s, 0.0, 2.0 - 2.0 * s) for s in (k / count, (k + 1) / count))
            bone.parent, bone.use_connect = parent, parent is not None
            parent = bone
        bpy.ops.object.mode_set(mode="OBJECT")
        bpy.ops.redmax.make_physical()
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_all()
    view().spaces.active.region_3d.view_distance *= 1.6
    rig.pose.bones["link0"].redmax.joint = "FIXED"
    return rig


def on_screen(point):
    """Where a point of the world is in the window, from its top left corner [px]."""
    area, shown = view(), region("WINDOW")
    x, y = location_3d_to_region_2d(shown, area.spaces.active.region_3d, point)
    return round(shown.x + x), round(window().height - (shown.y + y))


def tip(rig):
    return rig.matrix_world @ rig.pose.bones[-1].tail


def redraw_time():
    """What Blender takes to draw its window once [s]: without a graphics card, that alone may be a second."""
    with in_view():
        begin = time.perf_counter()
        bpy.ops.wm.redraw_timer(type="DRAW_WIN", iterations=3)
    return (time.perf_counter() - begin) / 3.0


def show_little(on):
    """The view with next to nothing to draw but the bones, as lines; or as Blender has it at first."""
    space = view().spaces.active
    space.shading.type = "WIREFRAME" if on else "SOLID"
    for name in ("show_floor", "show_axis_x", "show_axis_y", "show_cursor", "show_text", "show_stats"):
        setattr(space.overlay, name, not on and name != "show_stats")
    space.show_gizmo = space.show_region_ui = space.show_region_toolbar = space.show_region_header = not on
    for armature in bpy.data.armatures:
        armature.display_type = "WIRE" if on else "OCTAHEDRAL"


def watch():
    """Frames that are shown and drawn a second, and what drawing one costs the processor [s]."""
    shown, drawn = [0], [0]

    def count_frame(_scene, _depsgraph):
        shown[0] += 1

    def count_drawing():
        drawn[0] += 1

    space = bpy.types.SpaceView3D
    handle = space.draw_handler_add(count_drawing, (), "WINDOW", "POST_PIXEL")
    bpy.app.handlers.depsgraph_update_post.append(count_frame)
    begin, spent = time.perf_counter(), time.process_time()
    yield WATCHED
    passed, spent = time.perf_counter() - begin, time.process_time() - spent
    bpy.app.handlers.depsgraph_update_post.remove(count_frame)
    space.draw_handler_remove(handle, "WINDOW")
    return {
        "shown": round(shown[0] / passed, 2),
        "drawn": round(drawn[0] / passed, 2),
        "cpu": round(spent / max(drawn[0], 1), 4),
    }


def live(count):
    rig = make_chain(count)
    yield 1.0
    side = Sidebar()
    side.collapsed = live.collapsed
    start = tip(rig).copy()
    yield from side.press_until(lambda: bpy.context.window_manager.redmax.live, LIVE)
    yield from wait(lambda: (tip(rig) - start).length > 1e-4, FIRST_FRAME, "nothing moves")
    rate = yield from watch()
    show_little(True)
    yield 1.0
    lean = yield from watch()
    show_little(False)
    yield 1.0

    x, y = on_screen(tip(rig))
    x11("mousemove", x, y)
    yield SETTLE
    held_from = tip(rig).copy()
    x11("mousedown", 1)
    for k in range(20):
        x11("mousemove", x + 10 * k, y - 8 * k)
        yield 0.1
    yield 1.0
    pulled = tip(rig).copy()
    picture(f"live-{count}")
    x11("mouseup", 1)
    yield 0.7
    yield from key("Return")
    yield from wait(lambda: not bpy.context.window_manager.redmax.live, 20, "live has not ended")
    return {
        "frames_per_second": rate["shown"],
        "whole_window": rate,
        "lines_only": lean,
        "pulled": round((pulled - held_from).length, 3),
        "kept": bool(rig.redmax.result),
    }


def session():
    view().spaces[0].show_region_ui = True
    yield 1.0
    make_chain(5)
    yield 1.0
    region("UI").active_panel_category = "RedMax"
    region("UI").tag_redraw()
    yield 1.0
    side = Sidebar()
    yield from side.collapse(2)  # Set Up, Mechanism
    side.collapsed += 1  # Contact is closed at first
    yield from side.collapse()  # Flesh
    live.collapsed = side.collapsed
    found = {}
    for count in COUNTS:
        found[str(count)] = yield from live(count)
    return {"chains": found, "redraw_seconds": redraw_time()}  # last: it leaves panels undrawn


play(session)
