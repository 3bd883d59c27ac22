"""What a user has set on physical bones since Make Physical wrote it: kept when Make Physical is pressed again.

Each bone notes what was decided for it. A group of settings that differs from the note was set by the user; so was
one that differs from its defaults on a physical bone without a note, as in files of earlier versions.
"""

from __future__ import annotations

import json
from math import degrees
from typing import Any

import bpy

Values = list[Any]

BODY = {
    "size": ("radius", "use_bone_length", "length", "start", "direction"),
    "mass": ("mass_from", "density", "mass"),
    "collision": ("surface.collide",),
}
JOINT = {
    "joint": ("joint", "axis", "axis_vector", "second_axis"),
    "limits": ("use_limits", "limits_min", "limits_max"),
    "damping": ("damping",),
}
CARRIER = {"carrier": ("carrier",)}
GROUPS = BODY | JOINT | CARRIER
"""Settings that belong together, by what a user would call them: all of a group are kept, or none."""
PHYSICAL = "physical"


class KeptSettings:
    """What the user had set on an armature's bones, to be put back after everything was decided anew."""

    def __init__(self, obj: bpy.types.Object, keep: bool = True) -> None:
        self.obj = obj
        self.set: dict[str, dict[str, Values]] = {}
        """By bone, the groups that the user has set and their values."""
        self.joined: set[str] = set()
        """Bones that the user has made physical."""
        self.left_out: set[str] = set()
        """Bones that the user has taken out."""
        self.said: dict[str, list[str]] = {}
        """By bone, what was kept and what had been decided instead."""
        if keep and any(bone.redmax.physical for bone in obj.pose.bones):  # else it begins anew
            for bone in obj.pose.bones:
                self._find(bone)

    def _find(self, bone: bpy.types.PoseBone) -> None:
        settings = bone.redmax
        note = noted(bone)
        if not note and not settings.physical:
            return
        if note.get(PHYSICAL, False) != settings.physical:
            (self.joined if settings.physical else self.left_out).add(bone.name)
        found = {}
        for group in GROUPS:
            now = read(settings, group)
            if now != note.get(group, defaults(settings, group)):
                found[group] = now
        self.set[bone.name] = found

    def put_back(self, bone: bpy.types.PoseBone, groups: dict[str, tuple[str, ...]]) -> None:
        """Note what was decided for some groups, and give those that the user has set their values back."""
        settings, note = bone.redmax, noted(bone)
        note[PHYSICAL] = True
        for group in groups:
            decided = note[group] = read(settings, group)
            own = self.set.get(bone.name, {}).get(group)
            if own is None or own == decided:
                continue
            instead = describe(settings, group)
            write(settings, group, own)
            self.said.setdefault(bone.name, []).append(f"{group} kept as set, instead of {instead}")
        settings.made = json.dumps(note)

    def kept(self, bone: bpy.types.PoseBone, group: str) -> bool:
        """Whether a group of a bone is the user's and not what was decided."""
        return any(text.startswith(f"{group} ") for text in self.said.get(bone.name, ()))

    def note_left_out(self) -> None:
        """Bones that are not physical now were decided so, but for those that the user took out."""
        for bone in self.obj.pose.bones:
            note = noted(bone)
            if note and not bone.redmax.physical and bone.name not in self.left_out:
                bone.redmax.made = json.dumps(note | {PHYSICAL: False})

    def text(self, bone: bpy.types.PoseBone) -> str:
        return "; ".join(self.said.get(bone.name, ()))


def noted(bone: bpy.types.PoseBone) -> dict[str, Any]:
    """What was decided for a bone; empty for one that nothing was decided for."""
    try:
        note = json.loads(bone.redmax.made or "{}")
    except ValueError:
        return {}
    return note if isinstance(note, dict) else {}


def forget(obj: bpy.types.Object) -> None:
    """Nothing was decided for the armature's bones."""
    for bone in obj.pose.bones:
        if bone.redmax.made:
            bone.redmax.made = ""


def read(settings: bpy.types.PropertyGroup, group: str) -> Values:
    return [_plain(getattr(*_owner(settings, path))) for path in GROUPS[group]]


def write(settings: bpy.types.PropertyGroup, group: str, values: Values) -> None:
    for path, value in zip(GROUPS[group], values):
        setattr(*_owner(settings, path), value)


def defaults(settings: bpy.types.PropertyGroup, group: str) -> Values:
    found = []
    for path in GROUPS[group]:
        owner, name = _owner(settings, path)
        prop = owner.bl_rna.properties[name]
        found.append(list(prop.default_array) if getattr(prop, "is_array", False) else prop.default)
    return found


def describe(settings: bpy.types.PropertyGroup, group: str) -> str:
    """What a group says, in a few words."""
    if group == "joint":
        return str(settings.joint.lower())
    if group == "mass":
        given = settings.mass_from == "MASS"
        return f"{settings.mass:.3g} kg" if given else f"a density of {settings.density:.4g} kg/m³"
    if group == "size":
        return f"a radius of {settings.radius:.3g}"
    if group == "damping":
        return f"{settings.damping:.3g}"
    if group == "carrier":
        return f"'{settings.carrier}'" if settings.carrier else "the nearest above"
    if group == "collision":
        return "on" if settings.surface.collide else "off"
    limits = [
        f"{axis} {degrees(low):.0f}°..{degrees(high):.0f}°"
        for axis, used, low, high in zip("XYZ", settings.use_limits, settings.limits_min, settings.limits_max)
        if used
    ]
    return ", ".join(limits) or "none"


def _owner(settings: bpy.types.PropertyGroup, path: str) -> tuple[Any, str]:
    *groups, name = path.split(".")
    owner = settings
    for each in groups:
        owner = getattr(owner, each)
    return owner, name


def _plain(value: Any) -> Any:
    return list(value) if hasattr(value, "__len__") and not isinstance(value, str) else value
