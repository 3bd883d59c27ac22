"""Which bones become bodies, and who carries those whose parent says nothing about it.

Riggers and exporters hang bones where it suits the animator: feet on the root, for IK; everything on a bone without
skin; pole targets beside the limbs that they aim. A body needs the bone that its joint is on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

import bpy
import numpy as np
from numpy.typing import NDArray

from ..rig import carriers_among, parents_first
from .skin import Skin

Floats = NDArray[np.float64]
Carriers = Mapping[str, bpy.types.PoseBone | None]

SKINNED = 0.5
"""Fraction of the deform bones that a skin must follow, so that bones which none follows count as helpers."""
NEAR = 0.1
"""What counts as the end of a limb, as a part of the size of all."""


@dataclass
class Plan:
    """What Make Physical takes for bodies."""

    bodies: list[str] = field(default_factory=list)
    """Names of bones, parents first."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Deform bones that are no bodies, and why."""
    carriers: dict[str, str] = field(default_factory=dict)
    """Bodies that another bone carries than their parents say."""
    why: dict[str, str] = field(default_factory=dict)
    """What is to be said about a body."""
    joining: set[str] = field(default_factory=set)
    """Bodies without a skin that hold others together."""


def plan_bodies(
    obj: bpy.types.Object,
    chosen: list[bpy.types.PoseBone],
    skin: Skin,
    joined: Collection[str] = (),
    without: Collection[str] = (),
) -> Plan:
    """Leave out what nothing follows, and let nothing fall apart by it.

    joined and without: bones that shall be bodies and shall be none, whatever follows them.
    """
    plan = Plan(bodies=[bone.name for bone in chosen])
    poles = {pole for _, _, pole in ik_constraints(obj) if pole}
    followed = sum(bone.name in skin.followed for bone in chosen)
    if chosen and followed >= SKINNED * len(chosen):
        for bone in chosen:
            if bone.name not in skin.followed:
                kind = "pole target" if bone.name in poles else "helper: no skin follows it"
                plan.left_out[bone.name] = kind
    else:
        targets = {target for _, target, _ in ik_constraints(obj)}
        for bone in chosen:
            if bone.name in poles and bone.name not in skin.followed:
                plan.left_out[bone.name] = "pole target"
            elif bone.name in targets and bone.name not in skin.followed and not bone.children:
                plan.left_out[bone.name] = "IK target"
    plan.left_out = {name: why for name, why in plan.left_out.items() if name not in joined}
    plan.bodies = [name for name in plan.bodies if name not in plan.left_out and name not in without]
    carry_ik_targets(obj, plan)
    carry_ends(obj, plan, skin)
    join_roots(obj, plan, without)
    return plan


def ik_constraints(obj: bpy.types.Object) -> Iterator[tuple[str, str, str]]:
    """Bone, target and pole (or an empty name) of each IK constraint whose target is a bone of the same armature."""
    for bone in obj.pose.bones:
        for constraint in bone.constraints:
            if constraint.type == "IK" and constraint.target == obj and constraint.subtarget:
                pole = constraint.pole_subtarget if constraint.pole_target == obj else ""
                yield bone.name, constraint.subtarget, pole


def carry_ik_targets(obj: bpy.types.Object, plan: Plan) -> None:
    """A foot that is the target of its leg is carried by the leg, not by the root that it hangs on."""
    bodies = set(plan.bodies)
    for name, target, _ in ik_constraints(obj):
        bone = obj.pose.bones[name]
        limb = next((b.name for b in (bone, *bone.parent_recursive) if b.name in bodies), None)
        if limb is None or target not in bodies or target in plan.carriers:
            continue
        if not hangs_on(plan_carriers(obj, plan), limb, target):
            plan.carriers[target] = limb
            plan.why[target] = f"the IK target of {name}"


def carry_ends(obj: bpy.types.Object, plan: Plan, skin: Skin) -> None:
    """A root that goes on where the skin of a limb ends is carried by that limb: the feet of exported IK legs."""
    carriers = plan_carriers(obj, plan)
    roots = loose(carriers)
    if len(roots) < 2 or not skin.size > 0.0:
        return
    carrying = {carrier.name for carrier in carriers.values() if carrier is not None}
    for root in roots:
        head = np.array(obj.data.bones[root].head_local)
        shared: dict[str, float] = {}
        for pair, amount in skin.together.items():
            if root in pair:
                shared[pair[0] if pair[1] == root else pair[1]] = amount
        for limb in sorted(shared, key=lambda name: -shared[name]):
            if (
                limb in carrying
                or carriers.get(limb) is None
                or hangs_on(plan_carriers(obj, plan), limb, root)
            ):
                continue
            end = far_end(skin, limb, np.array(obj.data.bones[limb].head_local))
            if np.linalg.norm(end - head) < NEAR * skin.size:
                plan.carriers[root] = limb
                plan.why[root] = f"goes on where {limb} ends"
                break


def far_end(skin: Skin, bone: str, head: Floats) -> Floats:
    """Middle of the tenth of a bone's skin that is farthest from its joint."""
    parts = [piece.points[[o == bone for o in piece.owner]] for piece in skin.pieces]
    points = np.concatenate(parts) if parts else np.zeros((0, 3))
    if not len(points):
        return head
    away = np.linalg.norm(points - head, axis=1)
    return np.asarray(points[away >= np.quantile(away, 0.9)].mean(axis=0))


def join_roots(obj: bpy.types.Object, plan: Plan, without: Collection[str]) -> None:
    """A bone from which several bodies hang that nothing else holds together is a body itself, deforming or not."""
    roots = loose(plan_carriers(obj, plan))
    if len(roots) < 2:
        return
    bodies = set(plan.bodies)
    below: dict[str, list[str]] = {root: [] for root in roots}
    for root in roots:
        for ancestor in obj.pose.bones[root].parent_recursive:
            below.setdefault(ancestor.name, []).append(root)
    for bone in parents_first(obj):
        branches = [child for child in bone.children if child.name in below]
        if bone.name not in bodies and bone.name not in without and len(branches) > 1:
            plan.joining.add(bone.name)
            plan.left_out.pop(bone.name, None)
            plan.why[bone.name] = f"it holds {len(branches)} parts together"
    plan.bodies = [bone.name for bone in parents_first(obj) if bone.name in bodies | plan.joining]


def plan_carriers(obj: bpy.types.Object, plan: Plan) -> Carriers:
    return carriers_among(obj, set(plan.bodies), plan.carriers)


def loose(carriers: Carriers) -> list[str]:
    """Bodies that nothing carries."""
    return [name for name, carrier in carriers.items() if carrier is None]


def hangs_on(carriers: Carriers, body: str, other: str) -> bool:
    """Whether `body` is `other`, or hangs on it, so that it cannot carry it."""
    above: str | None = body
    while above is not None:
        if above == other:
            return True
        carrier = carriers.get(above)
        above = None if carrier is None else carrier.name
    return False


def moves_with(obj: bpy.types.Object, bodies: Collection[str]) -> Mapping[str, str]:
    """The body that each bone of the armature moves with: itself, or its nearest ancestor that is one."""
    found: dict[str, str] = {}
    for bone in parents_first(obj):
        if bone.name in bodies:
            found[bone.name] = bone.name
        elif bone.parent is not None and bone.parent.name in found:
            found[bone.name] = found[bone.parent.name]
    return found
