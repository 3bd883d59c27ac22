"""Armatures that hang on what is simulated: they are read where the animation has them, and would not feel it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import bpy

from ...engine.errors import SceneError
from ..rig.rig import is_physical


def check_carried(armatures: Sequence[bpy.types.Object], bodies: Sequence[bpy.types.Object]) -> None:
    """Refuse armatures whose objects are moved by a simulated bone or body."""
    for obj in armatures:
        for what, carrier in _carriers(obj):
            simulated = is_physical(carrier) if what == "bone" else carrier in bodies
            if simulated:
                raise SceneError(
                    f"Armature '{obj.name}'",
                    f"it hangs on {'a bone of ' if what == 'bone' else ''}'{carrier.name}', which is simulated itself",
                    "Join the armatures (Ctrl J), bake the other one first, or clear the parent (Alt P) and give a "
                    "bone a Target.",
                )


def _carriers(obj: bpy.types.Object) -> Iterator[tuple[str, bpy.types.Object]]:
    """What moves an object, by parenting or constraints, directly or not: a bone, or an object as a whole."""
    pending, seen = [obj], set()
    while pending:
        child = pending.pop()
        if child.name_full in seen:
            continue
        seen.add(child.name_full)
        if child.parent is not None:
            yield ("bone" if child.parent_type == "BONE" else "object"), child.parent
            pending.append(child.parent)
        for constraint in child.constraints:
            target = getattr(constraint, "target", None)
            if target is not None and not constraint.mute and constraint.influence > 0.0:
                yield ("bone" if getattr(constraint, "subtarget", "") else "object"), target
                pending.append(target)
