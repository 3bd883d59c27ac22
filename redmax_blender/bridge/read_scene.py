"""The evaluated scene at its start frame -> SceneSpec.

Everything the engine sees is in world metres: a point of an armature is (matrix_world · point) · metres_per_unit. The
joint frame of a bone is the bone's own frame (origin at its head, y along it), except for universal joints, whose
first two axes are the joint's; `RigReading` keeps what is needed to go back.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import degrees
from typing import TYPE_CHECKING

import bpy
import numpy as np
from numpy.typing import NDArray

from ..engine import scene as spec
from ..engine.errors import SceneError
from ..engine.poses import pose_parts
from .actions import animated_paths
from .bodies import active_bodies
from .channels import read_channels
from .joint_coordinates import joint_coordinates
from .make_physical import check_armature
from .read_bone import PlacedBone, body_spec, check_connected, check_size, unposed
from .read_settings import Settings, read_settings
from .rig import gravity, metres_per_unit, physical_bones, physical_parents, uniform_scale

if TYPE_CHECKING:
    from .object_reading import ObjectReading

Floats = NDArray[np.float64]

NOTICEABLE = 0.01
"""Off-axis rotation [rad] of a start pose from which the user is told."""
APPLY_SCALE = "Apply it with Object > Apply > Scale, also on the object's parents."
CLEAR_SCALE = "Clear its scale in pose mode (Alt S), and that of its parents."
OBJECT_CHANNELS = ("location", "rotation", "delta_", "scale")


@dataclass(frozen=True)
class RigReading:
    """How one armature was read: the way back from joint frames in the world to poses of its bones."""

    name: str
    bones: tuple[str, ...]
    """Every one after the bone that carries it."""
    rotation: Floats
    """Rotation of the armature object, shape (3, 3)."""
    origin: Floats
    """Origin of the armature object [m], shape (3,)."""
    scale: float
    """Metres in the world a unit of the armature."""
    axes: Floats
    """Axes of each joint frame in its bone's frame, as columns, shape (nb, 3, 3)."""
    bone_scales: Floats
    """Scale of each bone in the start pose, shape (nb,)."""
    start: Floats
    """The bones' channels at the start frame, rows of `channels.read_channels`, shape (nb, WIDTH)."""


@dataclass
class Reading:
    """A scene as the engine takes it, and how to go back."""

    scene: spec.SceneSpec
    rigs: list[RigReading]
    """Their bones, one rig after the other, are the scene's first bodies."""
    objects: list[ObjectReading]
    """Objects that are active bodies."""
    cut: list[str]
    """Joints between objects that close loops."""
    frame_start: int
    frame_end: int
    fps: float
    warnings: list[str] = field(default_factory=list)


def read_scene(context: bpy.types.Context, armatures: list[bpy.types.Object]) -> Reading:
    """Read what the depsgraph shows now as the start of a simulation. Changes nothing."""
    from .read_mechanism import read_mechanism  # loads Numba, which takes a moment

    scene = context.scene
    settings = scene.redmax
    check_range(scene)
    if not armatures and not active_bodies(scene):
        raise SceneError(
            "Scene",
            "no bone is physical and no object is an active body",
            "Select an armature and press Make Physical, or make mesh objects bodies (RedMax tab, Body).",
        )
    depsgraph = context.evaluated_depsgraph_get()
    bodies: list[spec.BodySpec] = []
    rigs: list[RigReading] = []
    warnings: list[str] = []
    poses: dict[str, Floats] = {}
    for obj in armatures:
        reader = _RigReader(obj, depsgraph, metres_per_unit(scene))
        bodies += reader.read_bones()
        rigs.append(reader.reading())
        poses |= reader.shape_poses(bodies)
        warnings += reader.warnings
    mechanism = read_mechanism(context, poses)
    bodies += mechanism.bodies
    warnings += mechanism.warnings
    fps = scene.render.fps / scene.render.fps_base
    frames = settings.frame_end - settings.frame_start
    time = spec.TimeSpec(end=frames / fps, step=1.0 / (fps * settings.substeps), record=settings.substeps)
    limited = any(body.joint.limits is not None for body in bodies)
    integrator = settings.integrator
    if (mechanism.constraints or limited) and not integrator.startswith("euler"):
        integrator = "euler-midway"
        warnings.append(
            "Implicit Euler, Midway is used: only the Euler integrators hold loops, joint limits and targets"
        )
    return Reading(
        scene=spec.SceneSpec(
            name=scene.name,
            gravity=gravity(scene),
            bodies=bodies,
            forces=mechanism.forces,
            constraints=mechanism.constraints,
            time=time,
            integrator=integrator,
        ),
        rigs=rigs,
        objects=mechanism.objects,
        cut=mechanism.cut,
        frame_start=settings.frame_start,
        frame_end=settings.frame_end,
        fps=fps,
        warnings=warnings,
    )


def check_range(scene: bpy.types.Scene) -> None:
    start, end = scene.redmax.frame_start, scene.redmax.frame_end
    if end <= start:
        raise SceneError(
            "Simulation range",
            f"it is empty: it starts at frame {start} and ends at frame {end}",
            "Let End be after Simulation Start.",
        )


class _RigReader:
    """Reads one armature, bone by bone, with `unit` metres a Blender unit."""

    def __init__(self, obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, unit: float) -> None:
        check_armature(obj)
        self.obj = obj
        self.shown = obj.evaluated_get(depsgraph)
        matrix = self.shown.matrix_world
        self.rotation, scale = uniform_scale(matrix, f"Armature '{obj.name}'", APPLY_SCALE)
        self.origin = np.array(matrix.translation) * unit
        self.scale = scale * unit
        self.placed: dict[str, PlacedBone] = {}
        self.bone_scales: list[float] = []
        self.warnings = _motion_warnings(obj)

    def read_bones(self) -> list[spec.BodySpec]:
        carriers = physical_parents(self.obj)
        bodies = []
        for bone in physical_bones(self.obj):
            settings = read_settings(bone, self.obj)
            carrier = carriers[bone.name]
            placed = self.place(bone, settings)
            self.placed[bone.name] = placed
            bodies.append(body_spec(placed, None if carrier is None else self.placed[carrier.name], settings))
        return bodies

    def place(self, bone: bpy.types.PoseBone, settings: Settings) -> PlacedBone:
        place = f"Bone '{bone.name}' of '{self.obj.name}'"
        pose = self.shown.pose.bones[bone.name]
        linear, bone_scale = uniform_scale(pose.matrix, place, CLEAR_SCALE)
        rest = unposed(pose)
        rest_linear, _ = uniform_scale(rest, place, CLEAR_SCALE)
        unit = bone_scale * self.scale
        check_size(bone, settings, place, unit)
        check_connected(bone, settings, place)

        R, R_rest = self.rotation @ linear, self.rotation @ rest_linear
        shift = self.rotation @ np.array(pose.matrix.translation - rest.translation) * self.scale
        joint = joint_coordinates(
            settings.joint, settings.axis, settings.second_axis, R_rest.T @ R, R_rest.T @ shift
        )
        if settings.joint in ("REVOLUTE", "UNIVERSAL") and joint.off_axis > NOTICEABLE:
            self.warnings.append(
                f"{place}: {degrees(joint.off_axis):.1f}° of its start pose are about axes that its "
                f"{settings.joint.lower()} joint does not have; they stay as they are"
            )
        self.bone_scales.append(bone_scale)
        head = self.rotation @ np.array(pose.matrix.translation) * self.scale + self.origin
        return PlacedBone(f"{self.obj.name}/{bone.name}", R, head, R_rest, joint, unit)

    def shape_poses(self, bodies: list[spec.BodySpec]) -> dict[str, Floats]:
        """World poses of the capsules of the bones that were read [m], shape (4, 4), by the names of their bodies."""
        poses = {}
        specs = {body.name: body for body in bodies}
        for bone in self.placed.values():
            R, p = pose_parts(specs[bone.name].pose, bone.name)
            pose = np.eye(4)
            pose[:3, :3] = bone.R @ bone.joint.axes @ R
            pose[:3, 3] = bone.p + bone.R @ bone.joint.axes @ p
            poses[bone.name] = pose
        return poses

    def reading(self) -> RigReading:
        return RigReading(
            name=self.obj.name,
            bones=tuple(self.placed),
            rotation=self.rotation,
            origin=self.origin,
            scale=self.scale,
            axes=np.stack([bone.joint.axes for bone in self.placed.values()]),
            bone_scales=np.array(self.bone_scales),
            start=read_channels(self.obj.pose.bones[name] for name in self.placed),
        )


def _motion_warnings(obj: bpy.types.Object) -> list[str]:
    """What moves by itself during the range and is taken as standing still."""
    if any(path.startswith(OBJECT_CHANNELS) for path in animated_paths(obj)):
        return [
            f"Armature '{obj.name}' is animated: its bones are simulated where it stands at the first frame, "
            "and then moved along with it"
        ]
    return []
