"""Lines of physical bones: their capsules, the axes and limits of their joints, and where these rub."""

from __future__ import annotations

from collections.abc import Mapping

import bpy
import numpy as np
from numpy.typing import NDArray

from ..bridge.read.bone import unposed
from ..bridge.read.friction import RUBS, bone_friction_size
from ..bridge.read.settings import UNIT
from ..bridge.rig.limbs.capsule import capsule_of
from ..bridge.rig.make_physical import is_selected
from . import shapes
from .shapes import Colour, Lines

Floats = NDArray[np.float64]

BODY: Colour = (0.45, 0.75, 1.0, 0.8)
AXES: dict[str, Colour] = {
    "X": (1.0, 0.3, 0.35, 1.0),
    "Y": (0.55, 0.86, 0.1, 1.0),
    "Z": (0.25, 0.6, 1.0, 1.0),
}
CUSTOM: Colour = (1.0, 0.55, 0.9, 1.0)
LIMIT: Colour = (1.0, 0.85, 0.25, 0.9)
RUBBING: Colour = (0.85, 0.55, 0.35, 1.0)
"""Friction without a recorded torque."""
TARGET: Colour = (0.35, 0.95, 0.5, 1.0)
GHOST: Colour = (0.9, 0.9, 0.9, 0.7)

ZERO = {0: 1, 1: 0, 2: 1}
"""Which axis of the bone shows the angle about its axes: its direction, or x where it turns about itself."""


def bone_matrix(obj: bpy.types.Object, bone: bpy.types.PoseBone) -> Floats:
    """World matrix of a bone as it is shown, shape (4, 4)."""
    return np.array(obj.matrix_world @ bone.matrix, dtype=float)


def drawn_bones(obj: bpy.types.Object, selected_only: bool) -> list[bpy.types.PoseBone]:
    """Physical bones of an armature that the overlay is about."""
    return [b for b in obj.pose.bones if b.redmax.physical and (not selected_only or is_selected(b))]


def body_lines(bone: bpy.types.PoseBone) -> Floats:
    """Outline of the bone's capsule in its own frame."""
    capsule = capsule_of(bone)
    lines = shapes.capsule(capsule.radius, max(capsule.length - 2.0 * capsule.radius, 0.0))
    return np.asarray(lines @ capsule.turn.T + capsule.centre)


def joint_axes(settings: bpy.types.PropertyGroup) -> list[tuple[Floats, Colour]]:
    """Axes of a joint in its bone's frame, with their colours."""
    if settings.joint in ("REVOLUTE", "UNIVERSAL", "PRISMATIC"):
        first = np.array(UNIT[settings.axis] if settings.axis != "CUSTOM" else settings.axis_vector, float)
        length = np.linalg.norm(first)
        if length < 1e-9:
            return []
        axes = [(first / length, AXES.get(settings.axis, CUSTOM))]
        if settings.joint == "UNIVERSAL":
            axes.append((np.array(UNIT[settings.second_axis]), AXES[settings.second_axis]))
        return axes
    return [(np.array(UNIT[name]), AXES[name]) for name in "XYZ"] if settings.joint == "SPHERICAL" else []


def axis_lines(bone: bpy.types.PoseBone) -> list[tuple[Floats, Colour]]:
    """The joint's axes through the bone's head, in the bone's frame: a line to turn about, an arrow to slide along."""
    size = 0.25 * capsule_of(bone).length
    found = []
    for axis, colour in joint_axes(bone.redmax):
        if bone.redmax.joint == "PRISMATIC":
            found.append((shapes.arrow(-axis * size, 2.0 * axis * size), colour))
        else:
            found.append((np.array([[-axis * size, axis * size]]), colour))
    return found


def limit_lines(bone: bpy.types.PoseBone) -> Floats:
    """Arcs between the limits of the joint's angles, in the frame of the bone without a pose of its own."""
    settings = bone.redmax
    if settings.joint not in ("REVOLUTE", "UNIVERSAL", "SPHERICAL"):
        return np.zeros((0, 2, 3))
    size = 0.4 * capsule_of(bone).length
    arcs = []
    for axis, _ in joint_axes(settings):
        k = int(np.argmax(np.abs(axis)))
        if not settings.use_limits[k]:
            continue
        low, high = settings.limits_min[k], settings.limits_max[k]
        if low <= high:
            about = axis if axis[k] > 0.0 else -axis
            arcs.append(shapes.arc(about, np.eye(3)[ZERO[k]], low, high, size))
    return shapes.joined(*arcs) if arcs else np.zeros((0, 2, 3))


def friction_lines(bone: bpy.types.PoseBone) -> Floats:
    """The ball, cylinders or sleeve on which the bone's joint rubs, in the bone's frame."""
    radius, height = bone_friction_size(bone)
    if bone.redmax.joint == "SPHERICAL":
        return shapes.sphere(radius)
    rims = [shapes.cylinder(radius, height) @ shapes.leading(axis).T for axis, _ in joint_axes(bone.redmax)]
    return shapes.joined(*rims) if rims else np.zeros((0, 2, 3))


def target_lines(obj: bpy.types.Object, bone: bpy.types.PoseBone) -> Floats:
    """From the point of the bone that is led to the target that leads it, in the world."""
    control = bone.redmax.control
    there = np.array(control.target.matrix_world.translation, dtype=float)
    ends = {"HEAD": bone.head, "TAIL": bone.tail}
    here = np.array(obj.matrix_world @ ends.get(control.target_point, bone.tail), dtype=float)
    size = 0.15 * capsule_of(bone).length * obj.matrix_world.median_scale
    return shapes.joined(np.array([[here, there]]), shapes.cross(size) + there)


def rubs(bone: bpy.types.PoseBone) -> bool:
    """True where the joint of a bone has friction."""
    friction = bone.redmax.friction
    return bone.redmax.joint in RUBS and max(friction.coefficient, friction.static) > 0.0


def add_bones(
    lines: Lines, obj: bpy.types.Object, overlay: bpy.types.PropertyGroup, torques: Mapping[str, float]
) -> None:
    """Add what the overlay shows of an armature's bones.

    torques: friction torque of joints at this frame, as part of the largest one, by the bone's name.
    """
    world = np.array(obj.matrix_world, dtype=float)
    for bone in drawn_bones(obj, overlay.selected_only):
        matrix = bone_matrix(obj, bone)
        if overlay.bodies:
            lines.add(shapes.moved(body_lines(bone), matrix), BODY)
        if overlay.joints:
            for axis, colour in axis_lines(bone):
                lines.add(shapes.moved(axis, matrix), colour)
            rest = world @ np.array(unposed(bone), dtype=float)
            rest[:3, 3] = matrix[:3, 3]
            lines.add(shapes.moved(limit_lines(bone), rest), LIMIT)
        if overlay.targets and bone.redmax.control.target is not None:
            lines.add(target_lines(obj, bone), TARGET)
        if overlay.friction and rubs(bone):
            colour = shapes.ramp(torques[bone.name]) if bone.name in torques else RUBBING
            lines.add(shapes.moved(friction_lines(bone), matrix), colour)
