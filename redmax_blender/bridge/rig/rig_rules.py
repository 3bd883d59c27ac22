"""Which deform bones of a rig are no limbs of their own: faces, halves of limbs and twist bones.

Riggers leave Deform on for more than what shall move by itself. Helpers that no skin follows are left out
(`limbs.joining`). The others become bodies, since in generated rigs only those are carried along, but are held rigidly
on the bone that carries them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

import bpy
from mathutils import Vector

Carriers = Mapping[str, bpy.types.PoseBone | None]

FEATURES, SPREAD = 20, 8
"""So many small bones on one bone are a face, if so many hang on one of them: more than fingers on a hand."""
SMALL = 0.5
"""What is small on a head, as a fraction of its length."""
FACE = {
    "brow", "lid", "lip", "lips", "nose", "cheek", "chin", "jaw", "eye", "eyes", "eyelid", "eyebrow", "teeth", "tongue",
    "temple", "forehead", "mouth", "face",
}  # fmt: skip
"""Words in the names of bones that are no hair, however they hang on a head."""
NAMED = 12
"""So many bones with such words are a face that shall show expressions; fewer are a jaw that may fall open."""
STRAND, FAR = 3, 0.5
"""Chains of so many bones that end free are hair, if they reach this part of the length of what they hang on."""
STRAIGHT = 0.9995
"""Cosine of the angle up to which a bone goes on straight where the one before ends: about 2°."""
PARALLEL = 0.98
"""Likewise for a twist bone and its limb: about 11°."""
HALVES = 4
"""Parts in which a limb may be divided at most."""


def rigid_parts(bones: Collection[bpy.types.PoseBone], carriers: Carriers) -> dict[str, str]:
    """Bones to hold on the bones that carry them, and why."""
    carried: dict[str, list[bpy.types.PoseBone]] = {}
    for bone in bones:
        carrier = carriers[bone.name]
        if carrier is not None:
            carried.setdefault(carrier.name, []).append(bone)
    held: dict[str, str] = {}
    for bone in _named_face(bones):
        held.setdefault(bone.name, "part of the face, by its name")
    for bone in bones:
        for feature in _face(bone, carried):
            held.setdefault(feature.name, f"part of the face on {bone.name}")
        for half in _halves(bone, carriers, carried):
            held.setdefault(half.name, f"goes on straight from {bone.name}, as a part of one limb")
    for bone in bones:
        carrier = carriers[bone.name]
        if carrier is not None and bone.name not in carried and _twists(bone, carrier):
            held.setdefault(bone.name, f"twist bone along {carrier.name}")
    return held


def _face(
    head: bpy.types.PoseBone, carried: Mapping[str, list[bpy.types.PoseBone]]
) -> list[bpy.types.PoseBone]:
    """All that a bone carries, if it is many bones and all of them are small."""
    found, pending = [], [head]
    while pending:
        children = carried.get(pending.pop().name, [])
        found += children
        pending += children
    strands = _strands(head, carried)
    found = [bone for bone in found if bone.name not in strands]
    small = all(bone.bone.length < SMALL * head.bone.length for bone in found)
    spread = max((len(carried.get(bone.name, [])) for bone in [head, *found]), default=0)
    return found if small and len(found) >= FEATURES and spread >= SPREAD else []


def _named_face(bones: Collection[bpy.types.PoseBone]) -> list[bpy.types.PoseBone]:
    found = [bone for bone in bones if _of_face(bone.name)]
    return found if len(found) >= NAMED else []


def _of_face(name: str) -> bool:
    return not FACE.isdisjoint(re.split("[^a-z]+", re.sub("(?<=[a-z])(?=[A-Z])", " ", name).lower()))


def _strands(head: bpy.types.PoseBone, carried: Mapping[str, list[bpy.types.PoseBone]]) -> set[str]:
    """Hair: bones of chains of three or more below a head that end free, and reach far for its size."""
    found: set[str] = set()
    pending = list(carried.get(head.name, []))
    while pending:
        first = pending.pop()
        chain = [first]
        while len(carried.get(chain[-1].name, [])) == 1:
            chain.append(carried[chain[-1].name][0])
        following = carried.get(chain[-1].name, [])
        reach = (chain[-1].bone.tail_local - first.bone.head_local).length
        if (
            not following
            and len(chain) >= STRAND
            and reach > FAR * head.bone.length
            and not _of_face(first.name)
        ):
            found.update(bone.name for bone in chain)
        pending += following
    return found


def _halves(
    first: bpy.types.PoseBone, carriers: Carriers, carried: Mapping[str, list[bpy.types.PoseBone]]
) -> list[bpy.types.PoseBone]:
    """The bones that continue a limb which a generated rig has divided, in order.

    They have its name with another number, are as long, lie in one line and bend by B-bone segments; another bone ends
    the limb. A straight tail looks the same but for that last one.
    """
    carrier = carriers[first.name]
    if carrier is not None and _continues(first, carrier):
        return []
    run = [first]
    while True:
        following = [bone for bone in carried.get(run[-1].name, []) if _continues(bone, run[-1])]
        if len(following) != 1 or len(run) == HALVES:
            break
        run.append(following[0])
    return run[1:] if carried.get(run[-1].name) else []


def _continues(bone: bpy.types.PoseBone, before: bpy.types.PoseBone) -> bool:
    a, b = before.bone, bone.bone
    return (
        _stem(a.name) == _stem(b.name)
        and min(a.bbone_segments, b.bbone_segments) > 1
        and abs(a.length - b.length) < 0.02 * a.length
        and (b.head_local - a.tail_local).length < 0.01 * a.length
        and a.vector.length > 0.0
        and _direction(a).dot(_direction(b)) > STRAIGHT
    )


def _stem(name: str) -> str:
    """A bone's name without its number."""
    return re.sub(r"\.\d{3}$", "", name)


def _direction(bone: bpy.types.Bone) -> Vector:
    return (bone.tail_local - bone.head_local).normalized()


def _twists(bone: bpy.types.PoseBone, limb: bpy.types.PoseBone) -> bool:
    """Whether a bone that carries nothing lies within its limb, along it."""
    a, b = limb.bone, bone.bone
    axis = _direction(a)
    ends = [(p - a.head_local) for p in (b.head_local, b.tail_local)]
    along = [p.dot(axis) / a.length for p in ends]
    beside = max((p - p.dot(axis) * axis).length for p in ends)
    within = min(along) >= -0.01 and max(along) <= 1.01 and b.length < 0.95 * a.length
    return bool(within and beside < 0.05 * a.length and abs(axis.dot(_direction(b))) > PARALLEL)


def remarks(bone: bpy.types.PoseBone) -> str:
    """What the simulation leaves aside of a bone, in words; empty for nothing."""
    said = []
    if any(c.type == "STRETCH_TO" and not c.mute for c in bone.constraints):
        said.append("it stretches in the rig, and keeps its length in the simulation")
    if bone.bone.bbone_segments > 1:
        said.append("its B-bone segments bend between the bodies' ends")
    return "; ".join(said)
