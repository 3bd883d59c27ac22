"""Whether somebody has changed a setting in a panel since the last look, while a live simulation plays."""

from __future__ import annotations

import bpy

changed = False
_owner = object()


def _notice() -> None:
    global changed
    changed = True


def begin() -> None:
    """Watch all settings of ours, and gravity."""
    global changed
    changed = False
    groups = [
        cls for cls in bpy.types.PropertyGroup.__subclasses__() if cls.__name__.startswith("REDMAX_PG_")
    ]
    for cls in groups:
        for name in cls.__annotations__:
            _watch((cls, name))
    _watch((bpy.types.Scene, "gravity"))
    _watch((bpy.types.Scene, "use_gravity"))


def _watch(key: tuple) -> None:
    bpy.msgbus.subscribe_rna(key=key, owner=_owner, args=(), notify=_notice)


def end() -> None:
    """Watch no longer."""
    bpy.msgbus.clear_by_owner(_owner)
