"""What the panel says about the cache: how much there is, and whether it still belongs to the scene."""

from __future__ import annotations

import time
from dataclasses import dataclass

import bpy
from bpy.app.translations import pgettext_iface as iface_

from ..rig.bodies import simulated_objects
from . import cache

PATIENCE = 20.0
"""Looking whether the scene has changed may take a twentieth of the time."""


@dataclass
class _Look:
    change: int = -1
    current: bool = True
    at: float = 0.0
    took: float = 0.0


_change = 0
_physics: dict[str, tuple[int, bool]] = {}
"""At which change it was looked, and whether there was anything physical, by the scene's name."""
_looks: dict[str, _Look] = {}


def note_change() -> None:
    """Something in the file has changed: look again when asked."""
    global _change
    _change += 1


def change_count() -> int:
    """How often something has changed."""
    return _change


def is_outdated(scene: bpy.types.Scene) -> bool:
    """Whether what is shown was simulated from another scene than this one. Light enough to ask at every redraw."""
    look = _looks.setdefault(scene.name_full, _Look())
    now = time.perf_counter()
    wait = look.at + PATIENCE * look.took - now
    if look.change != _change and wait < 0.0:
        look.current = cache.is_current(scene)
        look.change, look.at = _change, time.perf_counter()
        look.took = look.at - now
    elif look.change != _change and not bpy.app.background and not bpy.app.timers.is_registered(_redraw):
        bpy.app.timers.register(_redraw, first_interval=wait + 0.01)  # nothing else may draw the panel then
    return not look.current


def _redraw() -> None:
    """Let the panels be drawn once more."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def has_physics(scene: bpy.types.Scene) -> bool:
    """Whether there is something to simulate; looks again when something has changed."""
    if _physics.get(scene.name_full, (-1, False))[0] != _change:
        _physics[scene.name_full] = (_change, bool(simulated_objects(scene)))
    return _physics[scene.name_full][1]


def size_text(scene: bpy.types.Scene) -> str:
    """Size of the cache on disk, as people read it."""
    size = float(cache.size(scene))
    if size < 1000.0:
        return iface_("{count} bytes").format(count=f"{size:.0f}")
    for unit in ("kB", "MB"):
        size /= 1000.0
        if size < 1000.0:
            return f"{size:.3g} {unit}"
    size /= 1000.0
    return f"{size:.3g} GB"
