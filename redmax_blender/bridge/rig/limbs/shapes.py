"""The capsule of every body of a rig, and how heavy each is."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from .capsule import BoneCapsule, unit_vector
from .fit import enclosed_volume, fit_capsule
from .skin import Patch

Floats = NDArray[np.float64]
Carriers = Mapping[str, bpy.types.PoseBone | None]

THIN = 1e-3
"""Least radius of a capsule, as a part of its length."""
SHORT = 0.05
"""A bone that is shorter than this part of its carrier's limb, and carries nothing, has a length that means nothing."""
LONG = 6.0
"""Likewise for one that is longer than this many of its carrier's limbs."""


@dataclass(frozen=True)
class LimbShape:
    """A body's capsule in its bone's frame, and what it is from."""

    capsule: BoneCapsule
    source: str
    volume: float | None
    """Of its skin [units³ of the armature]; None without one."""


def joints_below(bones: list[bpy.types.PoseBone], carriers: Carriers) -> dict[str, list[Floats]]:
    """Where the joints are that each body carries, in the armature's rest pose."""
    found: dict[str, list[Floats]] = {bone.name: [] for bone in bones}
    for bone in bones:
        carrier = carriers[bone.name]
        if carrier is not None:
            found[carrier.name].append(np.array(bone.bone.head_local))
    return found


def shape_limbs(
    bones: list[bpy.types.PoseBone],
    carriers: Carriers,
    patches: Mapping[str, Patch],
    slenderness: float,
    joining: Collection[str] = (),
) -> dict[str, LimbShape]:
    """A capsule for every body, carriers first: around its skin, or along its bone."""
    below = joints_below(bones, carriers)
    found: dict[str, LimbShape] = {}
    lengths: dict[str, float] = {}
    for bone in bones:
        carrier = carriers[bone.name]
        axis, length, own = limb_line(bone, below[bone.name], lengths.get(carrier.name) if carrier else None)
        lengths[bone.name] = length
        head = np.array(bone.bone.head_local)
        patch = patches.get(bone.name)
        fitted = None
        if patch is not None:
            fitted = fit_capsule(patch.points, patch.weights, head, below[bone.name], axis)
        if fitted is not None and fitted.radius > THIN * min(fitted.length, length):
            volume = abs(enclosed_volume(patch.triangles, fitted)) if len(patch.triangles) else None
            source = f"skin, {len(patch.points)} vertices"
            found[bone.name] = LimbShape(to_bone(bone, fitted), source, volume)
        elif bone.name in joining and len(below[bone.name]) > 1:
            found[bone.name] = LimbShape(
                to_bone(bone, spanning(np.array(below[bone.name]), slenderness)), "joints", None
            )
        elif own:
            along_it = BoneCapsule(
                slenderness * length, length, np.array([0.0, 0.5 * length, 0.0]), np.eye(3)[1]
            )
            found[bone.name] = LimbShape(along_it, "bone length", None)
        else:
            between = BoneCapsule(slenderness * length, length, head + 0.5 * length * axis, axis)
            found[bone.name] = LimbShape(to_bone(bone, between), "joints", None)
    return found


def limb_line(
    bone: bpy.types.PoseBone, ends: list[Floats], carrier_length: float | None
) -> tuple[Floats, float, bool]:
    """Direction and length of a limb in the armature's space, and whether they are the bone's own.

    A bone whose tail is at a joint that it carries says so itself; the tails of imported bones are anywhere, and then
    the joints say it.
    """
    head, tail = np.array(bone.bone.head_local), np.array(bone.bone.tail_local)
    length = float(bone.bone.length)
    y = np.array(bone.bone.matrix_local.to_3x3().col[1], dtype=float)
    arms = [end - head for end in ends]
    far = max((float(np.linalg.norm(arm)) for arm in arms), default=0.0)
    if far > 0.0:
        if min(float(np.linalg.norm(end - tail)) for end in ends) < 0.25 * max(far, length) or (
            far < 0.2 * length and (carrier_length is None or length < LONG * carrier_length)
        ):
            return y, length, True
        if len(arms) > 2 and 0.4 * far < length < 2.5 * far:  # a head or a hand: its joints are all around it
            return y, length, True
        arm = max(arms, key=lambda a: float(a @ a)) if len(arms) < 3 else np.mean(arms, axis=0)
        size = float(np.linalg.norm(arm))
        if size < 0.2 * far:
            return unit_vector(max(arms, key=lambda a: float(a @ a)), y), far, False
        return unit_vector(arm, y), size, False
    if carrier_length is not None and not SHORT * carrier_length < length < LONG * carrier_length:
        return y, 0.5 * carrier_length, False
    return y, length, True


def spanning(joints: Floats, slenderness: float) -> BoneCapsule:
    """A capsule between joints that a bone without skin holds together, shape (n, 3)."""
    middle = 0.5 * (joints.min(axis=0) + joints.max(axis=0))
    _, _, axes = np.linalg.svd(joints - joints.mean(axis=0))
    t = (joints - middle) @ axes[0]
    length = max(float(np.ptp(t)), 1e-6)
    return BoneCapsule(
        2.0 * slenderness * length, length, middle + 0.5 * (t.min() + t.max()) * axes[0], axes[0]
    )


def to_bone(bone: bpy.types.PoseBone, capsule: BoneCapsule) -> BoneCapsule:
    """The same capsule in the bone's own frame instead of the armature's."""
    rest = np.array(bone.bone.matrix_local, dtype=float)
    R = rest[:3, :3]
    return BoneCapsule(
        capsule.radius, capsule.length, R.T @ (capsule.centre - rest[:3, 3]), R.T @ capsule.axis
    )
