"""Live: chains of 30, 100 and 300 bones play in the window, and a real mouse pulls at their ends.

Runs inside Blender.
"""

import sys
import time

sys.path.insert(0, "/project/tests/gui")

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d
from driver import SETTLE, Sidebar, in_view, key, picture, play, region, view, wait, window, x11
from live_chains import COUNTS, FIRST_FRAME, make_chain, tip, watch

LIVE = 257
"""From the header of Simulate to Play Live [px]."""


def on_screen(point):
    """Where a point of the world is in the window, from its top left corner [px]."""
    area, shown = view(), region("WINDOW")
    x, y = location_3d_to_region_2d(shown, area.spaces.active.region_3d, point)
    return round(shown.x + x), round(window().height - (shown.y + y))


def redraw_time():
    """What Blender takes to draw its window once [s]: without a graphics card, that alone may be a second."""
    with in_view():
        begin = time.perf_counter()
        bpy.ops.wm.redraw_timer(type="DRAW_WIN", iterations=3)
    return (time.perf_counter() - begin) / 3.0


def live(count):
    rig = make_chain(count)
    yield 1.0
    side = Sidebar()
    side.collapsed = live.collapsed
    start = tip(rig).copy()
    yield from side.press_until(lambda: bpy.context.window_manager.redmax.live, LIVE)
    yield from wait(lambda: (tip(rig) - start).length > 1e-4, FIRST_FRAME, "nothing moves")
    rate = yield from watch()

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
        "cpu_seconds_a_drawing": rate["cpu"],
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
