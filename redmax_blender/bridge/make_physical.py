"""Turn an armature's deform bones into bodies and joints, and say what was decided for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from math import degrees, pi

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_

from ..engine.errors import SceneError
from .damping import critical_damping
from .human_rules import human_freedoms
from .joint_rules import NAMES, UNSAID, Freedom, freedom_of
from .kept_settings import BODY, JOINT, KeptSettings, forget
from .read_mesh import limb_radius, skin_points
from .rig import metres_per_unit, parents_first, physical_parents, uniform_scale
from .rig_rules import helpers, remarks, rigid_parts

SLENDERNESS = 0.1
"""Radius of a capsule for a bone without skin, as a fraction of the bone's length."""
SHORTEST = 1e-5
"""Bones shorter than this [Blender units] have no length: Blender itself keeps none below 1e-6."""


@dataclass(frozen=True)
class Choices:
    """What the user chooses when making an armature physical."""

    density: float = 1000.0
    """[kg/m³]"""
    size_from: str = "SKIN"
    """"SKIN": radius from the skin, from the bone's length where there is none. "BONE": from the length alone."""
    slenderness: float = SLENDERNESS
    damping: float = 0.2
    """Of each joint, as a fraction of `damping.critical_damping`."""
    root: str = "ANCHORED"
    """"ANCHORED", "HINGED" or "FREE": how bones without a physical parent are carried."""
    only_selected: bool = False
    detail: str = "BODY"
    """"BODY": helpers are left out, and faces, twist bones and halves of limbs held (`rig_rules`). "ALL": every deform
    bone is a limb of its own."""
    human_limits: bool = True
    """Whether bones that are named as those of a person, and that the rig does not limit, turn as far as a person's."""
    keep: bool = True
    """Whether settings that were changed since the last time stay (`kept_settings`)."""


@dataclass(frozen=True)
class Decision:
    """What was decided for one bone."""

    bone: str
    joint: str
    """Empty for a bone that is left out."""
    mass: float
    """[kg]"""
    text: str
    kept: str = ""
    """What the user had set and was kept."""


def make_physical(
    obj: bpy.types.Object, scene: bpy.types.Scene, choices: Choices | None = None
) -> list[Decision]:
    """Decide for every deform bone of an armature object, and write the decisions as the bones' settings.

    Bones that were physical and are not chosen now are no longer physical. What the user has set since the last time
    stays. Raises SceneError before any change.
    """
    choices = choices or Choices()
    scale = check_armature(obj)
    check_choices(choices)
    kept = KeptSettings(obj, choices.keep)
    chosen = chosen_bones(obj, choices.only_selected, kept.joined)
    radii = radii_of(obj, scene, chosen, choices)
    freedoms = {bone.name: freedom_of(bone) for bone in chosen}

    left_out = helpers(obj, scene, chosen) if choices.detail == "BODY" else {}
    left_out = {name: why for name, why in left_out.items() if name not in kept.joined}
    left_out |= dict.fromkeys(kept.left_out, "left out by hand")
    for bone in obj.pose.bones:
        bone.redmax.physical = False
        bone.redmax.decision = left_out.get(bone.name, "")
    skipped = [Decision(bone.name, "", 0.0, left_out[bone.name]) for bone in chosen if bone.name in left_out]
    chosen = [bone for bone in chosen if bone.name not in left_out]
    for bone in chosen:
        bone.redmax.physical = True
    carriers = physical_parents(obj)
    held = rigid_parts(chosen, carriers) if choices.detail == "BODY" else {}
    human = human_freedoms(chosen, carriers) if choices.human_limits else {}
    carrying = {carrier.name for carrier in carriers.values() if carrier is not None}
    unit = metres_per_unit(scene) * scale
    for bone in chosen:
        write_body(bone, radii[bone.name][0], choices.density)
        kept.put_back(bone, BODY)
    critical = critical_damping(obj, {bone.name: bone_mass(bone, unit) for bone in chosen}, unit)
    decisions = []
    for bone in chosen:
        carrier = carriers[bone.name]
        sized_by = radii[bone.name][1]
        bone.redmax.damping = choices.damping * critical[bone.name]
        freedom = freedoms[bone.name]
        if freedom.why == UNSAID:
            freedom = human.get(bone.name, freedom)
        if bone.name in held:
            freedom = Freedom((False, False, False), why=held[bone.name])
        reason = write_joint(bone, freedom, carrier is None, bone.name in carrying, choices.root)
        kept.put_back(bone, JOINT)
        reason = "as set" if kept.kept(bone, "joint") else reason
        sized_by = "as set" if kept.kept(bone, "size") else sized_by
        said = describe(bone, carrier, reason, sized_by, unit)
        why_kept = kept.text(bone)
        if why_kept:
            said = replace(said, text=f"{said.text}; {why_kept}", kept=why_kept)
        decisions.append(said)
        bone.redmax.decision = said.text
    kept.note_left_out()
    return decisions + skipped


def decide(obj: bpy.types.Object, scene: bpy.types.Scene, name: str, verdict: str) -> None:
    """Overrule a decision: let a bone "MOVE" in its joint, "HOLD" it on the bone that carries it, or "LEAVE_OUT"."""
    scale = check_armature(obj)
    bone = obj.pose.bones.get(name)
    if bone is None:
        raise SceneError(f"Armature '{obj.name}'", f"there is no bone '{name}'", "Choose one of its bones.")
    check_length(obj, bone)
    settings = bone.redmax
    unit = metres_per_unit(scene) * scale
    if verdict == "LEAVE_OUT":
        settings.physical, settings.decision = False, "left out by hand"
        return
    if not settings.physical:
        settings.physical = True
        write_body(bone, radii_of(obj, scene, [bone], Choices())[name][0], settings.density)
    carriers = physical_parents(obj)
    if verdict == "HOLD":
        freedom = Freedom((False, False, False), why="held by hand")
    else:
        bones = [b for b in obj.pose.bones if b.redmax.physical]
        freedom = freedom_of(bone)
        human = human_freedoms(bones, carriers).get(name, freedom) if freedom.why == UNSAID else freedom
        freedom = replace(human if human.axes else freedom, why="chosen by hand")
        critical = critical_damping(obj, {b.name: bone_mass(b, unit) for b in bones}, unit)
        settings.damping = Choices.damping * critical[name]
    reason = write_joint(bone, freedom, False, False, "HINGED")
    settings.decision = describe(bone, carriers[name], reason, "by hand", unit).text


def clear_physical(obj: bpy.types.Object) -> int:
    """No bone is physical any more; returns how many were. Their other settings stay for the next time."""
    physical = [bone for bone in obj.pose.bones if bone.redmax.physical]
    for bone in physical:
        bone.redmax.physical = False
    forget(obj)
    return len(physical)


def check_armature(obj: bpy.types.Object | None) -> float:
    """The uniform scale of an armature object that can be simulated; SceneError for one that cannot."""
    if obj is None or obj.type != "ARMATURE":
        raise SceneError(
            "Selection" if obj is None else f"Object '{obj.name}'",
            "it is no armature",
            "Select an armature object and try again.",
        )
    place = f"Armature '{obj.name}'"
    if obj.mode == "EDIT":
        raise SceneError(place, "it is in edit mode", "Leave edit mode (Tab) and try again.")
    if not obj.data.bones:
        raise SceneError(place, "it has no bones", "Add bones in edit mode.")
    _, scale = uniform_scale(
        obj.matrix_world, place, "Apply it with Object > Apply > Scale, also on the object's parents."
    )
    return scale


def check_choices(choices: Choices) -> None:
    for name in ("density", "slenderness"):
        value = getattr(choices, name)
        if not np.isfinite(value) or value <= 0.0:
            raise SceneError(f"Make Physical, {name}", f"it is {value}", "Give a number above zero.")
    if not np.isfinite(choices.damping) or choices.damping < 0.0:
        raise SceneError("Make Physical, damping", f"it is {choices.damping}", "Give zero or a number above.")


def chosen_bones(
    obj: bpy.types.Object, only_selected: bool, joined: Collection[str] = frozenset()
) -> list[bpy.types.PoseBone]:
    """Deform bones and those `joined` by hand, parents first; an error when there are none, or one has no length."""
    place = f"Armature '{obj.name}'"
    chosen = [bone for bone in parents_first(obj) if bone.bone.use_deform or bone.name in joined]
    if not chosen:
        raise SceneError(
            place, "none of its bones deform", "Turn on Deform for the bones that shall be bodies (Bone tab)."
        )
    if only_selected:
        chosen = [bone for bone in chosen if is_selected(bone)]
        if not chosen:
            raise SceneError(place, "no deform bone is selected", "Select some in pose mode.")
    for bone in chosen:
        check_length(obj, bone)
    return chosen


def check_length(obj: bpy.types.Object, bone: bpy.types.PoseBone) -> None:
    if bone.bone.length < SHORTEST:
        raise SceneError(
            f"Bone '{bone.name}' of '{obj.name}'",
            f"its length is {bone.bone.length:.2g}, as good as zero",
            "Give it a length in edit mode, or turn off its Deform.",
        )


def is_selected(bone: bpy.types.PoseBone) -> bool:
    """Selection moved from Bone to PoseBone in Blender 5.0."""
    return bool(bone.select if hasattr(bone, "select") else bone.bone.select)


def radii_of(
    obj: bpy.types.Object, scene: bpy.types.Scene, bones: list[bpy.types.PoseBone], choices: Choices
) -> dict[str, tuple[float, str]]:
    """Radius of each bone's capsule [armature units], and what it is from."""
    points = {}
    if choices.size_from == "SKIN":
        points = skin_points(obj, scene, {bone.name for bone in bones})
    radii = {}
    for bone in bones:
        radius = None
        if bone.name in points:
            radius = limb_radius(
                points[bone.name], np.array(bone.bone.head_local), np.array(bone.bone.tail_local)
            )
        if radius is not None and radius > 1e-3 * bone.bone.length:
            radii[bone.name] = (radius, f"skin, {len(points[bone.name])} vertices")
        else:
            radii[bone.name] = (choices.slenderness * bone.bone.length, "bone length")
    return radii


def write_body(bone: bpy.types.PoseBone, radius: float, density: float) -> None:
    settings = bone.redmax
    settings.radius = radius
    settings.use_bone_length = True
    settings.length = bone.bone.length
    settings.mass_from = "DENSITY"
    settings.density = density
    settings.surface.collide = True


def write_joint(
    bone: bpy.types.PoseBone, freedom: Freedom, is_root: bool, has_children: bool, root: str
) -> str:
    """Write kind, axes and limits of the bone's joint; returns the reason."""
    settings = bone.redmax
    kind, why = freedom.joint, freedom.why
    if is_root and root == "FREE":
        kind, why = "FREE", "root, free"
    elif is_root and root == "ANCHORED" and why == UNSAID and has_children:
        kind, why = "FIXED", "root, anchored"
    settings.joint = kind
    if kind in ("REVOLUTE", "UNIVERSAL"):
        settings.axis = freedom.axes[0]
        settings.second_axis = freedom.axes[-1] if kind == "UNIVERSAL" else _another(freedom.axes[0])
    settings.use_limits = freedom.limited
    settings.limits_min = freedom.low
    settings.limits_max = freedom.high
    return why


def _another(axis: str) -> str:
    return "Z" if axis != "Z" else "X"


def capsule_volume(radius: float, length: float) -> float:
    """Volume [m³] of a capsule of this radius and this length from end to end [m]; a sphere when it is too short."""
    return pi * radius**2 * max(length - 2.0 * radius, 0.0) + 4.0 / 3.0 * pi * radius**3


def bone_mass(bone: bpy.types.PoseBone, unit: float) -> float:
    """Mass [kg] that the bone's settings give, with `unit` metres a unit of the armature."""
    settings = bone.redmax
    if settings.mass_from == "MASS":
        return float(settings.mass)
    length = bone.bone.length if settings.use_bone_length else settings.length
    return float(settings.density) * capsule_volume(settings.radius * unit, length * unit)


def describe(
    bone: bpy.types.PoseBone, carrier: bpy.types.PoseBone | None, reason: str, sized_by: str, unit: float
) -> Decision:
    settings = bone.redmax
    mass = bone_mass(bone, unit)
    joint = settings.joint.lower()
    if settings.joint == "REVOLUTE":
        joint += f" about {settings.axis}"
    elif settings.joint == "UNIVERSAL":
        joint += f" about {settings.axis} and {settings.second_axis}"
    limits = [
        f"{NAMES[i]} {degrees(settings.limits_min[i]):.0f}°..{degrees(settings.limits_max[i]):.0f}°"
        for i in range(3)
        if settings.use_limits[i] and settings.joint not in ("FIXED", "FREE")
    ]
    joint += f" ({reason}{'; limits ' + ', '.join(limits) if limits else ''})"
    on = f"on {carrier.name}" if carrier is not None else "on the world"
    body = f"capsule of radius {settings.radius * unit:.3g} m ({sized_by}), {mass:.3g} kg"
    more = remarks(bone)
    text = f"{joint}, {on}; {body}{'; ' + more if more else ''}"
    return Decision(bone.name, settings.joint, mass, text)


def report_lines(obj: bpy.types.Object, decisions: list[Decision]) -> list[str]:
    """The whole report, for a text block: a summary and a line a bone."""
    physical = sum(bool(d.joint) for d in decisions)
    lines = [summary(obj, decisions), f"{len(obj.pose.bones) - physical} bones are not physical.", ""]
    return lines + [f"{d.bone}: {d.text}" for d in decisions]


def summary(obj: bpy.types.Object, decisions: list[Decision]) -> str:
    """How many bones are physical, with which joints, and their mass, in a line."""
    decisions = [d for d in decisions if d.joint]
    kinds = Counter(d.joint for d in decisions)
    parts = ", ".join(f"{count} {rpt_(kind.lower())}" for kind, count in kinds.most_common())
    mass = sum(d.mass for d in decisions)
    text = rpt_("'{name}': {count} physical bones ({joints}), {mass} kg")
    if len(decisions) == 1:
        text = rpt_("'{name}': {count} physical bone ({joints}), {mass} kg")
    return text.format(name=obj.name, count=len(decisions), joints=parts, mass=f"{mass:.4g}")


def write_report(obj: bpy.types.Object, decisions: list[Decision]) -> bpy.types.Text:
    """Keep the report in a text block of the file, replacing the last one for this armature."""
    name = report_name(obj)
    text = bpy.data.texts.get(name) or bpy.data.texts.new(name)
    text.clear()
    text.write("\n".join(report_lines(obj, decisions)) + "\n")
    text.cursor_set(0)
    return text


def report_name(obj: bpy.types.Object) -> str:
    """Name of the text block with the armature's report."""
    return f"RedMax: {obj.name}"
