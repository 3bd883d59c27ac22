"""One bone's or object's settings for others."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ..mechanism.parts import Part

OWN = {"rna_type", "name", "decision", "is_shown", "made", "muted", "own_pose", "coupling", "target"}
"""What belongs to one bone and is never copied."""


def copy_settings(source: bpy.types.PoseBone, targets: Iterable[bpy.types.PoseBone]) -> None:
    """Copy all settings of a bone that a user can choose."""
    for target in targets:
        copy_group(source.redmax, target.redmax)
        target.redmax_control, target.redmax_influence = source.redmax_control, source.redmax_influence
        target.redmax_torque, target.redmax_push = source.redmax_torque, source.redmax_push


def copy_part(source: Part, targets: Iterable[Part], part: str) -> None:
    """Copy one group of settings, such as "friction" or "surface", from a bone or object to others."""
    for target in targets:
        copy_group(getattr(source.redmax, part), getattr(target.redmax, part))


def copy_group(source: bpy.types.PropertyGroup, target: bpy.types.PropertyGroup) -> None:
    """Copy settings, and those of the groups among them."""
    for prop in source.bl_rna.properties:
        name = prop.identifier
        if name in OWN:
            continue
        if prop.type == "POINTER" and prop.is_readonly:  # a group; a pointer to a data block can be set
            copy_group(getattr(source, name), getattr(target, name))
        elif not prop.is_readonly:
            setattr(target, name, getattr(source, name))
