"""What is physical in a scene: which armatures and bones, who carries whom, and how long a metre is."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ...engine.errors import SceneError
from ..motion.rotations import nearest_rotation
from ..read.present import present

UNIFORM = 5e-3
"""Scales of the three axes that differ by less than this, relatively, count as equal: importers leave such rests."""


def metres_per_unit(scene: bpy.types.Scene) -> float:
    """Length of one Blender unit [m]. Blender ignores the unit scale when the unit system is None; so do we."""
    units = scene.unit_settings
    return 1.0 if units.system == "NONE" else float(units.scale_length)


def gravity(scene: bpy.types.Scene) -> tuple[float, float, float]:
    """Gravity [m/s²] in world axes; zero when the scene's gravity is switched off."""
    if not scene.use_gravity:
        return (0.0, 0.0, 0.0)
    scale = metres_per_unit(scene) if scene.redmax.gravity_in_scene_units else 1.0
    x, y, z = (float(g) * scale for g in scene.gravity)
    return (x, y, z)


def is_physical(obj: bpy.types.Object | None) -> bool:
    """True for an armature object with at least one physical bone."""
    return (
        obj is not None
        and obj.type == "ARMATURE"
        and obj.pose is not None
        and any(bone.redmax.physical for bone in obj.pose.bones)
    )


def physical_armatures(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The scene's armatures that take part in a simulation, in order of name."""
    return sorted((o for o in present(scene) if is_physical(o)), key=lambda o: o.name)


def parents_first(obj: bpy.types.Object) -> Iterator[bpy.types.PoseBone]:
    """All pose bones, every one after its parent; their order in `pose.bones` does not promise that."""
    bones = obj.pose.bones
    pending = [bone for bone in bones if bone.parent is None][::-1]
    while pending:
        bone = pending.pop()
        yield bone
        pending.extend(reversed(bone.children))


def physical_bones(obj: bpy.types.Object) -> list[bpy.types.PoseBone]:
    """The armature's physical bones, every one after the physical bone that carries it."""
    bones = [bone for bone in parents_first(obj) if bone.redmax.physical]
    carriers = physical_parents(obj)
    placed: set[str] = set()
    ordered: list[bpy.types.PoseBone] = []
    while bones:
        ready = [b for b in bones if carriers[b.name] is None or carriers[b.name].name in placed]
        if not ready:
            names = ", ".join(f"'{b.name}'" for b in bones)
            raise SceneError(
                f"Armature '{obj.name}'",
                f"bones {names} carry each other in a circle, through the bones they copy",
                "Turn off Physical for one of them.",
            )
        ordered += ready
        placed |= {b.name for b in ready}
        bones = [b for b in bones if b.name not in placed]
    return ordered


def physical_parents(obj: bpy.types.Object) -> dict[str, bpy.types.PoseBone | None]:
    """The physical bone that carries each physical bone: the one that its settings name, else as `carriers_among`."""
    bodies = {bone.name for bone in obj.pose.bones if bone.redmax.physical}
    return carriers_among(obj, bodies, {name: obj.pose.bones[name].redmax.carrier for name in bodies})


def carriers_among(
    obj: bpy.types.Object, bodies: Collection[str], given: Mapping[str, str]
) -> dict[str, bpy.types.PoseBone | None]:
    """The body that carries each body: the `given` one, else its nearest ancestor that is one, None for the world.

    In generated rigs deform bones hang on helper bones (Rigify: DEF-thigh on ORG-thigh on ORG-spine) and copy other
    helpers (DEF-spine copies ORG-spine). A helper that a physical bone copies stands for that bone, so that the
    thigh still hangs on the spine; and so does one on which a physical bone lies without constraints (DEF-shoulder on
    ORG-shoulder), so that the upper arm hangs on the shoulder.
    """
    copied_by = _copied_by(obj, bodies)
    carriers: dict[str, bpy.types.PoseBone | None] = {}
    for name in (bone.name for bone in obj.pose.bones if bone.name in bodies):
        wanted = given.get(name, "")
        if wanted and wanted != name and wanted in bodies:
            carriers[name] = obj.pose.bones[wanted]
    for bone in obj.pose.bones:
        if bone.name in bodies and bone.name not in carriers:
            carriers[bone.name] = _carrier(bone, bodies, copied_by, carriers)
    return {bone.name: carriers[bone.name] for bone in obj.pose.bones if bone.name in bodies}


def _carrier(
    bone: bpy.types.PoseBone,
    bodies: Collection[str],
    copied_by: dict[str, bpy.types.PoseBone],
    carriers: dict[str, bpy.types.PoseBone | None],
) -> bpy.types.PoseBone | None:
    ancestor = bone.parent
    while ancestor is not None:
        if ancestor.name in bodies:
            return ancestor
        stand_in = copied_by.get(ancestor.name)
        if stand_in is not None and stand_in != bone and not _carries(bone, stand_in, carriers):
            return stand_in
        ancestor = ancestor.parent
    return None


def _carries(
    bone: bpy.types.PoseBone,
    other: bpy.types.PoseBone,
    carriers: dict[str, bpy.types.PoseBone | None],
) -> bool:
    """True when `other` is `bone` or hangs on it, as far as is known: taking it as carrier would close a cycle."""
    above: bpy.types.PoseBone | None = other
    while above is not None:
        if above.name == bone.name:
            return True
        above = carriers.get(above.name)
    return bone in other.parent_recursive


def _copied_by(obj: bpy.types.Object, bodies: Collection[str]) -> dict[str, bpy.types.PoseBone]:
    """Helper bone → the body that copies its transforms, or that lies on it without constraints."""
    found: dict[str, bpy.types.PoseBone] = {}
    physical = [bone for bone in obj.pose.bones if bone.name in bodies]
    for bone in physical:
        for constraint in bone.constraints:
            if constraint.type == "COPY_TRANSFORMS" and constraint.target == obj and constraint.subtarget:
                found.setdefault(constraint.subtarget, bone)
    for bone in physical:
        helper = bone.parent
        if (
            helper is not None
            and helper.name not in bodies
            and not bone.constraints
            and _lies_on(bone, helper)
        ):
            found.setdefault(helper.name, bone)
    return found


def _lies_on(bone: bpy.types.PoseBone, helper: bpy.types.PoseBone) -> bool:
    """Whether two bones are one and the same in the rest pose."""
    a, b = bone.bone, helper.bone
    near = 1e-3 * b.length
    return bool((a.head_local - b.head_local).length < near and (a.tail_local - b.tail_local).length < near)


def carried_deform_bones(obj: bpy.types.Object) -> set[str]:
    """Names of the deform bones that are not physical and hang on a physical one, directly or through helpers."""
    bodies = {bone.name for bone in obj.pose.bones if bone.redmax.physical}
    copied_by = _copied_by(obj, bodies)
    return {
        bone.name
        for bone in obj.pose.bones
        if bone.bone.use_deform
        and bone.name not in bodies
        and _carrier(bone, bodies, copied_by, {}) is not None
    }


def uniform_scale(
    matrix: Matrix, place: str, remedy: str, mirrored: bool = False
) -> tuple[NDArray[np.float64], float]:
    """Split a 4x4 transform into its rotation, shape (3, 3), and its one scale; an error where there is not one.

    Where it may be `mirrored`, the scale of one that is is negative: it mirrors at the origin, after the rotation.
    """
    linear, scale = _linear(matrix, place, remedy, mirrored)
    if np.max(np.abs(linear.T @ linear / scale**2 - np.eye(3))) > 2.0 * UNIFORM:
        raise SceneError(place, "its scale is not the same along all three axes", remedy)
    return nearest_rotation(linear / scale), scale


def stretched(matrix: Matrix, place: str, remedy: str) -> tuple[NDArray[np.float64], float]:
    """Split a bone's 4x4 transform into its rotation, shape (3, 3), and how much longer than at rest it is."""
    linear, _ = _linear(matrix, place, remedy, False)
    return nearest_rotation(linear), float(np.linalg.norm(linear[:, 1]))


def _linear(matrix: Matrix, place: str, remedy: str, mirrored: bool) -> tuple[NDArray[np.float64], float]:
    """The linear part of a transform, and its mean scale; an error where that is nothing to simulate."""
    linear = np.array(matrix.to_3x3(), dtype=float)
    if not np.all(np.isfinite(np.array(matrix, dtype=float))):
        raise SceneError(
            place, "its transform is not a finite number", "Clear its location, rotation and scale."
        )
    scale = float(np.cbrt(np.linalg.det(linear)))
    if abs(scale) < 1e-9:
        raise SceneError(place, "its scale is zero", "Give it a scale above zero.")
    if scale < 0.0 and not mirrored:
        raise SceneError(place, "it is mirrored by a negative scale", remedy)
    return linear, scale
