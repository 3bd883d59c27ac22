"""Overruling what Make Physical decided: for one bone, or for many at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import bpy

from ...engine.errors import SceneError
from .anatomy.freedoms import body_of, freedoms_of
from .damping import critical_damping
from .joint_rules import UNSAID, Freedom, freedom_of
from .limbs.joining import Plan
from .limbs.masses import capsule_volume
from .limbs.skin import read_skin
from .make_physical import (
    SLENDERNESS,
    Choices,
    bone_mass,
    check_armature,
    describe,
    shapes_of,
    write_body,
    write_joint,
)
from .rig import metres_per_unit, parents_first, physical_parents


def decide(obj: bpy.types.Object, scene: bpy.types.Scene, name: str, verdict: str) -> None:
    """Overrule a decision: let a bone "MOVE" in its joint, "HOLD" it on the bone that carries it, or "LEAVE_OUT"."""
    decide_all(obj, scene, [name], verdict)


def decide_all(obj: bpy.types.Object, scene: bpy.types.Scene, names: Collection[str], verdict: str) -> None:
    """Likewise for several bones, in not much more time than for one; SceneError before any change."""
    scale = check_armature(obj)
    for name in names:
        if obj.pose.bones.get(name) is None:
            raise SceneError(
                f"Armature '{obj.name}'", f"there is no bone '{name}'", "Choose one of its bones."
            )
    bones = [bone for bone in parents_first(obj) if bone.name in set(names)]
    if verdict == "LEAVE_OUT":
        for bone in bones:
            bone.redmax.physical, bone.redmax.decision = False, "left out by hand"
        return
    unit = metres_per_unit(scene) * scale
    add_bodies(obj, scene, [bone for bone in bones if not bone.redmax.physical], unit)
    carriers = physical_parents(obj)
    freedoms = dict.fromkeys(names, Freedom((False, False, False), why="held by hand"))
    if verdict == "MOVE":
        freedoms = moving(obj, bones, carriers)
        masses = {b.name: bone_mass(b, unit) for b in obj.pose.bones if b.redmax.physical}
        critical = critical_damping(obj, masses, unit, set(names))
        for bone in bones:
            bone.redmax.damping = Choices.damping * critical[bone.name]
    for bone in bones:
        reason = write_joint(bone, freedoms[bone.name], False, False, "HINGED")
        bone.redmax.decision = describe(bone, carriers[bone.name], reason, "by hand", unit).text


def add_bodies(
    obj: bpy.types.Object, scene: bpy.types.Scene, bones: Collection[bpy.types.PoseBone], unit: float
) -> None:
    """Make bones physical that are not, around their skin."""
    if not bones:
        return
    for bone in bones:
        bone.redmax.physical = True
    bodies = [b for b in parents_first(obj) if b.redmax.physical]
    plan = Plan([b.name for b in bodies], carriers={b.name: b.redmax.carrier for b in bodies})
    shapes = shapes_of(obj, bodies, plan, read_skin(obj, scene), SLENDERNESS)
    for bone in bones:
        capsule = shapes[bone.name].capsule
        volume = capsule_volume(capsule.radius, capsule.length) * unit**3
        write_body(bone, shapes[bone.name], bone.redmax.density, volume)


def moving(
    obj: bpy.types.Object,
    bones: Collection[bpy.types.PoseBone],
    carriers: Mapping[str, bpy.types.PoseBone | None],
) -> dict[str, Freedom]:
    """How bones turn that shall be limbs of their own: as the rig says, or as those of a body do."""
    found = {bone.name: freedom_of(bone) for bone in bones}
    unsaid = [bone for bone in bones if found[bone.name].why == UNSAID]
    body = body_of([b for b in parents_first(obj) if b.redmax.physical], carriers) if unsaid else None
    if body is not None:
        known = freedoms_of(body, unsaid, carriers)
        found |= {name: freedom for name, freedom in known.items() if freedom.axes}
    return {name: replace(freedom, why="chosen by hand") for name, freedom in found.items()}
