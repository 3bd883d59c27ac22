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

from ...engine.compile.poses import pose_parts
from ...engine.errors import SceneError
from ...engine.scene import spec
from ..bake.channels import read_channels
from ..flesh.soft_meshes import soft_meshes
from ..motion.bone_motion import BoneMotion, bone_motion
from ..motion.joint_coordinates import joint_coordinates
from ..motion.rotations import nearest_rotation
from ..motion.sample_bones import RigSamples, sample_rigs
from ..motion.sample_motion import first_frame
from ..motion.stretch import kept, stretches
from ..muscles.objects import muscles
from ..rig.bodies import active_bodies
from ..rig.limbs.capsule import capsule_of
from ..rig.make_physical import check_armature
from ..rig.rig import gravity, metres_per_unit, physical_bones, physical_parents, stretched, uniform_scale
from .applied import joint_torques, push_on_bone
from .bone import PlacedBone, body_spec, check_connected, check_size, joint_frame_parts, unposed
from .coupling import read_couplings
from .fields import read_fields
from .settings import Settings, read_settings
from .targets import read_targets
from .thrusters import read_thrusters

if TYPE_CHECKING:
    from ..mechanism.object_reading import ObjectReading
    from .flesh import FleshReading

Floats = NDArray[np.float64]

NOTICEABLE = 0.01
"""Off-axis rotation [rad] of a start pose from which the user is told."""
APPLY_SCALE = "Apply it with Object > Apply > Scale, also on the object's parents."
CLEAR_SCALE = "Clear its scale in pose mode (Alt S), and that of its parents."


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
    """Metres in the world a unit of the armature; negative where it is mirrored (`rig.uniform_scale`)."""
    axes: Floats
    """Axes of each joint frame in its bone's frame, as columns, shape (nb, 3, 3)."""
    bone_scales: Floats
    """Scale of each bone along itself in the start pose, shape (nb,)."""
    stretch: Floats
    """The same along all of its axes, shape (nb, 3, 3)."""
    moves: RigMoves | None
    """How the animation moves the armature object and scales the bones; None when it does not."""
    start: Floats
    """The bones' channels at the start frame, rows of `channels.read_channels`, shape (nb, WIDTH)."""


@dataclass(frozen=True)
class RigMoves:
    """An armature that its animation moves, at each of the nf frames of the run."""

    rotation: Floats
    """Of the armature object, shape (nf, 3, 3)."""
    origin: Floats
    """Of the armature object [m], shape (nf, 3)."""
    scale: Floats
    """Metres in the world a unit of the armature, shape (nf,)."""
    stretch: Floats
    """Scale of each bone along its own axes, shape (nf, nb, 3, 3)."""


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
    samples: dict[str, RigSamples]
    """What the animation does to each armature, by name."""
    frame_start: int
    frame_end: int
    fps: float
    warnings: list[str] = field(default_factory=list)
    flesh: list[FleshReading] = field(default_factory=list)
    """Soft meshes, in the order of the scene's flesh."""
    substeps_chosen: bool = False
    """Whether the steps a frame were chosen by what the scene needs."""
    substeps_reason: str = ""
    """What needs as many; empty where nothing does."""


def read_scene(context: bpy.types.Context, armatures: list[bpy.types.Object]) -> Reading:
    """Read what the depsgraph shows now as the start of a simulation. Changes nothing."""
    from .contact import read_contact
    from .flesh import read_flesh
    from .mechanism import read_mechanism  # loads Numba, which takes a moment

    scene = context.scene
    settings = scene.redmax
    check_range(scene)
    if not armatures and not active_bodies(scene) and not soft_meshes(scene):
        raise SceneError(
            "Scene",
            "no bone is physical, no object is an active body, and no mesh is soft",
            "Select an armature and press Make Physical, or make mesh objects bodies (RedMax tab, Body).",
        )
    depsgraph = context.evaluated_depsgraph_get()
    bodies: list[spec.BodySpec] = []
    rigs: list[RigReading] = []
    warnings: list[str] = []
    pushes: list[spec.ForceSpec] = []
    poses: dict[str, Floats] = {}
    targets: list[spec.ConstraintSpec] = []
    samples = sample_rigs(context, armatures)
    for obj in armatures:
        reader = _RigReader(obj, depsgraph, scene, samples[obj.name])
        bodies += reader.read_bones()
        pushes += reader.pushes
        rigs.append(reader.reading())
        poses |= reader.shape_poses(bodies)
        targets += read_targets(obj, samples[obj.name], poses, metres_per_unit(scene), reader.fps)
        warnings += reader.warnings
    mechanism = read_mechanism(context, poses)
    bodies += mechanism.bodies
    warnings += mechanism.warnings
    fps = scene.render.fps / scene.render.fps_base
    frames = settings.frame_end - first_frame(scene)
    time = spec.TimeSpec(end=frames / fps)
    limited = any(body.joint.limits is not None or body.joint.modes for body in bodies)
    integrator = settings.integrator
    if (mechanism.constraints or targets or limited) and not integrator.startswith("euler"):
        integrator = "euler-midway"
        warnings.append(
            "The default integrator is used: only the Euler integrators hold loops, joint limits, targets and "
            "control that changes"
        )
    reading = Reading(
        scene=spec.SceneSpec(
            name=scene.name,
            gravity=gravity(scene),
            bodies=bodies,
            forces=[*pushes, *mechanism.forces, *read_thrusters(context, {**poses, **mechanism.poses}, fps)],
            constraints=[*targets, *mechanism.constraints],
            couplings=[
                *(each for obj in armatures for each in read_couplings(obj, samples[obj.name])),
                *mechanism.couplings,
            ],
            time=time,
            integrator=integrator,
        ),
        rigs=rigs,
        objects=mechanism.objects,
        cut=mechanism.cut,
        samples=samples,
        frame_start=settings.frame_start,
        frame_end=settings.frame_end,
        fps=fps,
        warnings=warnings,
    )
    read_flesh(context, reading)
    read_fields(context, reading)
    read_contact(context, reading)
    if muscles(scene):
        from ..muscles.read_muscles import read_muscles  # loads Numba, which takes a moment

        pulls = read_muscles(scene, poses, first_frame(scene), settings.frame_end)
        reading.scene.wraps, reading.scene.muscles = pulls.wraps, pulls.muscles
    read_substeps(settings, reading)
    return reading


def read_substeps(settings: bpy.types.PropertyGroup, reading: Reading) -> None:
    """Steps a frame: as many as are given, or as the scene needs."""
    from ...engine.run.automatic_step import automatic_substeps  # loads Numba, which takes a moment

    count = settings.substeps
    if settings.auto_substeps:
        count, reading.substeps_reason = automatic_substeps(reading.scene, 1.0 / reading.fps)
        reading.substeps_chosen = True
    reading.scene.time.step, reading.scene.time.record = 1.0 / (reading.fps * count), count


def check_range(scene: bpy.types.Scene) -> None:
    start, end = scene.redmax.frame_start, scene.redmax.frame_end
    if end <= start:
        raise SceneError(
            "Simulation range",
            f"it is empty: it starts at frame {start} and ends at frame {end}",
            "Let End be after Simulation Start.",
        )


class _RigReader:
    """Reads one armature, bone by bone."""

    def __init__(
        self,
        obj: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        scene: bpy.types.Scene,
        samples: RigSamples,
    ) -> None:
        check_armature(obj)
        unit = metres_per_unit(scene)
        self.obj, self.scene = obj, scene
        self.samples = samples
        self.pushes: list[spec.ForceSpec] = []
        self.fps = scene.render.fps / scene.render.fps_base
        self.in_motion = bool(scene.redmax.use_start_velocity)
        self.shown = obj.evaluated_get(depsgraph)
        matrix = self.shown.matrix_world
        self.rotation, scale = uniform_scale(matrix, f"Armature '{obj.name}'", APPLY_SCALE, mirrored=True)
        self.origin = np.array(matrix.translation) * unit
        self.scale = scale * unit
        self.placed: dict[str, PlacedBone] = {}
        self.bone_scales: list[float] = []
        self.stretch: dict[str, tuple[Floats, Floats]] = {}
        """Of each bone, as animated and as simulated, shapes (nf, 3, 3)."""
        self.warnings: list[str] = []
        self.rig_frames = world_frames(samples.world, unit)
        self.carriers = physical_parents(obj)

    def read_bones(self) -> list[spec.BodySpec]:
        carriers = self.carriers
        bodies = []
        for bone in physical_bones(self.obj):
            settings = read_settings(bone, self.obj)
            carrier = carriers[bone.name]
            placed = self.place(bone, settings)
            self.placed[bone.name] = placed
            self.stretch[bone.name] = self.stretch_of(bone, carrier)
            carried_by = None if carrier is None else self.placed[carrier.name]
            motion = self.motion(bone, carrier, carried_by)
            body = body_spec(placed, carried_by, settings, motion)
            body.joint.torque = joint_torques(bone, len(placed.joint.q), self.scene)
            self.pushes += push_on_bone(bone, body.name, self.scene)
            bodies.append(body)
        return bodies

    def motion(
        self, bone: bpy.types.PoseBone, carrier: bpy.types.PoseBone | None, carried_by: PlacedBone | None
    ) -> BoneMotion:
        """What the animation says about a bone's joint."""
        placed, control, samples = self.placed[bone.name], bone.redmax.control, self.samples
        R, p = joint_frame_parts(placed, carried_by)
        below = self.joint_frames(bone.name)
        if carrier is not None:
            below = np.linalg.inv(self.joint_frames(carrier.name)) @ below
            below[:, :3, 3] = self.along_kept(carrier.name, below[:, :3, 3])
        D = np.linalg.inv(affine(R, p)) @ below
        found = bone_motion(
            placed.joint,
            D,
            samples.lead,
            self.fps,
            samples.modes[:, samples.column[bone.name]],
            control.ease,
            spec.Guide(response=float(control.response), ratio=float(control.ratio)),
            self.in_motion,
            self.holds(bone, carrier),
        )
        if found.modes or found.motion:
            found.wake = float(control.wake) or None
        if control.use_start_speeds:
            found.qdot = [float(speed) for speed in control.start_speeds[: len(placed.joint.q)]]
        return found

    def holds(self, bone: bpy.types.PoseBone, carrier: bpy.types.PoseBone | None) -> bool:
        """Whether keys move a bone's joint against its carrier only while they lead it: not where helpers move it."""
        if carrier is None or bone.redmax.joint == "FIXED" or not self.obj.redmax.hold_locations:
            return False
        return bool(bone.parent == carrier or bone.redmax.carrier == carrier.name)

    def stretch_of(
        self, bone: bpy.types.PoseBone, carrier: bpy.types.PoseBone | None
    ) -> tuple[Floats, Floats]:
        """A bone's stretch as its animation has it, and as the simulation does."""
        samples = self.samples
        animated = stretches(samples.pose(bone.name))
        if not self.obj.redmax.hold_locations or not np.ptp(animated, axis=0).any():
            return animated, animated
        leader = bone
        while leader.redmax.joint == "FIXED" and (above := self.carriers[leader.name]) is not None:
            leader = above  # what is fixed to a bone is let go with it
        modes = samples.modes[:, samples.column[leader.name]]
        return animated, kept(animated, modes, samples.lead, leader.redmax.control.ease)

    def along_kept(self, carrier: str, places: Floats) -> Floats:
        """Places in a carrier's joint frame [m], shape (nf, 3), where they are while it keeps its length."""
        animated, simulated = self.stretch[carrier]
        axes = self.placed[carrier].joint.axes
        change = axes.T @ simulated @ np.linalg.inv(animated) @ axes
        return np.asarray((change @ places[:, :, None])[:, :, 0])

    def joint_frames(self, bone: str) -> Floats:
        """World frames of a bone's joint as the animation moves them [m], shape (nf, 4, 4)."""
        rotation, origin, scale = self.rig_frames
        poses = self.samples.pose(bone)
        frames = np.tile(np.eye(4), (len(poses), 1, 1))
        frames[:, :3, :3] = rotation @ nearest_rotation(poses[:, :3, :3]) @ self.placed[bone].joint.axes
        frames[:, :3, 3] = np.einsum("nij,nj->ni", rotation, poses[:, :3, 3] * scale[:, None]) + origin
        return frames

    def place(self, bone: bpy.types.PoseBone, settings: Settings) -> PlacedBone:
        place = f"Bone '{bone.name}' of '{self.obj.name}'"
        pose = self.shown.pose.bones[bone.name]
        linear, bone_scale = stretched(pose.matrix, place, CLEAR_SCALE)
        rest = unposed(pose)
        rest_linear, _ = stretched(rest, place, CLEAR_SCALE)
        unit = bone_scale * self.scale
        check_size(bone, settings, place, abs(unit))
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
        return PlacedBone(f"{self.obj.name}/{bone.name}", R, head, R_rest, joint, unit, capsule_of(bone))

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

    def moves(self) -> RigMoves | None:
        """How the armature object moves and its bones are scaled, from the first frame on."""
        samples, lead = self.samples, self.samples.lead
        if len(samples.world) == 1:
            return None
        stretch = np.stack([self.stretch[name][1][lead:] for name in self.placed], axis=1)
        rotation, origin, scale = (rows[lead:] for rows in self.rig_frames)
        return RigMoves(rotation, origin, scale, stretch)

    def reading(self) -> RigReading:
        return RigReading(
            name=self.obj.name,
            bones=tuple(self.placed),
            rotation=self.rotation,
            origin=self.origin,
            scale=self.scale,
            axes=np.stack([bone.joint.axes for bone in self.placed.values()]),
            bone_scales=np.array(self.bone_scales),
            stretch=np.stack([self.stretch[name][1][self.samples.lead] for name in self.placed]),
            moves=self.moves(),
            start=read_channels(self.obj.pose.bones[name] for name in self.placed),
        )


def world_frames(world: Floats, unit: float) -> tuple[Floats, Floats, Floats]:
    """Rotations, origins [m] and scales [m a unit] of world matrices, shape (nf, 4, 4); negative ones mirror."""
    linear = world[:, :3, :3]
    scale = np.cbrt(np.linalg.det(linear))
    return nearest_rotation(linear / scale[:, None, None]), world[:, :3, 3] * unit, scale * unit


def affine(R: Floats, p: Floats) -> Floats:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = R, p
    return matrix
