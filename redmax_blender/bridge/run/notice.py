"""What the user is told when something was done without a button: in the panel, and for a while in the status bar."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_iface as iface_

SHOWN_FOR = 8.0
"""Seconds in the status bar."""
NAMED = 3
"""Bones that are named."""


def say_kept_keys(kept: dict[str, list[str]]) -> None:
    """Keys of these parts, by object, hold the animation."""
    names = [name for found in kept.values() for name in found]
    said = ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else "")
    say(iface_("Simulation not keyed: keys of {names} keep the animation").format(names=said))


def say(text: str) -> None:
    manager = bpy.context.window_manager
    manager.redmax.notice = text
    if bpy.app.background:
        return
    for window in manager.windows:
        window.workspace.status_text_set(f"RedMax: {text}")
    if bpy.app.timers.is_registered(_end):
        bpy.app.timers.unregister(_end)
    bpy.app.timers.register(_end, first_interval=SHOWN_FOR)


def clear() -> None:
    """Nothing is said any more."""
    manager = bpy.context.window_manager
    if manager is not None and manager.redmax.notice:
        manager.redmax.notice = ""


def _end() -> None:
    if bpy.context.window_manager.redmax.running:  # the status bar shows its progress
        return
    for window in bpy.context.window_manager.windows:
        window.workspace.status_text_set(None)
