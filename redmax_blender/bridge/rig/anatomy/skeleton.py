"""A rig as joints in space: where each body begins and ends, and which carries which."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import bpy
import numpy as np
from numpy.typing import NDArray

from ..limbs.capsule import capsule_of
from ..limbs.shapes import joints_below, limb_line

Floats = NDArray[np.float64]
Carriers = Mapping[str, bpy.types.PoseBone | None]


@dataclass(frozen=True)
class Skeleton:
    """Bodies by the names of their bones, those that carry first; all in the armature's space, in its rest pose."""

    head: dict[str, Floats]
    """Where the joint is, shape (3,)."""
    tip: dict[str, Floats]
    """Where the limb ends."""
    carrier: dict[str, str | None]
    carried: dict[str, list[str]] = field(default_factory=dict)

    @property
    def size(self) -> float:
        """Diagonal of the box around all joints."""
        points = np.array([*self.head.values(), *self.tip.values()])
        return float(np.linalg.norm(np.ptp(points, axis=0)))

    def direction(self, name: str) -> Floats:
        """From the joint to the end of the limb, a unit vector."""
        arm = self.tip[name] - self.head[name]
        return np.asarray(arm / max(float(np.linalg.norm(arm)), 1e-12))

    def chain(self, first: str) -> list[str]:
        """From a body outwards, by the branch that reaches farthest each time."""
        found = [first]
        while following := self.carried[found[-1]]:
            found.append(max(following, key=self.reach))
        return found

    def reach(self, name: str) -> float:
        """Length of the longest way from a body's joint to where all ends."""
        own = float(np.linalg.norm(self.tip[name] - self.head[name]))
        ways = [
            float(np.linalg.norm(self.head[other] - self.head[name])) + self.reach(other)
            for other in self.carried[name]
        ]
        return max(ways, default=own)

    def above(self, name: str) -> list[str]:
        """What carries a body, and what carries that, up to the root."""
        found = []
        while (up := self.carrier[name]) is not None:
            found.append(up)
            name = up
        return found


def read_skeleton(
    bones: Collection[bpy.types.PoseBone], carriers: Carriers, held: Collection[str] = ()
) -> Skeleton:
    """Of bodies, without those that are held on others; what these carry hangs on what holds them."""
    names = {bone.name for bone in bones}
    moving = {name: _moving_carrier(name, carriers, names, held) for name in names}
    ordered = [bone for bone in bones if bone.name not in held]
    ends = joints_below(ordered, {bone.name: moving[bone.name] for bone in ordered})
    tree = Skeleton({}, {}, {})
    for bone in ordered:
        carrier = moving[bone.name]
        tree.head[bone.name] = np.array(bone.bone.head_local, dtype=float)
        tree.tip[bone.name] = _tip(bone, ends[bone.name])
        tree.carrier[bone.name] = None if carrier is None else carrier.name
        tree.carried[bone.name] = []
    for name, above in tree.carrier.items():
        if above is not None:
            tree.carried[above].append(name)
    return tree


def _moving_carrier(
    name: str, carriers: Carriers, names: Collection[str], held: Collection[str]
) -> bpy.types.PoseBone | None:
    carrier = carriers[name]
    while carrier is not None and (carrier.name in held or carrier.name not in names):
        carrier = carriers.get(carrier.name)
    return carrier


def _tip(bone: bpy.types.PoseBone, ends: list[Floats]) -> Floats:
    """End of a limb: at its joints, or of its body where it carries nothing and the body is not along the bone."""
    head = np.array(bone.bone.head_local, dtype=float)
    if not ends and not bone.redmax.use_bone_length:
        capsule = capsule_of(bone)
        reach = capsule.axis * 0.5 * capsule.length
        far = capsule.centre + (reach if float(reach @ capsule.centre) >= 0.0 else -reach)
        return np.asarray(np.array(bone.bone.matrix_local.to_3x3(), dtype=float) @ far + head)
    axis, length, _ = limb_line(bone, ends, None)
    return np.asarray(head + axis * length)
