"""Data from other files: what is linked cannot be changed here, and its names need not differ from ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import bpy

from ...engine.errors import SceneError

LINKED = "It is linked from a library: make a library override of it first (Object > Library Override > Make)"
"""Why a button is grey."""


def is_linked(obj: bpy.types.Object | None) -> bool:
    """True for an object of another file that is no library override: changes of it would be gone with the session."""
    return obj is not None and obj.library is not None


def check_linked(scene: bpy.types.Scene, moved: Iterable[bpy.types.Object]) -> None:
    """Refuse to simulate what could not keep its result, or what another object would be taken for."""
    count = Counter(obj.name for obj in scene.objects)
    for obj in moved:
        place = f"{'Armature' if obj.type == 'ARMATURE' else 'Object'} '{obj.name}'"
        if is_linked(obj):
            raise SceneError(
                place,
                "it is linked from a library, and what is linked cannot keep a simulation",
                "Make a library override of it (Object > Library Override > Make).",
            )
        if count[obj.name] > 1:
            raise SceneError(
                place, "another object of the same name is linked into the scene", "Rename one of the two."
            )
