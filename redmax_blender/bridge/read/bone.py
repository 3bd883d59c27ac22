"""One bone -> BodySpec: its capsule, its joint, and the joint's frame in its parent's."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ...engine.errors import SceneError
from ...engine.scene import spec
from ..motion.bone_motion import BoneMotion
from ..motion.joint_coordinates import Coordinates
from ..motion.rotations import quaternion
from ..rig.limbs.capsule import BoneCapsule
from .settings import Settings

Floats = NDArray[np.float64]


SHORTEST = 1e-5
"""Bones shorter than this [Blender units] have no length: Blender itself keeps none below 1e-6."""


@dataclass(frozen=True)
class PlacedBone:
    """A bone in the world at the start frame."""

    name: str
    """Name of its body."""
    R: Floats
    """Rotation of the bone's frame, shape (3, 3)."""
    p: Floats
    """Head of the bone [m], shape (3,)."""
    R_rest: Floats
    """Rotation of the bone's frame without a pose of its own, shape (3, 3)."""
    joint: Coordinates
    unit: float
    """Metres a unit of the bone; negative where the armature is mirrored, and its axes are turned round for it."""
    capsule: BoneCapsule
    """In units of the bone."""


def unposed(pose: bpy.types.PoseBone) -> Matrix:
    """Where the bone would be, in armature space, without any pose of its own: from which its joint is measured."""
    bone = pose.bone
    if pose.parent is None:
        return bone.convert_local_to_pose(Matrix(), bone.matrix_local)
    return bone.convert_local_to_pose(
        Matrix(),
        bone.matrix_local,
        parent_matrix=pose.parent.matrix,
        parent_matrix_local=pose.parent.bone.matrix_local,
    )


def body_spec(
    bone: PlacedBone, carrier: PlacedBone | None, settings: Settings, motion: BoneMotion | None = None
) -> spec.BodySpec:
    """Body and joint of one bone, on the body of another bone or on the world, with what its animation does."""
    joint = bone.joint
    motion = motion or BoneMotion()
    body, size = bone.capsule, abs(bone.unit)
    return spec.BodySpec(
        name=bone.name,
        parent=None if carrier is None else carrier.name,
        shape=capsule(body.radius * size, body.length * size),
        pose=make_pose(joint.axes.T @ body.turn, joint.axes.T @ body.centre * bone.unit),
        density=settings.density,
        mass=settings.mass,
        joint=spec.JointSpec(
            type=joint.type,
            frame=joint_frame(bone, carrier),
            q=joint.q,
            stiffness=settings.stiffness,
            damping=settings.damping,
            rest=rest_coordinates(settings, len(joint.q), bone.unit),
            limits=joint_limits(settings, joint.q),
            qdot=motion.qdot,
            motion=motion.motion,
            modes=motion.modes,
            guide=motion.guide,
            base=motion.base,
            wake=motion.wake,
        ),
    )


def joint_frame(bone: PlacedBone, carrier: PlacedBone | None) -> spec.Pose:
    """The joint's frame at q = 0 in the joint frame of the parent body, or in the world for a root."""
    return make_pose(*joint_frame_parts(bone, carrier))


def joint_frame_parts(bone: PlacedBone, carrier: PlacedBone | None) -> tuple[Floats, Floats]:
    """Rotation, shape (3, 3), and origin [m] of `joint_frame`."""
    R = bone.R_rest @ bone.joint.axes @ bone.joint.remainder
    p = bone.p - R @ bone.joint.slide
    if carrier is not None:
        R_parent = carrier.R @ carrier.joint.axes
        R, p = R_parent.T @ R, R_parent.T @ (p - carrier.p)
    return R, p


def capsule(radius: float, length: float) -> spec.Capsule | spec.Sphere:
    """A capsule of this length from end to end [m]; a sphere where it is no longer than wide."""
    if length <= 2.0 * radius * (1.0 + 1e-6):
        return spec.Sphere(radius=radius)
    return spec.Capsule(radius=radius, height=length - 2.0 * radius)


def rest_coordinates(settings: Settings, count: int, unit: float) -> list[float] | None:
    """Coordinates at which the joint's spring is at rest; None for those of the start pose."""
    if settings.rest_from == "START" or settings.joint in ("FIXED", "FREE"):
        return None
    if settings.rest_from == "REST_POSE":
        return [0.0] * count
    if settings.joint == "PRISMATIC":
        return [settings.rest_length * unit]
    if settings.joint == "REVOLUTE":
        return [float(settings.rest_angles @ settings.axis)]
    if settings.joint == "UNIVERSAL":
        return [float(settings.rest_angles @ axis) for axis in (settings.axis, settings.second_axis)]
    return [float(angle) for angle in settings.rest_angles]


def joint_limits(settings: Settings, q: list[float]) -> spec.Limits | None:
    """Limits about the bone's axes as limits of the joint's coordinates; None where nothing is limited.

    A ball joint has its limits on the rotation vector, which for rotations about one axis is the angle itself. A start
    pose beyond a limit widens it: the joint may not be pushed at the start, and goes no further.
    """
    if settings.joint == "REVOLUTE":
        found = [_about(settings, settings.axis)]
    elif settings.joint == "UNIVERSAL":
        found = [_about(settings, settings.axis), _about(settings, settings.second_axis)]
    elif settings.joint == "SPHERICAL":
        found = list(settings.limits)
    else:
        return None
    if not any(found):
        return None
    return spec.Limits(
        lower=[None if pair is None else min(pair[0], start) for pair, start in zip(found, q)],
        upper=[None if pair is None else max(pair[1], start) for pair, start in zip(found, q)],
    )


def _about(settings: Settings, axis: Floats) -> tuple[float, float] | None:
    """The limit about a joint's axis: that of the bone's own axis which is nearest to it."""
    k = int(np.argmax(np.abs(axis)))
    pair = settings.limits[k]
    if pair is None:
        return None
    return pair if axis[k] > 0.0 else (-pair[1], -pair[0])


def check_size(bone: bpy.types.PoseBone, settings: Settings, place: str, unit: float) -> None:
    """A body needs a length and a radius, with `unit` metres a unit of the bone."""
    if settings.length * unit < 1e-6 or (bone.redmax.use_bone_length and bone.bone.length < SHORTEST):
        raise SceneError(
            place,
            f"its length is {settings.length * unit:.2g} m, as good as zero",
            "Give it a length in edit mode, or turn off Physical for it.",
        )
    if settings.radius * unit < 1e-7:
        raise SceneError(place, "the radius of its capsule is zero", "Give it a radius (RedMax tab, Bone).")


def check_connected(bone: bpy.types.PoseBone, settings: Settings, place: str) -> None:
    """Blender ignores the location of a connected bone: it cannot show a joint that moves away from its parent."""
    if bone.bone.use_connect and settings.joint in ("PRISMATIC", "FREE"):
        raise SceneError(
            place,
            f"its joint is {settings.joint.lower()}, but a connected bone cannot leave its parent",
            "Turn off Connected for it in edit mode, or choose another joint.",
        )


def make_pose(rotation: Floats, position: Floats) -> spec.Pose:
    w, x, y, z = (float(c) for c in quaternion(rotation))
    px, py, pz = (float(c) for c in position)
    return spec.Pose(position=(px, py, pz), rotation=[w, x, y, z])
