"""Drives a Blender with a window as a user does: real mouse and keys, pictures, one step after the other.

Runs inside Blender. A scenario is a generator that yields seconds to wait; what it returns is written to
`/out/result.json`, or the traceback of what went wrong.
"""

import importlib
import json
import os
import subprocess
import traceback

import bpy

OUT = os.environ.get("REDMAX_OUT", "/out")
HEADER = 16
"""From the top of the sidebar to the middle of the first panel's header [px]."""
PITCH = 28
"""From the header of a collapsed panel to the next one [px]."""
SETTLE = 0.4
"""Time for Blender to draw what a click did [s]."""


def x11(*arguments):
    subprocess.run(["xdotool", *map(str, arguments)], check=True, timeout=20)


def window():
    return bpy.context.window_manager.windows[0]


def view():
    return next(area for area in window().screen.areas if area.type == "VIEW_3D")


def region(kind):
    return next(r for r in view().regions if r.type == kind)


def in_view():
    """A context in which operators of the 3D view run."""
    return bpy.context.temp_override(window=window(), area=view(), region=region("WINDOW"))


def package(name):
    """A module of the installed extension."""
    return importlib.import_module(f"bl_ext.user_default.redmax.{name}")


def picture(name):
    subprocess.run(["import", "-window", "root", f"{OUT}/{name}.png"], check=True, timeout=60)


def click(x, y, times=1):
    """Click at a place of the window, measured from its top left corner [px]."""
    x11("mousemove", round(x), round(y))
    yield SETTLE
    x11("click", "--repeat", times, "--delay", 60, 1)
    yield SETTLE


def key(name):
    x11("key", name)
    yield SETTLE


def type_text(text):
    x11("type", "--delay", 30, text)
    yield SETTLE


def in_sidebar(down, across=0.5):
    """A place in the sidebar: pixels below its top, and how far across."""
    ui = region("UI")
    width = ui.width - 30  # the tabs are at its right edge
    return ui.x + across * width, window().height - (ui.y + ui.height) + down


class Sidebar:
    """The RedMax tab: which panels are collapsed, from the top on."""

    def __init__(self):
        self.collapsed = 0

    def collapse(self, count=1):
        """Collapse the next panels from the top."""
        for _ in range(count):
            yield from click(*in_sidebar(HEADER + PITCH * self.collapsed, 0.4))
            yield 1.0  # panels slide
            self.collapsed += 1

    def expand_last(self):
        """Open the last one again that was collapsed."""
        self.collapsed -= 1
        yield from click(*in_sidebar(HEADER + PITCH * self.collapsed, 0.4))
        yield SETTLE

    def press(self, down, across=0.5, times=1):
        """Click in the first panel that is open, so many pixels below the middle of its header."""
        yield from click(*in_sidebar(HEADER + PITCH * self.collapsed + down, across), times)

    def press_until(self, done, down, across=0.5, why="the button did nothing"):
        """Click until it had its effect: a click may come while panels still slide."""
        for _ in range(3):
            yield from self.press(down, across)
            for _ in range(8):
                if done():
                    return
                yield 0.5
        raise AssertionError(why)


def wait(done, seconds, why):
    """Until something is true."""
    for _ in range(round(seconds / 0.5)):
        if done():
            return
        yield 0.5
    raise AssertionError(f"after {seconds} s {why}")


def play(scenario):
    """Play a scenario from Blender's timers, and quit at the end; the interface is as it is at first, and stays so."""
    preferences = bpy.context.preferences
    preferences.use_preferences_save = False
    preferences.view.show_splash, preferences.view.ui_scale = False, 1.0
    preferences.view.smooth_view, preferences.system.use_region_overlap = 0, True
    steps = scenario()

    def step():
        try:
            return next(steps)
        except StopIteration as end:
            finish(end.value or {})
        except Exception:
            picture("failed")
            finish({"error": traceback.format_exc()})
        return None

    bpy.app.timers.register(step, first_interval=2.0, persistent=True)


def finish(result):
    with open(f"{OUT}/result.json", "w") as file:
        json.dump(result, file)
    bpy.ops.wm.quit_blender()
