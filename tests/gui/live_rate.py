"""Live in a small window with next to nothing to draw: how many frames a second chains of bones give, drawn.

Runs inside Blender: `SIZE=480x360 $REDMAX_BLENDER_GUI run tests/gui/live_rate.py`, with the extension installed. What a
software renderer needs for the rest of a window is left out as far as can be.
"""

import sys

sys.path.insert(0, "/project/tests/gui")

import bpy
from driver import in_view, key, play, view, wait
from live_chains import COUNTS, FIRST_FRAME, make_chain, show_little, tip, watch


def rate(count):
    rig = make_chain(count)
    show_little(True)
    yield 1.0
    start = tip(rig).copy()
    with in_view():
        bpy.ops.redmax.live("INVOKE_DEFAULT")
    yield from wait(lambda: (tip(rig) - start).length > 1e-4, FIRST_FRAME, "nothing moves")
    yield 2.0
    found = yield from watch()
    yield from key("Escape")
    yield from wait(lambda: not bpy.context.window_manager.redmax.live, 20, "live has not ended")
    return found


def session():
    with in_view():
        bpy.ops.screen.screen_full_area(use_hide_panels=True)
    yield 1.0
    found = {"view": [view().width, view().height]}
    for count in COUNTS:
        found[str(count)] = yield from rate(count)
    return found


play(session)
