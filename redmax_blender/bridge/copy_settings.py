"""One bone's settings for others."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

OWN = {"rna_type", "name", "decision", "muted"}
"""What belongs to one bone and is never copied."""


def copy_settings(source: bpy.types.PoseBone, targets: Iterable[bpy.types.PoseBone]) -> None:
    """Copy all settings that a user can choose."""
    names = [
        p.identifier for p in source.redmax.bl_rna.properties if p.identifier not in OWN and not p.is_readonly
    ]
    for target in targets:
        for name in names:
            setattr(target.redmax, name, getattr(source.redmax, name))
