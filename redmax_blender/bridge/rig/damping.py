"""How much damping a joint can use: measured by what it carries."""

from __future__ import annotations

from collections.abc import Collection
from math import sqrt

import bpy
import numpy as np
from mathutils import Vector
from numpy.typing import NDArray

from .limbs.capsule import capsule_of
from .rig import physical_bones, physical_parents

Floats = NDArray[np.float64]

GRAVITY = 9.81
"""[m/s²]; sets the scale, whatever the scene's gravity is."""


def critical_damping(
    obj: bpy.types.Object, masses: dict[str, float], unit: float, only: Collection[str] | None = None
) -> dict[str, float]:
    """Damping [N·m·s/rad] of each joint at which all it carries, straight and stiff, would not swing back.

    2 √(I m g c) for the mass m, moment I and distance c of the centre of everything that hangs on the bone, in the
    rest pose, with `unit` metres a unit of the armature; of all joints, or `only` some. Without a part of it, thin
    bodies, which have next to no inertia about their own axes, spin up until the simulation diverges.
    """
    return {name: 2.0 * sqrt(I * weight) for name, (I, weight) in hanging(obj, masses, unit, only).items()}


def hanging(
    obj: bpy.types.Object, masses: dict[str, float], unit: float, only: Collection[str] | None = None
) -> dict[str, tuple[float, float]]:
    """What hangs on each joint, straight and stiff: its moment of inertia [kg·m²] and weight torque m g c [N·m]."""
    bones, carriers = physical_bones(obj), physical_parents(obj)
    carried = {bone.name: [bone] for bone in bones}
    for bone in reversed(bones):
        carrier = carriers[bone.name]
        if carrier is not None:
            carried[carrier.name] += carried[bone.name]
    wanted = [bone for bone in bones if only is None or bone.name in only]
    return {bone.name: _load(bone, carried[bone.name], masses, unit) for bone in wanted}


def _load(
    joint: bpy.types.PoseBone, carried: list[bpy.types.PoseBone], masses: dict[str, float], unit: float
) -> tuple[float, float]:
    head = np.array(joint.bone.head_local)
    capsules = [capsule_of(b) for b in carried]
    middles = [b.bone.matrix_local @ Vector(c.centre.tolist()) for b, c in zip(carried, capsules)]
    arms = (np.array(middles) - head) * unit
    lengths = np.array([capsule.length for capsule in capsules]) * unit
    m = np.array([masses[b.name] for b in carried])
    moment = float(m @ (np.sum(arms**2, axis=1) + lengths**2 / 12.0))
    # Arms that balance each other have no weight to swing under, but inertia all the same.
    distance = max(float(np.linalg.norm(m @ arms)) / float(m.sum()), 0.5 * capsules[0].length * unit)
    return moment, float(m.sum()) * GRAVITY * distance
