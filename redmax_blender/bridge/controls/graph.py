"""What drives a bone: its parent, and the bones that its constraints read, as far as they act now."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import bpy

from ..mechanism.parts import name_of

ACTS = 1e-3
"""Constraints with less influence than this do nothing."""
REPLACES = 0.999
"""Constraints with more influence than this leave nothing of what was before them."""
IGNORED = ("COPY_SCALE", "LIMIT_DISTANCE", "MAINTAIN_VOLUME")
"""Constraints whose target moves no bone that keeps its length."""


def is_control(bone: bpy.types.PoseBone, simulated: Collection[str], shapes: bool) -> bool:
    """Whether an animator moves this bone: it is no deform bone, is not hidden, and something of it is unlocked.

    shapes: the rig gives its controls custom shapes, so that bones without one are none.
    """
    if bone.name in simulated or bone.bone.use_deform or (bone.bone.hide and bone.custom_shape is None):
        return False
    if shapes:
        return bone.custom_shape is not None and is_free(bone)
    return is_free(bone) and not any(acts(each) for each in bone.constraints)


def is_free(bone: bpy.types.PoseBone) -> bool:
    """Whether any channel of location or rotation is unlocked."""
    return not (all(bone.lock_location) and all(bone.lock_rotation))


def acts(constraint: bpy.types.Constraint) -> bool:
    """Whether a constraint moves its bone now."""
    return not constraint.mute and constraint.influence > ACTS


def read_bones(constraint: bpy.types.Constraint, obj: bpy.types.Object) -> list[str]:
    """Bones of the same armature that a constraint reads."""
    if constraint.type == "ARMATURE":
        return [
            t.subtarget for t in constraint.targets if t.target == obj and t.subtarget and t.weight > ACTS
        ]
    found = []
    if getattr(constraint, "target", None) == obj and constraint.subtarget:
        found.append(constraint.subtarget)
    if getattr(constraint, "pole_target", None) == obj and constraint.pole_subtarget:
        found.append(constraint.pole_subtarget)
    return found


def drivers_of(bone: bpy.types.PoseBone) -> list[str]:
    """Names of the bones that move a bone directly: what its constraints read, and its parent where that counts."""
    obj, found = bone.id_data, []
    for constraint in reversed(bone.constraints):
        if not acts(constraint) or constraint.type in IGNORED:
            continue
        read = read_bones(constraint, obj)
        found += read
        whole = constraint.influence > REPLACES and read
        if whole and (constraint.type == "ARMATURE" or _copies_all(constraint)):
            return found
    return found if bone.parent is None else [*found, bone.parent.name]


def _copies_all(constraint: bpy.types.Constraint) -> bool:
    return (
        constraint.type == "COPY_TRANSFORMS"
        and constraint.mix_mode == "REPLACE"
        and constraint.owner_space in ("WORLD", "POSE")
    )


class Graph:
    """Who drives whom in an armature, as its constraints are now."""

    def __init__(self, obj: bpy.types.Object) -> None:
        self.obj = obj
        self.chains = list(_chains(obj))
        self.in_chain: dict[str, list[str]] = {}
        """Bones that the IK constraints read which move a bone."""
        for constraint, bones in self.chains:
            for name in bones:
                self.in_chain.setdefault(name, []).extend(read_bones(constraint, obj))
        self.above: dict[str, set[str]] = {}

    def upstream(self, name: str) -> set[str]:
        """All bones that move a bone, directly or not, and the bone itself."""
        if name not in self.above:
            seen, pending = {name}, [name]
            while pending:
                bone = self.obj.pose.bones.get(pending.pop())
                if bone is None:
                    continue
                new = {*drivers_of(bone), *self.in_chain.get(bone.name, ())} - seen
                seen |= new
                pending.extend(new)
            self.above[name] = seen
        return self.above[name]

    def in_ik(self, name: str) -> bool:
        """Whether a bone follows one that an IK constraint turns."""
        return not self.upstream(name).isdisjoint(self.in_chain)


def _chains(obj: bpy.types.Object) -> Iterator[tuple[bpy.types.Constraint, list[str]]]:
    """Active IK constraints and the bones that each of them turns, from its own one up."""
    for bone in obj.pose.bones:
        for constraint in bone.constraints:
            if constraint.type in ("IK", "SPLINE_IK") and acts(constraint):
                above = [bone, *bone.parent_recursive]
                count = constraint.chain_count or len(above)
                yield constraint, [each.name for each in above[:count]]


def signature(obj: bpy.types.Object) -> tuple[tuple[str, str], ...]:
    """What acts in the rig: another one where a switch, such as from IK to FK, has been turned."""
    found = []
    for bone in obj.pose.bones:
        for constraint in bone.constraints:
            if acts(constraint):
                weights = ""
                if constraint.type == "ARMATURE":
                    weights = "".join("01"[t.weight > ACTS] for t in constraint.targets)
                whole = constraint.influence > REPLACES
                found.append((f"{name_of(bone)}\t{constraint.name}", f"{weights}{'=' if whole else '~'}"))
    return tuple(found)


def has_controls(obj: bpy.types.Object, simulated: Collection[str]) -> bool:
    """Whether simulated bones follow controls: constraints of theirs lead to a bone that an animator moves.

    What the simulation has muted counts as if it acted.
    """
    if obj.type != "ARMATURE":
        return False
    graph = Graph(obj)
    shapes = any(bone.custom_shape is not None for bone in obj.pose.bones)
    for name in simulated:
        bone = obj.pose.bones.get(name)
        for constraint in bone.constraints if bone is not None else ():
            if constraint.type in IGNORED or not constraint.influence > ACTS:
                continue
            if constraint.mute and constraint.name not in bone.redmax.muted.splitlines():
                continue
            for read in read_bones(constraint, obj):
                above = (obj.pose.bones[each] for each in graph.upstream(read) if each in obj.pose.bones)
                if any(is_control(each, simulated, shapes) for each in above):
                    return True
    return False
