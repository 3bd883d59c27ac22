"""Settings of bones for the bones of the other side, as Blender mirrors poses: by name, and by the bones' own axes."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np
from numpy.typing import NDArray

from .copy_settings import copy_settings

Floats = NDArray[np.float64]
MIRROR = np.diag([-1.0, 1.0, 1.0])


def mirror_settings(bones: Iterable[bpy.types.PoseBone]) -> list[str]:
    """Copy settings to the other side; returns the names of the bones that got them.

    Where both sides are among the bones, the first of them is taken.
    """
    done: list[str] = []
    taken: set[str] = set()
    for bone in bones:
        other = bone.id_data.pose.bones.get(bpy.utils.flip_name(bone.name))
        if other is None or other == bone or bone.name in done:
            continue
        taken.add(bone.name)
        mirror_bone(bone, other)
        done.append(other.name)
    return done


def mirror_bone(source: bpy.types.PoseBone, target: bpy.types.PoseBone) -> None:
    copy_settings(source, [target])
    ways = signs(source, target)
    mine, theirs = source.redmax, target.redmax
    theirs.physical = mine.physical
    theirs.carrier = flipped(source.id_data, mine.carrier)
    theirs.start = ways * np.array(mine.start)
    theirs.direction = ways * np.array(mine.direction)
    turns = -ways  # a mirror turns rotations about what it keeps
    theirs.rest_angles = turns * np.array(mine.rest_angles)
    if "CUSTOM" in (mine.axis, mine.second_axis):
        theirs.axis_vector = turns * np.array(mine.axis_vector)
    for k in range(3):
        low, high = mine.limits_min[k], mine.limits_max[k]
        theirs.limits_min[k], theirs.limits_max[k] = (low, high) if turns[k] > 0.0 else (-high, -low)


def signs(source: bpy.types.PoseBone, target: bpy.types.PoseBone) -> Floats:
    """Which of its axes a bone's mirror image has the other way round, seen in the axes of the other bone: ±1."""
    A, B = (np.array(bone.bone.matrix_local.to_3x3(), dtype=float) for bone in (source, target))
    return np.where(np.diag(B.T @ MIRROR @ A) < 0.0, -1.0, 1.0)


def flipped(obj: bpy.types.Object, name: str) -> str:
    other = bpy.utils.flip_name(name) if name else ""
    return other if other in obj.pose.bones else name
