"""Turn an armature's deform bones into bodies and joints, and say what was decided for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from math import degrees

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_

from ...engine.errors import SceneError
from .anatomy.freedoms import body_of, freedoms_of
from .damping import critical_damping
from .joint_rules import NAMES, UNSAID, Freedom, filled, freedom_of
from .kept_settings import BODY, CARRIER, JOINT, KeptSettings, forget
from .limbs.bare import bare_shapes
from .limbs.capsule import capsule_of, write_capsule
from .limbs.cones import cone_freedom, tails
from .limbs.joining import Plan, moves_with, plan_bodies
from .limbs.masses import capsule_volume, volumes
from .limbs.shapes import LimbShape, shape_limbs
from .limbs.skin import Skin, patches, read_skin
from .rig import carriers_among, metres_per_unit, parents_first, physical_parents, uniform_scale
from .rig_rules import remarks, rigid_parts

SLENDERNESS = 0.1
"""Radius of a capsule for a bone without skin, as a fraction of the bone's length."""
SHORTEST = 1e-6
"""Bodies shorter than this [m] have no length."""


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
    """Whether bones of people and animals, known by their names and their places, turn as far as those do, where the
    rig does not limit them; and whether their other bones turn within cones."""
    cones: bool = False
    """Whether joints of which nothing is known turn as far as a cone lets them (`limbs.cones`), and no further."""
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
    skin = read_skin(obj, scene)
    plan = Plan([bone.name for bone in chosen if bone.name not in kept.left_out])
    if choices.detail == "BODY":
        plan = plan_bodies(obj, chosen, skin, kept.joined, kept.left_out)
    plan.left_out |= dict.fromkeys(kept.left_out, "left out by hand")
    chosen = [bone for bone in parents_first(obj) if bone.name in set(plan.bodies)]
    freedoms = {bone.name: freedom_of(bone) for bone in chosen}
    shapes = shapes_of(
        obj, chosen, plan, skin if choices.size_from == "SKIN" else Skin(), choices.slenderness
    )
    unit = metres_per_unit(scene) * scale
    for name, shape in shapes.items():
        check_length(obj, name, shape.capsule.length * unit)

    for bone in obj.pose.bones:
        bone.redmax.physical = False
        bone.redmax.decision = plan.left_out.get(bone.name, "")
    skipped = [Decision(name, "", 0.0, why) for name, why in plan.left_out.items()]
    for bone in chosen:
        bone.redmax.physical = True
        bone.redmax.carrier = plan.carriers.get(bone.name, "")
        kept.put_back(bone, CARRIER)
    carriers = physical_parents(obj)
    held = rigid_parts(chosen, carriers) if choices.detail == "BODY" else {}
    carrying = {carrier.name for carrier in carriers.values() if carrier is not None}
    shared = {name: volume * unit**3 for name, volume in volumes(shapes, skin.volume()).items()}
    ends_free = tails(carriers)
    skinned = any(shape.volume is not None for shape in shapes.values())
    if choices.size_from == "SKIN" and choices.human_limits and not skinned:
        bare = body_of(chosen, carriers, held)
        if bare is not None and bare.kind != "limbs":
            shapes, shared = bare_shapes(shapes, bare, ends_free, unit, choices.density)
            skinned = True
    for bone in chosen:
        write_body(bone, shapes[bone.name], choices.density, shared[bone.name], skinned)
        bone.redmax.surface.collide = bone.name not in plan.joining
        kept.put_back(bone, BODY)
    critical = critical_damping(obj, {bone.name: bone_mass(bone, unit) for bone in chosen}, unit)
    body = body_of(chosen, carriers, held) if choices.human_limits else None
    known = freedoms_of(body, chosen, carriers) if body is not None else {}
    decisions = []
    for bone in chosen:
        carrier = carriers[bone.name]
        bone.redmax.damping = choices.damping * critical[bone.name]
        freedom = freedoms[bone.name]
        cone = cone_freedom(bone, bone.name in ends_free)
        if freedom.why == UNSAID:
            freedom = known.get(bone.name, freedom)
            if freedom.why == UNSAID and (choices.cones or body is not None) and carrier is not None:
                freedom = cone
        elif choices.cones and carrier is not None:
            freedom = filled(filled(freedom, known.get(bone.name, cone)), cone)
        if bone.name in held:
            freedom = Freedom((False, False, False), why=held[bone.name])
        reason = write_joint(bone, freedom, carrier is None, bone.name in carrying, choices.root)
        kept.put_back(bone, JOINT)
        reason = "as set" if kept.kept(bone, "joint") else reason
        sized_by = "as set" if kept.kept(bone, "size") else shapes[bone.name].source
        said = describe(bone, carrier, reason, sized_by, unit)
        why_kept = kept.text(bone)
        notes = [note for note in (plan.why.get(bone.name, ""), why_kept) if note]
        if notes:
            said = replace(said, text="; ".join([said.text, *notes]), kept=why_kept)
        decisions.append(said)
        bone.redmax.decision = said.text
    kept.note_left_out()
    return decisions + skipped


def shapes_of(
    obj: bpy.types.Object, bones: list[bpy.types.PoseBone], plan: Plan, skin: Skin, slenderness: float
) -> dict[str, LimbShape]:
    """The capsules that bones get as the bodies of a plan."""
    carriers = carriers_among(obj, set(plan.bodies), plan.carriers)
    found = patches(skin, moves_with(obj, set(plan.bodies)))
    return shape_limbs(bones, carriers, found, slenderness, plan.joining)


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
    remedy = "Apply it with Object > Apply > Scale, also on the object's parents."
    _, scale = uniform_scale(obj.matrix_world, place, remedy, mirrored=True)
    return abs(scale)


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
    return chosen


def check_length(obj: bpy.types.Object, name: str, length: float) -> None:
    """A body needs a length [m], of its skin, between its joints, or of its bone."""
    if length < SHORTEST:
        raise SceneError(
            f"Bone '{name}' of '{obj.name}'",
            f"its length is {length:.2g} m, as good as zero",
            "Give it a length in edit mode, or turn off its Deform.",
        )


def is_selected(bone: bpy.types.PoseBone) -> bool:
    """Selection moved from Bone to PoseBone in Blender 5.0."""
    return bool(bone.select if hasattr(bone, "select") else bone.bone.select)


def write_body(
    bone: bpy.types.PoseBone, shape: LimbShape, density: float, volume: float, given: bool = False
) -> None:
    """Write capsule and mass; volume [m³]: the part of the mesh, whose mass is then given, or that of the capsule."""
    settings = bone.redmax
    write_capsule(bone, shape.capsule)
    if shape.source == "bone length":  # it goes on to follow the bone when that is edited
        settings.use_bone_length = True
    settings.density = density
    settings.mass = density * volume
    settings.mass_from = "MASS" if given else "DENSITY"
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
    if kind == "REVOLUTE" and freedom.about is not None:
        settings.axis, settings.axis_vector = "CUSTOM", freedom.about
    settings.use_limits = freedom.limited
    settings.limits_min = freedom.low
    settings.limits_max = freedom.high
    return why


def _another(axis: str) -> str:
    return "Z" if axis != "Z" else "X"


def bone_mass(bone: bpy.types.PoseBone, unit: float) -> float:
    """Mass [kg] that the bone's settings give, with `unit` metres a unit of the armature."""
    settings = bone.redmax
    if settings.mass_from == "MASS":
        return float(settings.mass)
    capsule = capsule_of(bone)
    return float(settings.density) * capsule_volume(capsule.radius * unit, capsule.length * unit)


def describe(
    bone: bpy.types.PoseBone, carrier: bpy.types.PoseBone | None, reason: str, sized_by: str, unit: float
) -> Decision:
    settings = bone.redmax
    mass = bone_mass(bone, unit)
    joint = settings.joint.lower()
    if settings.joint == "REVOLUTE":
        own = ", ".join(f"{x:.2f}" for x in settings.axis_vector)
        joint += f" about ({own})" if settings.axis == "CUSTOM" else f" about {settings.axis}"
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
